package plain_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// TestFitTokens: the estimate is near to what the definitions cost. The same of
// real servers is tested in internal/bench/tokens, which has their catalogs.
func TestFitTokens(t *testing.T) {
	for name, src := range map[string]registry.Source{"an area": areas(1, 9), "areas": areas(8, 10)} {
		a, err := plain.Fit(t.Context(), src, plain.Client{})
		if err != nil {
			t.Fatal(err)
		}
		exact, functions := 0, 0
		err = registry.Walk(t.Context(), src, "", func(l *registry.Listing) error {
			for _, f := range l.Functions {
				definition, err := json.Marshal(map[string]any{"name": f.FlatName(), "description": f.Description(), "inputSchema": f.InputSchema()})
				if err != nil {
					return err
				}
				functions++
				exact += card.CL100K().Count(string(definition), math.MaxInt)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if a.Tools != functions || math.Abs(float64(a.Tokens-exact)) > 0.15*float64(exact) {
			t.Errorf("%s: %d tools for %d tokens, want %d for %d", name, a.Tools, a.Tokens, functions, exact)
		}
	}
}

type report struct {
	ID     string   `json:"id" jsonschema:"Id of the report, such as a search returns."`
	Since  string   `json:"since,omitempty" jsonschema:"Only what was changed at this time or later." cash:"format=date-time"`
	Fields []string `json:"fields,omitempty" jsonschema:"Names of the fields to return. Without it, all of them."`
	Limit  int      `json:"limit,omitempty" jsonschema:"Most to return." cash:"min=1,max=200,default=25"`
}

// areas are n top-level namespaces of so many functions each.
func areas(n, each int) *registry.Registry {
	reg := registry.New(nil)
	for i := range n {
		for j := range each {
			reg.Namespace(fmt.Sprintf("area%d", i), "An area.").Add(registry.Func(fmt.Sprintf("report%d", j),
				"Get a report of the area, with the numbers of the last quarter.", func(context.Context, report) (string, error) { return "", nil }))
		}
	}
	return reg
}

// TestFit: which face fits, by number, cost, shape and client.
func TestFit(t *testing.T) {
	rooted := areas(3, 10)
	raw(rooted, "", "ping", nothing)
	deep := areas(3, 10)
	raw(deep, "area1.below.that", "more", nothing)
	for _, tt := range []struct {
		name   string
		src    registry.Source
		client plain.Client
		want   plain.Face
		reason string
	}{
		{"nothing", registry.New(nil), plain.Client{}, plain.Plain, "0 tokens"},
		{"nothing, with all wishes", registry.New(nil), plain.Client{LargeResults: true, ReadsResources: true, Calls: 9}, plain.Plain, ""},
		{"a handful", areas(1, 5), plain.Client{}, plain.Plain, "no more than"},
		{"nine, one used", areas(1, 9), plain.Client{}, plain.Facade, "all 9"},
		{"nine, three used", areas(1, 9), plain.Client{Calls: 3}, plain.Plain, ""},
		{"nine, more used than there are", areas(1, 9), plain.Client{Calls: math.MaxInt}, plain.Plain, ""},
		{"a number of calls that is none", areas(1, 9), plain.Client{Calls: -5}, plain.Facade, ""},
		{"many, deferred", areas(50, 100), plain.Client{Defers: true}, plain.Plain, "itself"},
		{"large results", areas(1, 5), plain.Client{LargeResults: true}, plain.Gateway, "handles"},
		{"large results, deferred", areas(50, 100), plain.Client{LargeResults: true, Defers: true}, plain.Gateway, ""},
		{"domains", areas(3, 10), plain.Client{}, plain.Facade, "all 30 functions"},
		{"domains with more below", deep, plain.Client{}, plain.Facade, "31 functions"},
		{"one domain", areas(1, 25), plain.Client{}, plain.Facade, "25 functions"},
		{"a domain that is too large", areas(1, 26), plain.Client{}, plain.CaSH, ""},
		{"too many domains", areas(6, 3), plain.Client{}, plain.CaSH, ""},
		{"too many commands", areas(2, 25), plain.Client{}, plain.CaSH, ""},
		{"functions outside of domains", rooted, plain.Client{}, plain.CaSH, ""},
		{"names", areas(4, 10), plain.Client{ReadsResources: true}, plain.Disclosure, "40 names"},
		{"too many names", areas(11, 10), plain.Client{ReadsResources: true}, plain.CaSH, ""},
		{"very many", areas(100, 50), plain.Client{}, plain.CaSH, "5000 functions"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := plain.Fit(t.Context(), tt.src, tt.client)
			if err != nil || a.Face != tt.want || !strings.Contains(a.Reason, tt.reason) || !strings.HasSuffix(a.Reason, ".") {
				t.Errorf("%+v, %v; want %s, %q", a, err, tt.want, tt.reason)
			}
		})
	}
}

func nothing(context.Context, *registry.Call) (*registry.Result, error) { return nil, nil }

// TestFitHidden: what the caller does not see is of no account.
func TestFitHidden(t *testing.T) {
	reg := areas(1, 2)
	reg.Namespace("vault", "", registry.VisibleTo(registry.Roles("boss")))
	for i := range 100 {
		raw(reg, "vault", fmt.Sprintf("f%d", i), nothing)
	}
	clerk, err := plain.Fit(t.Context(), reg, plain.Client{})
	if want, e := plain.Fit(t.Context(), areas(1, 2), plain.Client{}); clerk != want || err != nil || e != nil {
		t.Errorf("%+v, want %+v, %v, %v", clerk, want, err, e)
	}
	boss, err := plain.Fit(registry.WithCaller(t.Context(), named("max", "boss")), reg, plain.Client{})
	if err != nil || boss.Tools != 102 {
		t.Errorf("the boss: %+v, %v", boss, err)
	}
}

// broken is a source that panics.
type broken struct{ registry.Source }

// TestFitFails: a source that cannot be listed is an error.
func TestFitFails(t *testing.T) {
	if a, err := plain.Fit(t.Context(), broken{}, plain.Client{}); err == nil {
		t.Errorf("%+v", a)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := plain.Fit(ctx, areas(1, 1), plain.Client{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
