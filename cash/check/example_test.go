package check_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/registry"
)

// A server at a URL is compared with the specification.
func ExampleCompliance() {
	reg := registry.New(nil)
	reg.Namespace("orders", "Create and manage orders.").Add(registry.Func("count", "Count the orders.",
		func(context.Context, struct{}) (string, error) { return "42 orders", nil }))
	web := httptest.NewServer(cash.NewServer(reg, nil).Handler())
	defer web.Close()

	report, err := check.Compliance(context.Background(), check.Target{
		Transport: func() mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: web.URL} },
		Read:      &check.Sample{Namespace: "orders", Function: "count"},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range report.Rows[:3] {
		fmt.Printf("%s %s: %s\n", row.Name, row.Status, row.Title)
	}
	fmt.Println(len(report.Failed()), "failed")
	// Output:
	// R1 passed: tools are named call, help and skill
	// R2 passed: there are no further tools
	// R3 passed: call declares its parameters
	// 0 failed
}

// A server in this process, which speaks over two pipes, is attacked.
func ExampleHostile() {
	server := &fake{fault: says("cannot unmarshal into *mcp.GetTaskParams")}
	report, err := check.Hostile(context.Background(), check.HostileTarget{
		Serve: server.serve, Versions: []string{"2025-11-25"}, Requests: 300,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range report.Failed() {
		fmt.Printf("%s: not so: %s\n", row.Name, row.Title)
	}
	// Output:
	// pipe/2025-11-25/inside: not so: no error tells how the server is made
}
