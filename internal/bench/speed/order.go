package main

import (
	"context"
	"encoding/json"
	"strings"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpgoserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// The work of a call: an order of three items with a note, answered with the order as JSON.

type item struct {
	ProductID string `json:"product_id" jsonschema:"Product."`
	Quantity  int    `json:"quantity" jsonschema:"How many." cash:"min=1"`
}

type order struct {
	CustomerID string `json:"customer_id" jsonschema:"Unique customer identifier."`
	Items      []item `json:"items" jsonschema:"Line items; each has product_id and quantity." cash:"minItems=1"`
	Notes      string `json:"notes,omitempty" jsonschema:"Free-text notes."`
}

type line struct {
	ProductID string  `json:"product_id"`
	Quantity  int     `json:"quantity"`
	UnitPrice float64 `json:"unit_price"`
}

type confirmed struct {
	OrderID    string  `json:"order_id"`
	Status     string  `json:"status"`
	CustomerID string  `json:"customer_id"`
	Items      []line  `json:"items"`
	Total      float64 `json:"total"`
	Notes      string  `json:"notes,omitempty"`
}

// orderID is in every right answer.
const orderID = "ORD-5822"

const orderArgs = `{"customer_id":"C-42","items":[{"product_id":"P-7","quantity":3},{"product_id":"P-11","quantity":1},` +
	`{"product_id":"P-23","quantity":12}],"notes":"Leave the parcel with the neighbours."}`

const callArgs = `{"namespace":"orders","function":"create","kwargs":` + orderArgs + `}`

func create(_ context.Context, in order) (confirmed, error) {
	o := confirmed{OrderID: orderID, Status: "confirmed", CustomerID: in.CustomerID, Notes: in.Notes, Items: make([]line, len(in.Items))}
	for i, it := range in.Items {
		o.Items[i] = line{it.ProductID, it.Quantity, 12.5}
		o.Total += 12.5 * float64(it.Quantity)
	}
	return o, nil
}

// byHand is create between encoding/json both ways.
func byHand(ctx context.Context, args []byte) ([]byte, error) {
	var in order
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, err
	}
	out, err := create(ctx, in)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

func orders() *registry.Registry {
	reg := registry.New(nil)
	reg.Namespace("orders", "Create and manage customer orders.").Add(
		registry.Func("create", "Create a new order for a customer.", create))
	return reg
}

// rawSDK serves create by the SDK's Server.AddTool.
func rawSDK() *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "raw", Version: "1"}, nil)
	srv.AddTool(&mcp.Tool{Name: "create", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			data, err := byHand(ctx, req.Params.Arguments)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(data)}}}, err
		})
	return srv
}

// genericSDK serves create by the SDK's AddTool.
func genericSDK() *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "generic", Version: "1"}, nil)
	mcp.AddTool(srv, &mcp.Tool{Name: "create"},
		func(ctx context.Context, _ *mcp.CallToolRequest, in order) (*mcp.CallToolResult, confirmed, error) {
			out, err := create(ctx, in)
			return nil, out, err
		})
	return srv
}

// typedMCPGo serves create by a typed handler of mcp-go.
func typedMCPGo() *mcpgoserver.MCPServer {
	srv := mcpgoserver.NewMCPServer("mcpgo", "1", mcpgoserver.WithToolCapabilities(false))
	srv.AddTool(mcpgo.NewTool("create", mcpgo.WithDescription("Create a new order for a customer."), mcpgo.WithInputSchema[order]()),
		mcpgo.NewTypedToolHandler(func(ctx context.Context, _ mcpgo.CallToolRequest, in order) (*mcpgo.CallToolResult, error) {
			out, err := create(ctx, in)
			if err != nil {
				return nil, err
			}
			return mcpgo.NewToolResultJSON(out)
		}))
	return srv
}

// holds fails without the text that a right answer has.
func holds(answer, text string) error {
	if !strings.Contains(answer, text) {
		return &wrongError{answer}
	}
	return nil
}

type wrongError struct{ answer string }

func (e *wrongError) Error() string { return "a wrong answer: " + e.answer[:min(len(e.answer), 500)] }
