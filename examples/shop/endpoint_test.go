package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
)

// The shop as a command answers one request, on one line, and says with its status
// whether it failed.
func TestEndpointProcess(t *testing.T) {
	stdio := []string{"-stdio"}
	for _, tt := range []struct {
		request string
		exit    int
		want    string
		flags   []string
	}{
		{`{"action":"describe_tool","tool":"crm.find"}`, 0, `{"type":"result","tool":{"name":"crm.find"`, nil},
		{`{"action":"list_tools"}`, 0, `{"type":"result","tools":[{"name":"crm.find"`, stdio},
		{`{"action":"call_tool","tool":"orders.get","arguments":{"order_id":"ORD-1001"}}`, 0, `{"type":"result","tool":"orders.get","result":{"order_id":"ORD-1001"`, stdio},
		{`{"action":"call_tool","tool":"orders.get","arguments":{"order_id":"ORD-1"}}`, 1, "Use `call_tool` with the tool `orders.list` with filters", stdio},
		{`{"action":"nothing"}`, 1, `{"type":"error","error":{"name":"shop","category":"usage"`, stdio},
		{``, 1, `{"type":"error"`, stdio},
	} {
		t.Run(tt.request, func(t *testing.T) {
			var out, errs bytes.Buffer
			cmd := command(t, append([]string{"-face", "endpoint"}, tt.flags...)...)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(tt.request), &out, &errs
			_ = cmd.Run() // the status is looked at
			if code := cmd.ProcessState.ExitCode(); code != tt.exit || errs.Len() > 0 {
				t.Errorf("exit code %d, errors %q; want %d and nothing", code, errs.String(), tt.exit)
			}
			if !strings.Contains(out.String(), tt.want) || !json.Valid(out.Bytes()) || strings.Count(out.String(), "\n") != 1 {
				t.Errorf("out %q, want %q", out.String(), tt.want)
			}
		})
	}
}

// A client of package endpoint finds the shop in the command.
func TestEndpointClient(t *testing.T) {
	cmd := command(t)
	client, err := endpoint.NewClient(endpoint.Command{Path: cmd.Path, Args: []string{"-face", "endpoint", "-stdio"}, Env: []string{asShop + "=1"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := client.List(t.Context())
	if err != nil || len(tools) != 14 {
		t.Fatalf("%d tools, %v", len(tools), err)
	}
	result, err := client.Call(t.Context(), "inventory.check", json.RawMessage(`{"product_id":"P-7","quantity":3}`))
	if err != nil || !strings.Contains(string(result), `"unit_price":12.50`) {
		t.Errorf("%s, %v", result, err)
	}
}
