package cash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

// The work: an order of three items with a note, answered with the order.

type benchItem struct {
	ProductID string `json:"product_id" jsonschema:"Product."`
	Quantity  int    `json:"quantity" jsonschema:"How many." cash:"min=1"`
}

type benchCreate struct {
	CustomerID string      `json:"customer_id" jsonschema:"Unique customer identifier."`
	Items      []benchItem `json:"items" jsonschema:"Line items; each has product_id and quantity." cash:"minItems=1"`
	Notes      string      `json:"notes,omitempty" jsonschema:"Free-text notes."`
}

type benchLine struct {
	ProductID string  `json:"product_id"`
	Quantity  int     `json:"quantity"`
	UnitPrice float64 `json:"unit_price"`
}

type benchOrder struct {
	OrderID    string      `json:"order_id"`
	Status     string      `json:"status"`
	CustomerID string      `json:"customer_id"`
	Items      []benchLine `json:"items"`
	Total      float64     `json:"total"`
	Notes      string      `json:"notes,omitempty"`
}

func create(_ context.Context, in benchCreate) (benchOrder, error) {
	o := benchOrder{OrderID: "ORD-5822", Status: "confirmed", CustomerID: in.CustomerID, Notes: in.Notes, Items: make([]benchLine, len(in.Items))}
	for i, it := range in.Items {
		o.Items[i] = benchLine{it.ProductID, it.Quantity, 12.5}
		o.Total += 12.5 * float64(it.Quantity)
	}
	return o, nil
}

const benchArgs = `{"customer_id":"C-42","items":[{"product_id":"P-7","quantity":3},{"product_id":"P-11","quantity":1},{"product_id":"P-23","quantity":12}],"notes":"Leave the parcel with the neighbours."}`

func benchRegistry() *registry.Registry {
	reg := registry.New(nil)
	reg.Namespace("orders", "Create and manage customer orders.").Add(registry.Func("create", "Create a new order for a customer.", create))
	return reg
}

func benchServer() *cash.Server { return cash.NewServer(benchRegistry(), nil) }

func rawCreate(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in benchCreate
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	out, err := create(ctx, in)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(data)}}}, nil
}

// BenchmarkCall compares a round trip in memory: the SDK's raw handler, its
// generic one, and call.
func BenchmarkCall(b *testing.B) {
	raw := mcp.NewServer(&mcp.Implementation{Name: "raw"}, nil)
	raw.AddTool(&mcp.Tool{Name: "create", InputSchema: json.RawMessage(`{"type":"object"}`)}, rawCreate)
	typed := mcp.NewServer(&mcp.Implementation{Name: "typed"}, nil)
	mcp.AddTool(typed, &mcp.Tool{Name: "create"}, func(ctx context.Context, _ *mcp.CallToolRequest, in benchCreate) (*mcp.CallToolResult, benchOrder, error) {
		out, err := create(ctx, in)
		return nil, out, err
	})
	args := json.RawMessage(benchArgs)
	for _, bb := range []struct {
		name    string
		session func(testing.TB) *mcp.ClientSession
		params  mcp.CallToolParams
	}{
		{"sdk-raw", func(b testing.TB) *mcp.ClientSession { return connectSDK(b, raw) }, mcp.CallToolParams{Name: "create", Arguments: args}},
		{"sdk-typed", func(b testing.TB) *mcp.ClientSession { return connectSDK(b, typed) }, mcp.CallToolParams{Name: "create", Arguments: args}},
		{"cash", func(b testing.TB) *mcp.ClientSession { return connect(b, b.Context(), benchServer()) }, mcp.CallToolParams{Name: "call",
			Arguments: json.RawMessage(`{"namespace":"orders","function":"create","kwargs":` + benchArgs + `}`)}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			session := bb.session(b)
			b.ReportAllocs()
			for b.Loop() {
				params := bb.params
				res, err := session.CallTool(b.Context(), &params)
				if err != nil || res.IsError {
					b.Fatal(res, err)
				}
			}
		})
	}
}

func connectSDK(b testing.TB, srv *mcp.Server) *mcp.ClientSession {
	b.Helper()
	near, far := mcp.NewInMemoryTransports()
	if _, err := srv.Connect(b.Context(), far, nil); err != nil {
		b.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "bench"}, nil).Connect(b.Context(), near, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { session.Close() })
	return session
}

// BenchmarkServerCall compares [cash.Server.Call] with the handler between
// encoding/json both ways.
func BenchmarkServerCall(b *testing.B) {
	b.Run("handler", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var in benchCreate
			if err := json.Unmarshal([]byte(benchArgs), &in); err != nil {
				b.Fatal(err)
			}
			out, _ := create(b.Context(), in)
			if _, err := json.Marshal(out); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cash", func(b *testing.B) {
		srv := benchServer()
		req := &cash.CallRequest{Namespace: "orders", Function: "create", Kwargs: json.RawMessage(benchArgs)}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := srv.Call(b.Context(), req); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkHelp renders the pages of the three levels without a transport, over 10,000 functions.
func BenchmarkHelp(b *testing.B) {
	reg := registry.New(nil)
	for i := range 100 {
		ns := reg.Namespace(fmt.Sprintf("team%d", i), "Everything that this team offers to the others, in one place.")
		for j := range 100 {
			ns.Add(registry.Func(fmt.Sprintf("create%d", j), "Create a new order for a customer, and tell them about it.", create))
		}
	}
	srv := cash.NewServer(reg, nil)
	for _, level := range []struct {
		name string
		req  cash.HelpRequest
	}{
		{"index", cash.HelpRequest{}},
		{"namespace", cash.HelpRequest{Namespace: "team7"}},
		{"function", cash.HelpRequest{Namespace: "team7", Function: "create7"}},
		{"index-json", cash.HelpRequest{Kwargs: json.RawMessage(`{"format":"json"}`)}},
		{"namespace-json", cash.HelpRequest{Namespace: "team7", Kwargs: json.RawMessage(`{"format":"json"}`)}},
		{"function-json", cash.HelpRequest{Namespace: "team7", Function: "create7", Kwargs: json.RawMessage(`{"format":"json","params":"full"}`)}},
	} {
		b.Run(level.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := srv.Help(b.Context(), &level.req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
