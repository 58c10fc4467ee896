package store

import "errors"

// The errors of the shop. The texts say what happened, and repeat no input. The code that offers
// the shop recognises them with errors.Is and adds the next step.
var (
	ErrNoOrder    = errors.New("no order has this order_id")
	ErrNoProduct  = errors.New("no product has this product_id")
	ErrNoCustomer = errors.New("no customer has this customer_id")
	ErrStock      = errors.New("not enough in stock")
	ErrTooLate    = errors.New("the order has left the house")
	ErrInvalid    = errors.New("invalid input")
)
