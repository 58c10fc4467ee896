package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/examples/shop/store"
	"github.com/cash-mcp/go-sdk/registry"
)

// nextSteps are the hints for errors of the shop. The shop itself does not know the names of its
// functions.
var nextSteps = []struct {
	err             error
	namespace, name string // the function that replaces %s in the hint
	hint            string
}{
	{store.ErrNoOrder, "orders", "list", "Use %s with filters to find it."},
	{store.ErrNoProduct, "inventory", "list", "Use %s to see the products."},
	{store.ErrNoCustomer, "crm", "find", "Use %s to find the customer."},
	{err: store.ErrStock, hint: "Nothing was ordered. Tell the user about the shortage, or order at most what is left."},
	{err: store.ErrTooLate, hint: "Only confirmed orders can be cancelled. Tell the user."},
	{err: store.ErrInvalid, hint: "Correct the argument and repeat the call."},
}

// byName returns a call of a function for the tool call.
func byName(f *registry.Function) string {
	return fmt.Sprintf("`call(namespace=%q, function=%q)`", f.Namespace(), f.Name())
}

// byID returns a call for tool_execute.
func byID(f *registry.Function) string {
	return fmt.Sprintf("`tool_execute(tool_id=%q)`", f.ID())
}

// byTool returns a call of a function that is a tool itself.
func byTool(f *registry.Function) string { return "`" + f.FlatName() + "`" }

// byCommand returns a call of a function that is a command of a domain.
func byCommand(f *registry.Function) string {
	domain, cmd, _ := strings.Cut(f.Path(), ".")
	return fmt.Sprintf("`%s%sExecute(cmd=%q)`", strings.ToUpper(domain[:1]), domain[1:], cmd)
}

// byPath returns a call for the command endpoint.
func byPath(f *registry.Function) string {
	return fmt.Sprintf("`call_tool` with the tool `%s`", f.Path())
}

// calledBy maps each face to its way of writing a call.
var calledBy = map[string]func(*registry.Function) string{
	"cash": byName, "gateway": byID, "proxy": byID, "disclosure": byTool, "plain": byTool, "facade": byCommand, "endpoint": byPath,
}

// hints returns a middleware that adds the next step to errors. called writes the calls of
// functions of src.
func hints(src registry.Source, called func(*registry.Function) string) registry.Middleware {
	return func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			res, err := next(ctx, c)
			for _, step := range nextSteps {
				if !errors.Is(err, step.err) {
					continue
				}
				hint := step.hint
				if step.name != "" {
					f, err := src.Function(ctx, step.namespace, step.name)
					if err != nil {
						return nil, err
					}
					hint = fmt.Sprintf(hint, called(f))
				}
				return nil, &registry.Error{
					Kind: registry.Failed, Namespace: c.Function.Namespace(), Name: c.Function.Name(),
					Message: err.Error() + ".", Hint: hint, Err: err,
				}
			}
			return res, err
		}
	}
}
