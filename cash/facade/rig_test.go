package facade_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

var links = cashtest.Links()

// overAll runs a test over all links, with a server of its own for each.
func overAll(t *testing.T, serve func() *facade.Server, test func(t *testing.T, c *cashtest.Client)) {
	t.Helper()
	for _, l := range links {
		t.Run(l.String(), func(t *testing.T) { test(t, l.Connect(t, serve(), nil, nil)) })
	}
}

// inMemory connects a client in memory, for what does not depend on the link.
func inMemory(t testing.TB, srv *facade.Server, c *registry.Caller) *cashtest.Client {
	t.Helper()
	return links[1].Connect(t, srv, c, nil)
}

func named(id string, roles ...string) *registry.Caller {
	return &registry.Caller{ID: id, Roles: roles}
}

// object is the arguments of a tool.
type object map[string]any

// envelope is a response as it is on the wire.
type envelope struct {
	OK      bool            `json:"ok"`
	Cmd     json.RawMessage `json:"cmd"`
	Data    json.RawMessage `json:"data"`
	Count   *int            `json:"count"`
	Omitted []string        `json:"omitted"`
	Error   string          `json:"error"`
	text    string
}

// envelopeOf returns the envelope of a reply, which must keep what F3, F11 and F21
// ask for, whatever it is the reply to.
func envelopeOf(t testing.TB, r *cashtest.Reply) envelope {
	t.Helper()
	if len(r.Raw.Content) == 0 {
		t.Fatal("the reply is empty")
	}
	text, ok := r.Raw.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("the reply begins with a %T", r.Raw.Content[0])
	}
	e, err := readEnvelope(text.Text)
	if err != nil {
		t.Fatalf("%v in %.500s", err, text.Text)
	}
	if r.IsError == e.OK {
		t.Errorf("isError is %v of %.300s", r.IsError, text.Text)
	}
	if !sameJSON(text.Text, toJSON(r.Raw.StructuredContent)) {
		t.Errorf("structured content %s, want %s", toJSON(r.Raw.StructuredContent), text.Text)
	}
	return e
}

func readEnvelope(text string) (e envelope, err error) {
	if err := errors.Join(strictjson.CheckDepth([]byte(text), 1000), json.Unmarshal([]byte(text), &e)); err != nil {
		return e, err
	}
	e.text = text
	last := -1
	has := make(map[string]bool)
	for key, value := range strictjson.Members([]byte(text)) {
		at := slices.Index([]string{"ok", "cmd", "data", "count", "omitted", "error"}, key)
		if at <= last || string(value) == "null" {
			return e, fmt.Errorf("member %s out of order or null", key)
		}
		last, has[key] = at, true
	}
	switch {
	case !has["ok"]:
		return e, errors.New("no ok")
	case e.OK && has["error"]:
		return e, errors.New("success with an error")
	case !e.OK && (has["data"] || has["count"] || has["omitted"] || e.Error == ""):
		return e, errors.New("failure with data, a count, omitted members or without an error")
	}
	return e, nil
}

// ok returns the envelope of a call that must succeed.
func okOf(t testing.TB, c *cashtest.Client, tool string, args any) envelope {
	t.Helper()
	e := envelopeOf(t, c.Tool(tool, args))
	if !e.OK {
		t.Fatalf("%s %v failed: %s", tool, args, e.text)
	}
	return e
}

// failed returns the envelope of a call that must fail.
func failedOf(t testing.TB, c *cashtest.Client, tool string, args any) envelope {
	t.Helper()
	e := envelopeOf(t, c.Tool(tool, args))
	if e.OK {
		t.Fatalf("%s %v succeeded: %s", tool, args, e.text)
	}
	return e
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

func toJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "!" + err.Error()
	}
	return string(data)
}

// toolNamed returns a tool of those listed; nil if it is none.
func toolNamed(c *cashtest.Client, name string) *mcp.Tool {
	tools := c.Tools()
	if i := slices.IndexFunc(tools, func(t *mcp.Tool) bool { return t.Name == name }); i >= 0 {
		return tools[i]
	}
	return nil
}

func namesOf(tools []*mcp.Tool) string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

// A shop is the registry of most tests, and counts what runs.
type shop struct {
	*registry.Registry
	runs atomic.Int64
}

