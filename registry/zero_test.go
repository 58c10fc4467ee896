package registry_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	face "github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/registry"
)

// The zero value is an empty registry.
func TestZeroRegistry(t *testing.T) {
	var read, written, replaced registry.Registry
	if l, err := read.List(t.Context(), ""); err != nil || len(l.Functions)+len(l.Namespaces) != 0 || read.Instance() == "" || read.Instance() == written.Instance() {
		t.Errorf("%+v, %v, instance %q", l, err, read.Instance())
	}
	written.Namespace("a.b", "B.").Add(registry.Func("f", "F.", nothingTo))
	if err := replaced.Replace("c", &written); err != nil {
		t.Fatal(err)
	}
	for _, reg := range []*registry.Registry{&written, &replaced} {
		n := 0
		for range reg.All() {
			n++
		}
		if n != 1 {
			t.Errorf("%d functions", n)
		}
	}
}

// No face serves nothing at all.
func TestNoSource(t *testing.T) {
	var none *registry.Registry
	for _, src := range []registry.Source{nil, none} {
		for name, serve := range map[string]func(){
			"cash":       func() { cash.NewServer(src, nil) },
			"gateway":    func() { gateway.NewServer(src, nil) },
			"plain":      func() { face.NewServer(src, nil) },
			"disclosure": func() { disclosure.NewServer(src, nil) },
			"facade":     func() { facade.NewServer(src, nil) },
			"endpoint":   func() { endpoint.New(src, nil) },
		} {
			func() {
				defer func() {
					if reason := fmt.Sprint(recover()); !strings.Contains(reason, "the source to serve is nil") || !strings.Contains(reason, "zero_test.go:") {
						t.Errorf("%s: %s", name, reason)
					}
				}()
				serve()
			}()
		}
	}
}
