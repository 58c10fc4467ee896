package main

import (
	"context"
	"errors"

	"github.com/cash-mcp/go-sdk/examples/shop/store"
	"github.com/cash-mcp/go-sdk/registry"
)

// nextSteps tells a model what to do about an error of the shop, which itself
// does not know by which names it is served.
var nextSteps = []struct {
	err  error
	hint string
}{
	{store.ErrNoOrder, "Use `call(namespace=\"orders\", function=\"list\")` with filters to find it."},
	{store.ErrNoProduct, "Use `call(namespace=\"inventory\", function=\"list\")` to see the products."},
	{store.ErrNoCustomer, "Use `call(namespace=\"crm\", function=\"find\")` to find the customer."},
	{store.ErrStock, "Nothing was ordered. Tell the user about the shortage, or order at most what is left."},
	{store.ErrTooLate, "Only confirmed orders can be cancelled. Tell the user."},
	{store.ErrInvalid, "Correct the argument and repeat the call."},
}

// hints is a [registry.Middleware] that adds the next step to errors.
func hints(next registry.Handler) registry.Handler {
	return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
		res, err := next(ctx, c)
		for _, step := range nextSteps {
			if errors.Is(err, step.err) {
				return nil, &registry.Error{
					Kind: registry.Failed, Namespace: c.Function.Namespace(), Name: c.Function.Name,
					Message: err.Error() + ".", Hint: step.hint, Err: err,
				}
			}
		}
		return res, err
	}
}
