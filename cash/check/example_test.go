package check_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cash-mcp/go-sdk/cash/check"
)

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
