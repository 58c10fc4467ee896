package registry_test

import (
	"context"
	"slices"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// redacted shows another description for each function.
type redacted struct{ registry.Source }

func (r redacted) List(ctx context.Context, path string) (*registry.Listing, error) {
	l, err := r.Source.List(ctx, path)
	if err != nil {
		return nil, err
	}
	shown := *l
	shown.Functions = nil
	for _, f := range l.Functions {
		shown.Functions = append(shown.Functions, f.With("Redacted."))
	}
	return &shown, nil
}

// What a wrapper changes in its copies is what is searched there, and nowhere
// else, whoever searches first.
func TestSearchOfCopies(t *testing.T) {
	ctx := context.Background()
	for _, first := range []string{"wrapper", "registry"} {
		reg := registry.New(nil)
		reg.Namespace("vault", "").Add(tool("fetch", "Read the launch codes."))
		sources := map[string]registry.Source{"wrapper": redacted{plain{reg}}, "registry": reg}
		found(ctx, sources[first], "anything", 5)
		for name, want := range map[string]string{"wrapper": "redacted", "registry": "launch codes"} {
			other := map[string]string{"wrapper": "launch codes", "registry": "redacted"}[name]
			if got := found(ctx, sources[name], want, 5); !slices.Equal(got, []string{"vault.fetch"}) {
				t.Errorf("%s first: %s finds %v by %q", first, name, got, want)
			}
			if got := found(ctx, sources[name], other, 5); got != nil {
				t.Errorf("%s first: %s finds %v by %q", first, name, got, other)
			}
		}
	}
}

// holes lists a nil function, and nothing in one namespace.
type holes struct{ registry.Source }

func (h holes) List(ctx context.Context, path string) (*registry.Listing, error) {
	if path == "gone" {
		return nil, nil
	}
	l, err := h.Source.List(ctx, path)
	if err != nil {
		return nil, err
	}
	kept := *l
	kept.Functions = append([]*registry.Function{nil}, l.Functions...)
	return &kept, nil
}

// What is missing in a source's listings does not hide the rest from searches.
func TestSearchThroughHoles(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("orders", "").Add(tool("create", "Create an order."))
	reg.Namespace("gone", "").Add(tool("create", "Create nothing."))
	guarded := registry.NewPipeline(holes{plain{reg}}, nil).Source()
	if got := found(context.Background(), guarded, "create an order", 5); !slices.Equal(got, []string{"orders.create"}) {
		t.Errorf("found %v", got)
	}
}

// A search below a namespace is one of what is there: what is elsewhere is not
// found and does not count.
func TestSearchNamespace(t *testing.T) {
	ctx := context.Background()
	reg, only := registry.New(nil), registry.New(nil)
	for _, r := range []*registry.Registry{reg, only} {
		r.Namespace("shop.orders", "").Add(tool("create", "Create an order."), tool("list", "List orders."))
		r.Namespace("shop.orders.retail", "").Add(tool("refund", "Pay back an order."))
	}
	reg.Namespace("", "").Add(tool("order", "Order, order, order."))
	reg.Namespace("shop", "").Add(tool("orders", "All about an order."))
	reg.Namespace("shop.order", "").Add(tool("order", "Order an order."))
	for _, query := range []string{"order", "create order", "ordr", "refund", "cats"} {
		want := only.Search(ctx, query, 9)
		for name, src := range map[string]registry.Source{"registry": reg, "walked": plain{reg}, "guarded": registry.NewPipeline(plain{reg}, nil).Source()} {
			if got := registry.Search(ctx, src, "Shop.Orders", query, 9); !slices.Equal(got, want) {
				t.Errorf("%s: %q finds %v, want %v", name, query, got, want)
			}
		}
	}
	if got := registry.Search(ctx, reg, "nowhere", "order", 9); got != nil {
		t.Errorf("an unknown namespace has %v", got)
	}
}
