package store

import "time"

// Today is the fixed day of the shop's calendar: the date of its newest orders.
const Today = "2026-03-31"

const (
	seededOrders    = 4821
	seededDays      = 821 // from 1 January 2024 to Today
	seededCustomers = 60
)

func seedProducts() []Product {
	products := []Product{
		{Name: "Espresso beans, 1 kg", UnitPrice: 1890, InStock: 420},
		{Name: "Filter coffee, 500 g", UnitPrice: 890, InStock: 610},
		{Name: "Decaf beans, 500 g", UnitPrice: 1150, InStock: 75},
		{Name: "Green tea, 250 g", UnitPrice: 740, InStock: 230},
		{Name: "Black tea, 250 g", UnitPrice: 690, InStock: 315},
		{Name: "Drinking chocolate, 400 g", UnitPrice: 625, InStock: 12},
		{Name: "Porcelain cup", UnitPrice: 1250, InStock: 180},
		{Name: "Glass teapot", UnitPrice: 3495, InStock: 38},
		{Name: "Hand grinder", UnitPrice: 5900, InStock: 4},
		{Name: "Pour-over kettle", UnitPrice: 6450, InStock: 21},
		{Name: "Paper filters, 100 pieces", UnitPrice: 395, InStock: 940},
		{Name: "Espresso machine", UnitPrice: 48900, InStock: 0},
	}
	for i := range products {
		products[i].ProductID = productID(i)
	}
	return products
}

func seedCustomers() []Customer {
	first := []string{"Ada", "Ben", "Chiara", "Dario", "Emil", "Fatima", "Grace", "Hugo", "Ines", "Jonas", "Kim", "Lena"}
	last := []string{"Moreau", "Nakamura", "Okafor", "Petrov", "Quinn", "Rossi", "Silva"}
	cities := []string{"Bergen", "Graz", "Lyon", "Porto", "Utrecht"}
	customers := make([]Customer, seededCustomers)
	for i := range customers {
		c := Customer{
			CustomerID: customerID(i), City: cities[mix(i, 1)%len(cities)], Channel: Retail,
			Name: first[i%len(first)] + " " + last[i%len(last)],
		}
		if i%6 == 3 {
			c.Channel, c.Name = Wholesale, "Cafe "+last[i%len(last)]+" "+c.City
		}
		customers[i] = c
	}
	return customers
}

func seedOrders(customers []Customer, products []Product) []Order {
	newest, _ := time.Parse(time.DateOnly, Today) // a constant
	orders := make([]Order, seededOrders)
	for i := range orders {
		age := seededDays - 1 - i*seededDays/seededOrders // in days
		c := customers[mix(i, 2)%len(customers)]
		lines := seedLines(i, c.Channel, products)
		orders[i] = Order{
			OrderID: orderID(i), Status: seedStatus(i, age), CustomerID: c.CustomerID, Channel: c.Channel,
			Date:  newest.AddDate(0, 0, -age).Format(time.DateOnly),
			Items: lines, Total: total(lines),
		}
	}
	return orders
}

// seedStatus returns the status of an order by its age: shipped after four days, delivered after
// ten; one in nineteen is cancelled.
func seedStatus(i, age int) Status {
	switch {
	case mix(i, 3)%19 == 0:
		return Cancelled
	case age < 4:
		return Confirmed
	case age < 10:
		return Shipped
	}
	return Delivered
}

// seedLines makes one to three lines with different products.
func seedLines(i int, c Channel, products []Product) []Line {
	lines := make([]Line, 1+mix(i, 4)%3)
	for j := range lines {
		p := products[(mix(i, 5)+5*j)%len(products)]
		quantity := 1 + mix(i, 6+j)%4
		if c == Wholesale {
			quantity *= 10
		}
		lines[j] = Line{p.ProductID, quantity, p.UnitPrice}
	}
	return lines
}

// mix returns a number for i that looks random and is always the same.
func mix(i, salt int) int {
	x := uint64(i+1)*0x9E3779B97F4A7C15 + uint64(salt)*0xBF58476D1CE4E5B9
	x = (x ^ x>>30) * 0x94D049BB133111EB
	return int((x ^ x>>31) >> 33)
}
