package cashotel_test

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/cash-mcp/go-sdk/cash"
	cashotel "github.com/cash-mcp/go-sdk/cash/otel"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

func Example() {
	spans := tracetest.NewSpanRecorder() // in place of an exporter
	hook := cashotel.New(&cashotel.Options{TracerProvider: trace.NewTracerProvider(trace.WithSpanProcessor(spans))})

	reg := registry.New(nil)
	reg.Namespace("orders", "Orders of customers.").Add(registry.Func("create", "Create an order.", create))
	srv := cash.NewServer(reg, &cash.Options{Name: "shop", Serve: serve.Options{Observe: hook}})

	ctx := context.Background()
	_, _ = srv.Call(ctx, &cash.CallRequest{Namespace: "orders", Function: "create", Kwargs: []byte(`{"item":"cup"}`)})
	_, _ = srv.Call(ctx, &cash.CallRequest{Namespace: "orders", Function: "create"})
	for _, s := range spans.Ended() {
		attributes := attribute.NewSet(s.Attributes()...)
		outcome, _ := attributes.Value("cash.outcome")
		fmt.Println(s.Name()+":", outcome.AsString())
	}
	// Output:
	// tools/call orders.create: ok
	// tools/call orders.create: INVALID_ARGUMENTS
}
