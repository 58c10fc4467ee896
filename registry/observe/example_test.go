package observe_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// lines prints one line for each call.
type lines struct{}

func (lines) Begin(ctx context.Context, _ *observe.Request) context.Context { return ctx }

func (lines) End(_ context.Context, r *observe.Request) {
	if r.Method == "tools/call" {
		fmt.Printf("%-4s %-13s %s\n", r.Tool, r.Function, r.Outcome)
	}
}

type order struct {
	Product  string `json:"product" jsonschema:"Product number."`
	Quantity int    `json:"quantity" jsonschema:"How many." cash:"min=1"`
}

// A hook sees a model that guesses arguments, until it reads the help.
func Example() {
	reg := registry.New(nil)
	reg.Namespace("orders", "Orders of customers.").Add(registry.Func("create", "Create an order.",
		func(context.Context, order) (string, error) { return "ordered", nil }))
	srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{Observe: lines{}}})

	ctx := context.Background()
	ours, theirs := mcp.NewInMemoryTransports()
	go srv.Run(ctx, theirs)
	model, err := mcp.NewClient(&mcp.Implementation{Name: "model"}, nil).Connect(ctx, ours, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	for _, use := range [][2]string{
		{"call", `{"namespace":"orders","function":"make"}`},
		{"call", `{"namespace":"orders","function":"create","kwargs":{"item":"P-7"}}`},
		{"call", `{"namespace":"orders","function":"create","kwargs":{"product":"P-7"}}`},
		{"call", `{"namespace":"orders","function":"create","kwargs":{"product":"P-7","quantity":0}}`},
		{"help", `{"namespace":"orders","function":"create"}`},
		{"call", `{"namespace":"orders","function":"create","kwargs":{"product":"P-7","quantity":1}}`},
	} {
		if _, err := model.CallTool(ctx, &mcp.CallToolParams{Name: use[0], Arguments: json.RawMessage(use[1])}); err != nil {
			log.Fatal(err)
		}
	}
	st := srv.Stats().Requests
	fmt.Println("invalid:", st["INVALID_ARGUMENTS"], "unknown:", st["UNKNOWN_FUNCTION"])

	// Output:
	// call               UNKNOWN_FUNCTION
	// call orders.create INVALID_ARGUMENTS
	// call orders.create INVALID_ARGUMENTS
	// call orders.create INVALID_ARGUMENTS
	// help               ok
	// call orders.create ok
	// invalid: 3 unknown: 1
}
