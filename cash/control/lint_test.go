package control_test

import (
	"context"
	"slices"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// What controls say of functions that are not there is found, and nothing else is.
func TestLint(t *testing.T) {
	done := func(context.Context, struct{}) (string, error) { return "", nil }
	tools, resources := registry.New(nil), registry.New(nil)
	tools.Namespace("orders.retail", "").Add(registry.Func("deleteAll", "", done, registry.Destructive(true), registry.VisibleTo(registry.Roles("boss"))),
		registry.Func("list", "", done, registry.ReadOnly, registry.Tags("cheap")))
	f, err := registry.RemoteFunc("readme", "", registry.Remote{
		ID:      toolid.Primitive{Kind: toolid.Resource, ID: toolid.ID{Namespace: "files", Name: "readme", Version: "1.0.0"}},
		Handler: func(context.Context, *registry.Call) (*registry.Result, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	resources.Namespace("files", "").Add(f)
	id := func(path, name string) string {
		f, err := tools.Function(registry.WithCaller(t.Context(), &registry.Caller{ID: "b", Roles: []string{"boss"}}), path, name)
		if err != nil {
			t.Fatal(err)
		}
		return f.ID().String()
	}
	limit := control.Limit{PerMinute: 1}
	for name, tt := range map[string]struct {
		rules []control.Rule
		quota []string
		cache []string
		want  []string
	}{
		"right": {
			rules: []control.Rule{
				{Decision: control.Deny, Anonymous: true}, {Decision: control.Deny, Roles: []string{"boss"}},
				{Decision: control.Deny, Namespaces: []string{"Orders"}}, {Decision: control.Deny, Tools: []string{"**.delete*"}},
				{Decision: control.Deny, IDs: []string{id("orders.retail", "list")}}, {Decision: control.Deny, Tags: []string{"cheap"}},
				{Decision: control.Deny, Classes: []control.Class{control.Destructive}}, {Decision: control.Deny, Kinds: []toolid.Kind{toolid.Resource}},
			},
			quota: []string{"orders.retail.delete_all", id("orders.retail", "list")}, cache: []string{"orders.retail.list"},
		},
		"wrong": {
			rules: []control.Rule{
				{Decision: control.Deny, Namespaces: []string{"orders", "orders.retial"}}, {Decision: control.Deny, Tools: []string{"*.delete*"}},
				{Decision: control.Deny, IDs: []string{"orders:retail.lst#00000000"}}, {Decision: control.Deny, Tags: []string{"dear"}},
				{Decision: control.Deny, Namespaces: []string{"orders.retail"}, Kinds: []toolid.Kind{toolid.Prompt}, Roles: []string{"boss"}},
				{Decision: control.Deny, Roles: []string{"bos", "boss"}}, {Decision: control.Allow, Roles: []string{"bos"}, Callers: []string{"x"}},
			},
			quota: []string{"orders.list"}, cache: []string{"orders.retail"},
			want: []string{
				`policy rule 0: no function matches the namespace "orders.retial" (unmatched-rule)`,
				`policy rule 1: no function matches the tool "*.delete*" (unmatched-rule)`,
				`policy rule 2: no function matches the id "orders:retail.lst#00000000" (unmatched-rule)`,
				`policy rule 3: no function matches the tag "dear" (unmatched-rule)`,
				`policy rule 4: no function matches all that it wants (unmatched-rule)`,
				`policy rule 5: no function or namespace is shown or hidden by the role "bos" (unmatched-role)`,
				`policy rule 6: no function or namespace is shown or hidden by the role "bos" (unmatched-role)`,
				`quota: there is no function "orders.list" (unmatched-key)`,
				`cache: there is no function "orders.retail" (unmatched-key)`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			limits := make(map[string]control.Limit)
			for _, key := range tt.quota {
				limits[key] = limit
			}
			c := &control.Controls{
				Policy: control.NewPolicy(&control.PolicyOptions{Rules: tt.rules}),
				Quota:  control.NewQuota(&control.QuotaOptions{Tools: limits}),
				Cache:  control.NewCache(&control.CacheOptions{Allow: tt.cache}),
			}
			var got []string
			for _, f := range c.Lint(tools, resources) {
				got = append(got, f.String())
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("found\n%q\nwant\n%q", got, tt.want)
			}
		})
	}
	open := registry.New(nil) // where roles are the policy's alone
	open.Namespace("orders", "").Add(registry.Func("list", "", done))
	policy := &control.Controls{Policy: control.NewPolicy(&control.PolicyOptions{Rules: []control.Rule{{Decision: control.Deny, Roles: []string{"guest"}}}})}
	if found := policy.Lint(open); len(found) > 0 {
		t.Errorf("%v", found)
	}
	var none *control.Controls
	if found := append(none.Lint(tools), new(control.Controls).Lint(tools)...); len(found) > 0 {
		t.Errorf("%v", found)
	}
}
