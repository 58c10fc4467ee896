package store

import "errors"

// What the shop says no to. The texts tell what happened; what to do next is
// known to whoever offers the shop, who recognises these with errors.Is. No
// text repeats what a caller sent.
var (
	ErrNoOrder    = errors.New("no order has this order_id")
	ErrNoProduct  = errors.New("no product has this product_id")
	ErrNoCustomer = errors.New("no customer has this customer_id")
	ErrStock      = errors.New("not enough in stock")
	ErrTooLate    = errors.New("the order has left the house")
	ErrInvalid    = errors.New("invalid input")
)
