package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// resolve registers f in the namespace and returns it as the registry knows it.
func resolve(t *testing.T, path string, f *registry.Function) *registry.Function {
	t.Helper()
	reg := registry.New(nil)
	reg.Namespace(path, "").Add(f)
	g, err := reg.Function(context.Background(), path, f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestFunctionID(t *testing.T) {
	long := strings.Repeat("x", 150)
	for _, tt := range []struct{ path, function, namespace, name, canonical string }{
		{"orders", "create", "orders", "create", "orders.create"},
		{"Orders.Retail_X", "Create_One", "orders", "Retail_X.Create_One", "orders.retailx.createone"},
		{"", "Read_File", "mcp", "Read_File", "readfile"},
		{"mcp", "read_file", "mcp", "read_file", "mcp.readfile"},
		{"_3D.x", "render", "n3d", "x.render", "3d.x.render"},
		{"x._2", "go", "x", "_2.go", "x.2.go"},
		{"x.2", "go", "x", "_2.go", "x.2.go"},
		{"x", "9", "x", "_9", "x.9"},
		{long + ".a", long, long[:64], "a." + long[:126], long + ".a." + long},
	} {
		f := resolve(t, tt.path, echo(tt.function))
		hash, err := toolid.Hash(tt.canonical, f.InputSchema())
		if err != nil {
			t.Fatal(err)
		}
		want := toolid.ID{Namespace: tt.namespace, Name: tt.name, Hash: hash}
		if id := f.ID(); id != want || id.Validate() != nil {
			t.Errorf("W1: %s has id %s (%v); want %s", f.Path(), id, id.Validate(), want)
		}
	}
}

// TestFunctionIDAgrees holds that a function whose path is canonical and in the
// grammar has the id of an upstream tool of that name.
func TestFunctionIDAgrees(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","required":["b","z"],"properties":{"b":{"$ref":"#/$defs/x"},"a":{}},"$defs":{"x":{"properties":{"y":{}}}}}`)
	raw, err := registry.RawFunc("create", "Create.", schema, func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	typed := registry.Func("create", "Create.", func(_ context.Context, in pair[int, string]) (string, error) { return in.B, nil })
	open := registry.Func("create", "Create.", func(_ context.Context, in map[string]int) (int, error) { return len(in), nil })
	for _, f := range []*registry.Function{raw, typed, open} {
		for _, path := range []string{"orders", "orders.retail"} {
			g := resolve(t, path, f)
			want, err := toolid.FromTool(path+".create", g.InputSchema(), "")
			if err != nil || g.ID() != want {
				t.Errorf("W3: %s has id %s; FromTool says %s, %v", g.Path(), g.ID(), want, err)
			}
		}
	}
}

// TestOddSchemaID holds that a schema which the registry takes always gives an id.
func TestOddSchemaID(t *testing.T) {
	f, err := registry.RawFunc("create", "Create.", json.RawMessage(`{"type":"object","required":true,"properties":{"a":{}}}`),
		func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	want, _ := toolid.FromTool("orders.create", json.RawMessage(`{"properties":{"a":{}}}`), "")
	if id := resolve(t, "orders", f).ID(); id != want {
		t.Errorf("W5: id %s; want %s", id, want)
	}
}

func TestSkillID(t *testing.T) {
	for _, tt := range []struct{ path, skill, namespace, name, canonical string }{
		{"Orders.Retail_X", "refund-order", "orders", "Retail_X.refundorder", "orders.retailx.refundorder"},
		{"", "Hello", "mcp", "Hello", "hello"},
		{"3d", "1st", "n3d", "_1st", "3d.1st"},
	} {
		reg := registry.New(nil)
		reg.Namespace(tt.path, "").AddSkill(registry.NewSkill(tt.skill, "", "Do."))
		s, err := reg.Skill(context.Background(), tt.path, tt.skill)
		if err != nil {
			t.Fatal(err)
		}
		want, err := toolid.FromSkill(tt.namespace, tt.name, tt.canonical)
		if err != nil || s.ID() != want {
			t.Errorf("W40: %s in %s has id %s; want %s, %v", tt.skill, tt.path, s.ID(), want, err)
		}
	}
}

// TestIDIndexShrinks holds that the index of ids has the size of the functions that are there.
func TestIDIndexShrinks(t *testing.T) {
	reg := registry.New(nil)
	many := registry.New(nil)
	for i := range 3000 {
		many.Namespace("", "").Add(echo(fmt.Sprintf("f%d", i)))
	}
	reg.Namespace("few", "").Add(echo("stays"))
	for range 2 {
		if err := reg.Replace("many", many); err != nil {
			t.Fatal(err)
		}
		if n := registry.IDParts(reg); n < 64 {
			t.Errorf("%d parts for 3,001 functions", n)
		}
		if err := reg.Replace("many", nil); err != nil {
			t.Fatal(err)
		}
		if n := registry.IDParts(reg); n > 1 {
			t.Errorf("%d parts for 1 function", n)
		}
	}
	f, err := reg.Function(t.Context(), "few", "stays")
	if err != nil {
		t.Fatal(err)
	}
	if found, err := registry.Find(t.Context(), reg, f.Primitive()); err != nil || found != f {
		t.Errorf("%v, %v", found, err)
	}
}

func ExampleFunction_ID() {
	reg := registry.New(nil)
	reg.Namespace("orders.retail", "").Add(echo("create"))
	f, err := reg.Function(context.Background(), "orders.retail", "create")
	if err != nil {
		panic(err)
	}
	fmt.Println(f.ID())
	// Output: orders:retail.create#ac226db3
}

func ExampleSkill_ID() {
	reg := registry.New(nil)
	reg.Namespace("orders", "").AddSkill(registry.NewSkill("refund", "", "First look the order up."))
	s, err := reg.Skill(context.Background(), "orders", "refund")
	if err != nil {
		panic(err)
	}
	fmt.Println(s.ID())
	// Output: skill::orders:refund#63f08f9e
}
