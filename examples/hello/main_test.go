package main

import (
	"os"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
)

func TestServer(t *testing.T) {
	client := cashtest.Connect(t, newServer())
	if got := client.Call("shop", "quote", map[string]any{"product": "cup", "quantity": 3}).OK(); got.Text != `{"cents":1350}` {
		t.Errorf("three cups: %s", got.Text)
	}
	if got := client.Call("shop", "quote", map[string]any{"product": "plate"}).OK(); got.Text != `{"cents":700}` {
		t.Errorf("one plate: %s", got.Text)
	}
	if got := client.Call("shop", "prices", nil).OK(); got.Text != `{"cup":450,"plate":700}` {
		t.Errorf("prices: %s", got.Text)
	}
	if got := client.Call("shop", "quote", map[string]any{"product": "fork"}); !got.IsError || !strings.Contains(got.Text, "product") {
		t.Errorf("what is not sold: %s", got.Text)
	}
}

// The README has the program whole.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```go\n"+string(source)+"```\n") {
		t.Error("README.md does not quote main.go as it is")
	}
}
