package registry_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// TestAbout holds what is said of a function without a description: nothing of its parameters but their number.
func TestAbout(t *testing.T) {
	type two struct{ CustomerID, Notes string }
	never := func(context.Context, struct{}) (string, error) { return "", nil }
	with := func(schema string) *registry.Function {
		f, err := registry.RawFunc("get", "", json.RawMessage(schema), func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil })
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, tt := range []struct {
		f    *registry.Function
		want string
	}{
		{registry.Func("f", "Create.\nMore.", never), "Create.\nMore."},
		{registry.Func("f", "## Create\nMore.", never), "Create\nMore."},
		{registry.Func("f", "#42", never), "#42"},
		{registry.Func("createOrder", "\u200b\n", never), "Create order; takes no parameters."},
		{registry.Func("customer_update", "#", func(context.Context, two) (string, error) { return "", nil }), "Customer update; takes 2 parameters."},
		{with(`{"type":"object","properties":{"id":{}}}`), "Get; takes 1 parameter."},
		{with(`{"type":"object"}`), "Get; takes any arguments."},
	} {
		if got := tt.f.About(); got != tt.want {
			t.Errorf("About of %q: got %q, want %q", tt.f.Description(), got, tt.want)
		}
	}
	reg := registry.New(nil)
	reg.Namespace("crm", "").AddSkill(registry.NewSkill("refund-order", "", "Do it."), registry.NewSkill("ship", "# Ship it", "Do it."))
	l, err := reg.List(t.Context(), "crm")
	if err != nil || l.Skills[0].About() != "How to refund order." || l.Skills[1].About() != "Ship it" {
		t.Errorf("%+v, %v", l, err)
	}
	if l, err = reg.List(t.Context(), ""); err != nil || l.Namespaces[0].About() != "What crm can do." {
		t.Errorf("%+v, %v", l, err)
	}
}

// TestSummary holds which texts are one short line, and that another description drops the line of the one before.
func TestSummary(t *testing.T) {
	never := func(context.Context, struct{}) (string, error) { return "", nil }
	f := registry.Func("f", "Create. More.", never, registry.Summary("Create one. Cannot be undone."))
	if f.Summary() != "Create one. Cannot be undone." || f.Description() != "Create. More." || f.In("a").Summary() != f.Summary() {
		t.Errorf("%q, %q", f.Summary(), f.Description())
	}
	if got := registry.Func("f", "Create.", never).Summary(); got != "" {
		t.Errorf("without the option: %q", got)
	}
	for _, tt := range []struct {
		g    *registry.Function
		want string
	}{
		{f.With(""), f.Summary()},
		{f.With("", registry.ReadOnly), f.Summary()},
		{f.With("Other."), ""},
		{f.With("Other.", registry.Summary("Another.")), "Another."},
	} {
		if got := tt.g.Summary(); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.g.Description(), got, tt.want)
		}
	}
	registry.Func("f", "", never, registry.Summary(strings.Repeat("é", 200)))
	for _, bad := range []string{"", " ", "a\nb", " a", "a  b", "a\u202eb", "a\x1b[1mb", "a\xff", strings.Repeat("é", 201)} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, "Summary: ") || !strings.Contains(text, "about_test.go:") {
					t.Errorf("%q: %q", bad, text)
				}
			}()
			registry.Func("f", "", never, registry.Summary(bad))
		}()
	}
}
