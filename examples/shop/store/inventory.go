package store

import (
	"context"
	"fmt"
)

// A Product is an article of the shop.
type Product struct {
	ProductID string `json:"product_id" cash:"detail=minimal"`
	Name      string `json:"name" cash:"detail=minimal"`
	UnitPrice Money  `json:"unit_price"`
	InStock   int    `json:"in_stock"`
}

// CheckStock is the input of [Shop.CheckStock].
type CheckStock struct {
	ProductID string `json:"product_id" jsonschema:"Unique product identifier." cash:"example=P-7"`
	Quantity  int    `json:"quantity" jsonschema:"Number of units wanted." cash:"min=1,example=3"`
}

// Availability is the output of [Shop.CheckStock].
type Availability struct {
	ProductID string `json:"product_id" cash:"detail=minimal"`
	Available bool   `json:"available" cash:"detail=minimal"` // the quantity is in stock
	InStock   int    `json:"in_stock"`
	UnitPrice Money  `json:"unit_price"`
}

// CheckStock reports whether a quantity of a product is in stock. The errors are [ErrNoProduct] and
// [ErrInvalid].
func (s *Shop) CheckStock(_ context.Context, in CheckStock) (Availability, error) {
	if in.Quantity < 1 {
		return Availability{}, fmt.Errorf("%w: quantity must be at least 1", ErrInvalid)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	p, err := s.product(in.ProductID)
	if err != nil {
		return Availability{}, err
	}
	return Availability{p.ProductID, in.Quantity <= p.InStock, p.InStock, p.UnitPrice}, nil
}

// ListProducts is the input of [Shop.Products]. Zero lists all.
type ListProducts struct {
	Below int `json:"below,omitempty" jsonschema:"Only products of which fewer units than this are in stock." cash:"min=1"`
}

// ProductList is the output of [Shop.Products].
type ProductList struct {
	Products []Product `json:"products"`
}

// Count is the number of products.
func (l ProductList) Count() int { return len(l.Products) }

// Products lists the products, by number. It never fails.
func (s *Shop) Products(_ context.Context, in ListProducts) (ProductList, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := ProductList{Products: []Product{}}
	for _, p := range s.products {
		if in.Below == 0 || p.InStock < in.Below {
			out.Products = append(out.Products, p)
		}
	}
	return out, nil
}

// maxRestock is the most units of one delivery; the tag below has the same number.
const maxRestock = 10_000

// Restock is the input of [Shop.Restock].
type Restock struct {
	ProductID string `json:"product_id" jsonschema:"Unique product identifier." cash:"example=P-7"`
	Quantity  int    `json:"quantity" jsonschema:"Number of units delivered." cash:"min=1,max=10000,example=100"`
}

// Restock adds a delivery to the stock. The errors are [ErrNoProduct] and
// [ErrInvalid].
func (s *Shop) Restock(_ context.Context, in Restock) (Product, error) {
	if in.Quantity < 1 || in.Quantity > maxRestock {
		return Product{}, fmt.Errorf("%w: quantity must be from 1 to %d", ErrInvalid, maxRestock)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.product(in.ProductID)
	if err != nil {
		return Product{}, err
	}
	p.InStock += in.Quantity
	return *p, nil
}
