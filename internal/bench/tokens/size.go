package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/cash/plain"
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

// shopSpaces are the namespaces of the shop.
var shopSpaces = map[string]string{
	"orders": "Create and manage customer orders.", "orders.retail": "Retail channel orders.", "orders.wholesale": "Wholesale and bulk orders.",
	"inventory": "Query and update stock levels.", "crm": "Manage contacts and accounts.",
}

// shopTools returns the functions of the shop. Only the called one has an answer.
func shopTools() ([]tool, error) {
	tools, err := recordedTools("shop")
	for i := range tools {
		path := tools[i].name
		dot := strings.LastIndexByte(path, '.')
		tools[i].server, tools[i].name = path[:dot], path[dot+1:]
		if path == "orders.get" {
			members := make(map[string]json.RawMessage)
			if err := json.Unmarshal(tools[i].recorded, &members); err != nil {
				return nil, err
			}
			members["result"] = asJSON(textResult(shopOrder))
			tools[i].recorded = asJSON(members)
		}
	}
	return tools, err
}

// shopOrder is the answer of the shop.
const shopOrder = `{"order_id":"ORD-1001","status":"shipped","customer_id":"C-17","channel":"retail","date":"2026-01-02",` +
	`"items":[{"product_id":"P-3","quantity":2,"unit_price":8.90}],"total":17.80}`

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

// listed lists every function as a tool.
type listed struct{ set *set }

func newListed(s *set) face { return listed{s} }

func (l listed) server() runner { return plain.NewServer(l.set.registry, nil) }

func (l listed) do(t *talk, s *step) error {
	f, err := l.set.function(s.tool)
	if err != nil {
		return err
	}
	_, err = t.must(f.FlatName(), json.RawMessage(s.args))
	return err
}

// askEndpoint is a talk with the command endpoint. Its list has every description and schema, so the model needs no
// search.
func askEndpoint(ctx context.Context, s *set, st *step) (*bill, error) {
	f, err := s.function(st.tool)
	if err != nil {
		return nil, err
	}
	e := endpoint.New(s.registry, nil)
	list, exit := e.Answer(ctx, []byte(`{"action":"list_tools"}`))
	if exit != 0 {
		return nil, fmt.Errorf("list_tools: %.300s", list)
	}
	call := asJSON(endpointCall{"call_tool", f.Path(), json.RawMessage(st.args)})
	reply, exit := e.Answer(ctx, call)
	for _, want := range st.want {
		if exit != 0 || !strings.Contains(string(reply), want) {
			return nil, fmt.Errorf("call_tool: %.300s", reply)
		}
	}
	b := &bill{definitions: count(string(list)), turns: []turn{{
		tool: "call_tool", args: string(call), sent: count(string(call)), got: count(string(reply)),
	}}}
	return b, nil
}

type endpointCall struct {
	Action    string          `json:"action"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}
