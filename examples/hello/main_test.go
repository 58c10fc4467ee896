package main

import (
	"os"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
)

func TestServer(t *testing.T) {
	client := cashtest.Connect(t, newServer(new(Shop)))
	created := client.Call("orders", "create", map[string]any{"customerID": "C-42", "items": []any{map[string]any{"product_id": "P-7", "quantity": 3}}})
	if want := `{"order_id":"ORD-1","customer_id":"C-42","priority":"normal"}`; created.Text != want || created.IsError {
		t.Errorf("create: %s", created.Text)
	}
	if listed := client.Call("orders", "list", nil); listed.Text != "["+created.Text+"]" {
		t.Errorf("list: %s", listed.Text)
	}
	if refused := client.Call("orders", "create", map[string]any{"customer_id": "C-42", "items": []any{}}); !refused.IsError {
		t.Errorf("an order without items: %s", refused.Text)
	}
	if skill := client.Tool("skill", map[string]any{"namespace": "orders", "skillname": "reorder", "kwargs": map[string]any{"customer_id": "C-42"}}); !strings.Contains(skill.Text, "# Reorder for C-42") {
		t.Errorf("skill: %s", skill.Text)
	}
}

// TestReadme holds the README to what compiles.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, ok := strings.Cut(string(source), "\n)\n\n") // after the imports
	if !ok || !strings.Contains(string(readme), "```go\n"+body+"```\n") {
		t.Error("README.md does not quote main.go as it is")
	}
}
