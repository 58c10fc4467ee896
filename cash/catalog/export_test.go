package catalog_test

import (
	"context"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestExportRoundTrip holds that what a catalog serves is the same when it is
// exported and loaded again, but for its results.
func TestExportRoundTrip(t *testing.T) {
	c := catalog.New(nil)
	if _, err := c.LoadFile("testdata/demo.json"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.LoadFile("testdata/demo.json"); err != nil {
		t.Fatal(err)
	}
	odd, _ := load(t, nil, `{"tools":[{"name":"Odd Name","inputSchema":{"type":"object","properties":{"a<b>":{"const":1.0}}}},
		{"name":"gh.Odd?","version":"v 1"},{"name":"a_b_c"},{"name":"v.x","version":"2.0"}],
		"resources":[{"uri":"a:1","name":"x y"},{"uri":"a:2","name":"x_y"},
			{"uri":"a:3","name":"créer","title":"Créer"},{"uri":"a:4","name":"9"},{"uri":"b c","title":"T"}],
		"prompts":[{"name":"p q","arguments":[{"name":"ä","required":true,"description":"1."},{"name":"b"}]},{"name":"p_q"}]}`)
	for _, c := range []*catalog.Catalog{c, odd} {
		data, err := catalog.Export(t.Context(), c.Tools(), c.Resources(), c.Prompts())
		if err != nil {
			t.Fatal(err)
		}
		again, _ := load(t, nil, string(data))
		for i, pair := range [][2]*registry.Registry{{c.Tools(), again.Tools()}, {c.Resources(), again.Resources()}, {c.Prompts(), again.Prompts()}} {
			want, got := ids(pair[0]), ids(pair[1])
			delete(want, "gh.Odd?") // its version was made to fit, and how it was is not known any more
			delete(got, "gh.Odd_")
			delete(got, "gh.Odd?")
			if i == 1 { // numbered ids are names of their own afterwards
				want, got = keys(want), keys(got)
			}
			if !maps.Equal(want, got) {
				t.Errorf("exported\n%v\nloaded again\n%v", want, got)
			}
		}
		for f := range c.Tools().All() {
			g, err := again.Tools().Function(t.Context(), f.Namespace(), f.Name())
			if err != nil || f.Description() != g.Description() || !reflect.DeepEqual(f.Hints(), g.Hints()) || strings.Join(f.Tags(), ",") != strings.Join(g.Tags(), ",") {
				t.Errorf("%s: %+v, %v", f.Path(), g, err)
			}
		}
		for f := range c.Resources().All() {
			if g, err := again.Resources().Function(t.Context(), f.Namespace(), f.Name()); err != nil || g.Tool() != f.Tool() {
				t.Errorf("%s: %v, %v", f.Path(), g, err)
			}
		}
		data2, err := catalog.Export(t.Context(), again.Tools(), again.Resources(), again.Prompts())
		if err != nil || string(data2) != string(data) {
			t.Errorf("%v, exported again:\n%s\nfirst:\n%s", err, data2, data)
		}
	}
}

func keys(m map[string]string) map[string]string {
	only := make(map[string]string)
	for k := range m {
		only[k] = ""
	}
	return only
}

// A document holds what its caller sees of any source, under ids that stay where
// they can.
func TestExportOfOtherSources(t *testing.T) {
	type in struct {
		Key string `json:"key" jsonschema:"Which."`
	}
	f := func(name string) *registry.Function {
		return registry.Func(name, "Do "+name+".", func(context.Context, in) (string, error) { return "", nil })
	}
	reg := registry.New(nil)
	reg.Namespace("", "").Add(f("ping"))
	reg.Namespace("orders.retail", "").Add(f("create"))
	reg.Namespace("Stock", "").Add(f("take_out"))
	reg.Namespace("secret", "", registry.VisibleTo(registry.Roles("admin"))).Add(f("hidden"))
	data, err := catalog.Export(t.Context(), reg, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, report := load(t, nil, string(data))
	if report.Tools != 3 || strings.Contains(string(data), "hidden") {
		t.Errorf("%s\n%s", report, data)
	}
	was, is := ids(reg), ids(c.Tools())
	for name, path := range map[string]string{"ping": "ping", "create": "orders.retail.create"} {
		if was[name] != is[path] {
			t.Errorf("%s was %s and is %s", path, was[name], is[path])
		}
	}
	if got := is["Stock.take_out"]; !strings.HasPrefix(got, "stock:take_out#") {
		t.Errorf("got %v", is)
	}
	admin := registry.WithCaller(t.Context(), &registry.Caller{ID: "a", Roles: []string{"admin"}})
	if data, err := catalog.Export(admin, reg, nil, nil); err != nil || !strings.Contains(string(data), `"secret.hidden"`) {
		t.Errorf("%s, %v", data, err)
	}
	if data, err := catalog.Export(t.Context(), nil, nil, nil); err != nil || string(data) != "{\n  \"tools\": []\n}\n" {
		t.Errorf("%s, %v", data, err)
	}
}
