package cash_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestOptionsInError holds that all faces panic on the same mistake in the same way,
// with the line that makes it, and that Check says so before.
func TestOptionsInError(t *testing.T) {
	reg := registry.New(nil)
	bad := serve.Options{Hint: strings.Repeat("é", 201)}
	for name, construct := range map[string]func(){
		"cash":       func() { cash.NewServer(reg, &cash.Options{Serve: bad}) },
		"gateway":    func() { gateway.NewServer(reg, &gateway.Options{Serve: bad}) },
		"disclosure": func() { disclosure.NewServer(reg, &disclosure.Options{Serve: bad}) },
		"facade":     func() { facade.NewServer(reg, &facade.Options{Serve: bad}) },
		"plain":      func() { plain.NewServer(reg, &plain.Options{Serve: bad}) },
	} {
		func() {
			defer func() {
				text, _ := recover().(string)
				if !regexp.MustCompile(`^` + name + `: the option Hint has 201 characters, at most 200 are allowed \(.*options_test\.go:\d+\)$`).MatchString(text) {
					t.Errorf("%s: %q", name, text)
				}
			}()
			construct()
		}()
	}
	for name, check := range map[string]func() error{
		"cash":       (&cash.Options{Serve: bad}).Check,
		"size limit": (&cash.Options{SizeLimit: -1}).Check,
		"gateway":    (&gateway.Options{Serve: bad}).Check,
		"cards":      (&gateway.Options{TopK: gateway.MaxTopK + 1}).Check,
		"disclosure": (&disclosure.Options{Serve: bad}).Check,
		"facade":     (&facade.Options{Serve: bad}).Check,
		"root":       (&facade.Options{Root: "a.b"}).Check,
		"shared":     bad.Check,
	} {
		if check() == nil {
			t.Errorf("%s: taken", name)
		}
	}
	for name, check := range map[string]func() error{
		"cash": (*cash.Options)(nil).Check, "gateway": (*gateway.Options)(nil).Check, "disclosure": (*disclosure.Options)(nil).Check,
		"facade": (*facade.Options)(nil).Check, "shared": (*serve.Options)(nil).Check, "empty": new(serve.Options).Check,
	} {
		if err := check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