type createOrder struct {
	Customer string `json:"customer_id" jsonschema:"Who orders."`
	Items    []item `json:"items" jsonschema:"What is ordered." cash:"minItems=1"`
	Notes    string `json:"notes,omitempty" jsonschema:"For the packers."`
	Channel  string `json:"channel,omitempty" jsonschema:"Sales channel." cash:"advanced"`
}

type item struct {
	Product  string `json:"product_id"`
	Quantity int64  `json:"quantity"`
}

type orderRef struct {
	ID string `json:"order_id" jsonschema:"Number of the order."`
}

type listOrders struct {
	Limit int `json:"limit,omitempty" jsonschema:"Most orders." cash:"min=1,default=2"`
}

// order is what orders.get and orders.list return, at its levels of detail.
type order struct {
	ID       string `json:"order_id" cash:"detail=minimal"`
	Title    string `json:"title" cash:"detail=minimal"`
	Customer string `json:"customer_id" cash:"detail=standard"`
	Notes    string `json:"notes,omitempty" cash:"detail=standard,excerpt=40"`
	Items    []item `json:"items" cash:"detail=full"`
}

type orders struct {
	Orders []order `json:"orders" cash:"detail=minimal"`
	total  int
}

func (o orders) Count() int { return o.total }

func anOrder(n int) order {
	return order{
		ID: fmt.Sprintf("ORD-%d", n), Title: fmt.Sprintf("Order %d", n), Customer: "C-1",
		Notes: strings.Repeat("Handle with care. ", 10), Items: []item{{"P-7", 9007199254740993}},
	}
}

// newShop has orders.{create, list, get, cancel, boom}, orders.retail.refund,
// stock.{count, boom} and the root function ping.
func newShop() *shop {
	s := &shop{Registry: registry.New(nil)}
	boom := func() *registry.Function {
		f := registry.Func("boom", "Panic.", func(context.Context, struct{}) (string, error) { panic("secret value") }, registry.ReadOnly)
		return f
	}
	create := registry.Func("create", "Create an order for a customer.", func(_ context.Context, in createOrder) (order, error) {
		s.runs.Add(1)
		return order{ID: "ORD-9", Title: "Order 9", Customer: in.Customer, Notes: in.Notes, Items: in.Items}, nil
	})
	list := registry.Func("list", "List the orders there are.", func(_ context.Context, in listOrders) (orders, error) {
		s.runs.Add(1)
		all := orders{Orders: []order{}, total: 17}
		for i := range min(in.Limit, all.total) {
			all.Orders = append(all.Orders, anOrder(i))
		}
		return all, nil
	}, registry.ReadOnly)
	get := registry.Func("get", "Get an order.", func(_ context.Context, in orderRef) (order, error) {
		s.runs.Add(1)
		if in.ID != "ORD-1" {
			return order{}, errors.New("there is no such order")
		}
		return anOrder(1), nil
	}, registry.ReadOnly)
	cancel := registry.Func("cancel", "Cancel an order. It cannot be undone.", func(_ context.Context, in orderRef) (string, error) {
		s.runs.Add(1)
		return "cancelled " + in.ID, nil
	}, registry.Destructive(true))
	refund := registry.Func("refund", "Pay money back.", func(_ context.Context, in orderRef) (string, error) {
		s.runs.Add(1)
		return "refunded " + in.ID, nil
	})
	count := registry.Func("count", "Count what is in the warehouse.", func(context.Context, struct{}) (int, error) {
		s.runs.Add(1)
		return 42, nil
	}, registry.ReadOnly)
	ping := registry.Func("ping", "Answer at once.", func(context.Context, struct{}) (string, error) {
		s.runs.Add(1)
		return "pong", nil
	}, registry.ReadOnly)
	s.Namespace("orders", "Create and manage customer orders.").Add(create, list, get, cancel, boom())
	s.Namespace("orders.retail", "Orders of shops.").Add(refund)
	s.Namespace("stock", "What is in the warehouse.").Add(count, boom())
	s.Namespace("", "").Add(ping, boom())
	return s
}

// answering adds a function that gives an answer to namespace n, and returns a
// server.
func answering(res *registry.Result, err error) *facade.Server {
	reg := registry.New(nil)
	f, problem := registry.RawFunc("f", "Answer.", json.RawMessage(`{"type":"object"}`), func(context.Context, json.RawMessage) (*registry.Result, error) {
		return res, err
	})
	if problem != nil {
		panic(problem)
	}
	reg.Namespace("n", "").Add(f)
	return facade.NewServer(reg, nil)
}
