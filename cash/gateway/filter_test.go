package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// The filter of section 3.2, on paths and in queries, and costs on cards (section 2.1).
func TestFilter(t *testing.T) {
	do := func(context.Context, struct{}) (string, error) { return "", nil }
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("ping", "Answer.", do, registry.ReadOnly))
	orders := reg.Namespace("orders", "Orders.")
	orders.Add(registry.Func("get", "Get an order.", do, registry.ReadOnly, registry.CostHint(0.5)), registry.Func("drop", "Drop an order.", do, registry.Destructive(true)),
		registry.Func("pay", "Pay an order.", do, registry.Tags("money", "A B")))
	reg.Namespace("orders.deep.er", "Deep.").Add(registry.Func("refund", "Refund an order.", do, registry.Tags("Money")))
	reg.Namespace("vault", "Vault.", registry.VisibleTo(registry.Roles("staff"))).Add(registry.Func("open", "Open.", do, registry.Tags("money")))
	srv := gateway.NewServer(reg, nil)
	staff := registry.WithCaller(t.Context(), &registry.Caller{ID: "s", Roles: []string{"staff"}})
	for _, tt := range []struct {
		ctx         context.Context
		query, path string
		want        string // names
	}{
		{t.Context(), "", "/*?tag=money", "orders"},
		{staff, "", "/*?tag=money", "orders vault"},
		{t.Context(), "", "/*?tag=read-only", "mcp orders"},
		{t.Context(), "", "/mcp/*?tag=read_only", "ping"},
		{t.Context(), "", "/orders/*?tag=money", "deep pay"},
		{t.Context(), "", "/orders/*?tag=money&tag=a+b", "pay"},
		{t.Context(), "", "/orders/*?tag=A%20B", "pay"},
		{t.Context(), "", "/orders/*?tag=read-only", "get"},
		{t.Context(), "", "/orders/*?tag=destructive", "drop"},
		{t.Context(), "", "/orders/*?tag=none", ""},
		{t.Context(), "", "/orders/*", "deep drop get pay"},
		{t.Context(), "order tag=read-only", "", "get"},
		{t.Context(), "tag=money", "", "pay refund"},
		{staff, "tag=money", "", "open pay refund"},
		{t.Context(), "money", "", "pay refund"},
		{t.Context(), "order tag=none", "", ""},
	} {
		cards, err := srv.Browse(tt.ctx, &gateway.BrowseRequest{Query: tt.query, Path: tt.path})
		var names []string
		for _, c := range cards {
			names = append(names, c.Name)
			if (c.CostHint == 0.5) != (c.Name == "get") {
				t.Errorf("the card is %+v", c)
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); err != nil || got != tt.want {
			t.Errorf("%s%s gives %s, %v, want %s", tt.query, tt.path, got, err, tt.want)
		}
	}
	for _, path := range []string{"/orders?tag=money", "/orders/*?", "/orders/*?tag=", "/orders/*?x=y", "/orders/*?tag=a&x", "/*/orders?tag=a", "/orders/*?tag=%zz", "/orders/*?" + strings.Repeat("tag=a&", 9) + "tag=a"} {
		var e *gateway.Error
		if _, err := srv.Browse(t.Context(), &gateway.BrowseRequest{Path: path}); !errors.As(err, &e) || e.Code != gateway.PathInvalid || e.Path == "" {
			t.Errorf("%s gives %v", path, err)
		}
	}
}

// An id of an older version, or without version or hash, is answered with what there is.
func TestSuggestsByParts(t *testing.T) {
	given := func(name string, id toolid.ID, opts ...registry.FuncOption) *registry.Function {
		f, err := registry.RemoteFunc(name, "Do.", registry.Remote{
			ID:      toolid.Primitive{Kind: toolid.Tool, ID: id},
			Handler: func(context.Context, *registry.Call) (*registry.Result, error) { return registry.TextResult(name), nil },
		}, opts...)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	reg := registry.New(nil)
	reg.Namespace("gh.github", "").Add(given("create_issue", toolid.ID{Namespace: "github", Name: "create-issue", Version: "1.4.0"}),
		given("secret", toolid.ID{Namespace: "github", Name: "secret", Version: "1.4.0"}, registry.VisibleTo(registry.Roles("staff"))))
	srv := gateway.NewServer(reg, nil)
	for _, id := range []string{"github:create-issue@1.3.0", "github:create-issue", "github:create-issue#00000000", " github:create-issue "} {
		_, err := srv.Execute(t.Context(), &gateway.ExecuteRequest{ID: id, Args: json.RawMessage(`{}`)})
		var e *gateway.Error
		if !errors.As(err, &e) || e.Code != gateway.HydrateFailed || !strings.Contains(e.Message, "`github:create-issue@1.4.0`") {
			t.Errorf("%s: %v", id, err)
		}
	}
	_, hidden := srv.Execute(t.Context(), &gateway.ExecuteRequest{ID: "github:secret@1.3.0"})
	_, absent := srv.Execute(t.Context(), &gateway.ExecuteRequest{ID: "github:zecret@1.3.0"})
	if strings.ReplaceAll(hidden.Error(), "secret", "zecret") != absent.Error() {
		t.Errorf("hidden is %v, and absent %v", hidden, absent)
	}
}
