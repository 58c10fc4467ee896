package main

import (
	"context"
	"fmt"
)

// A size is a set of functions. The model finds and calls one of them.
type size struct {
	name  string
	tools func() ([]tool, error)
	about func(server string) string // the description of a namespace
	step  step
}

// sizes are the rows of the second table: the shop of the examples, and made-up functions.
var sizes = []size{
	{"the shop, with 14", shopTools, func(server string) string { return shopSpaces[server] }, step{
		tool: "orders.get", args: `{"order_id":"ORD-1001"}`, query: "retrieve an order by its id", want: []string{"ORD-1001"},
	}},
	madeSize(100), madeSize(1000), madeSize(5000),
}

func madeSize(n int) size {
	return size{thousands(n), func() ([]tool, error) { return madeTools(n), nil }, madeSpace, step{
		tool: "billing_accounts.comment", args: `{"id":"billing-4711","body":"Paid today."}`,
		query: "add a comment to a billing account", want: []string{"billing-4711"},
	}}
}

// grown are the faces of the second table. The first one lists all tools.
var grown = []struct {
	name string
	over func(*set) face
}{
	{"plain", newListed},
	{"call, help, skill", newCash},
	{"gateway", newGateway},
	{"proxy", newProxy},
	{"disclosure", newDisclosure},
	{"facade", newFacade},
	{"endpoint", nil}, // not MCP: see askEndpoint
}

// bySize measures all sizes behind all faces.
func bySize(ctx context.Context) ([][]*bill, error) {
	var all [][]*bill
	for i := range sizes {
		z := sizes[i]
		s, err := z.set()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", z.name, err)
		}
		bills := make([]*bill, len(grown))
		for j, f := range grown {
			if f.over == nil {
				bills[j], err = askEndpoint(ctx, s, &z.step)
			} else {
				bills[j], err = play(ctx, f.over, s, &task{steps: []step{z.step}})
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", z.name, f.name, err)
			}
		}
		all = append(all, bills)
	}
	return all, nil
}

func (z size) set() (*set, error) {
	tools, err := z.tools()
	if err != nil {
		return nil, err
	}
	s, err := newSet(tools)
	if err != nil {
		return nil, err
	}
	for _, t := range tools {
		s.registry.Namespace(t.server, z.about(t.server))
	}
	return s, nil
}
