package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/cash-mcp/go-sdk/cash/cost"
)

// The second table of the output has a row for each size of catalog and a column for each face:
//
//	| tokens: definitions / with one function found and called | plain | call, help, skill | ... |
//	| the shop, with 14 functions                              | ...   | ...               | ... |
//	| 100 functions                                            | ...   | ...               | ... |
//
// measure (main.go) calls bySize for the numbers, page.sizes (table.go) writes them. The first table, of tasks with
// recorded servers, is that of face.go and task.go.

// A catalogSize is a row: a catalog of functions, of which the model finds and calls one.
type catalogSize struct {
	name  string                     // before the word functions: "5,000"
	tools func() ([]tool, error)     // the functions
	about func(server string) string // the description of a namespace, which is the tool's server
	step  step                       // the call
}

// sizes are the rows: the shop of the examples, which has 14 functions, and 100, 1,000 and 5,000 made-up functions
// (made.go).
var sizes = []catalogSize{
	{"the shop, with 14", shopTools, func(server string) string { return shopSpaces[server] }, step{
		tool: "orders.get", args: `{"order_id":"ORD-1001"}`, query: "retrieve an order by its id", want: []string{"ORD-1001"},
	}},
	madeSize(100), madeSize(1000), madeSize(5000),
}

// madeSize is the row of n made-up functions.
func madeSize(n int) catalogSize {
	return catalogSize{thousands(n), func() ([]tool, error) { return madeTools(n), nil }, madeSpace, step{
		tool: "billing_accounts.comment", args: `{"id":"billing-4711","body":"Paid today."}`,
		query: "add a comment to a billing account", want: []string{"billing-4711"},
	}}
}

// sizedFaces are the columns. The first one lists all functions as tools. The last one is the same face for a client
// that also shows output schemas and structured content to its model.
var sizedFaces = slices.Concat([]column{{name: "plain", face: cost.Plain}}, faces[1:], []column{
	{name: "endpoint", face: cost.Endpoint}, {name: "plain, schemas of results shown", face: cost.Plain, typed: true},
})

// bySize measures all sizes behind all faces. It returns the bills by row and column.
func bySize(ctx context.Context) ([][]*cost.Bill, error) {
	var all [][]*cost.Bill
	for _, z := range sizes {
		s, err := z.build()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", z.name, err)
		}
		row, err := bills(ctx, s, &task{steps: []step{z.step}}, sizedFaces, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", z.name, err)
		}
		all = append(all, row)
	}
	return all, nil
}

// build returns the set of the catalog, with descriptions of its namespaces.
func (z catalogSize) build() (*set, error) {
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
