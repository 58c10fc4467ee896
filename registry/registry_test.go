package registry_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

func TestRegistrationConflicts(t *testing.T) {
	for _, tt := range []struct {
		name string
		add  func(*registry.Registry)
		want []string // parts of the message
	}{
		{"R26 functions", func(r *registry.Registry) {
			r.Namespace("orders", "").Add(echo("contact_update"), echo("contactUpdate"))
		}, []string{"contact_update", "contactUpdate", `"orders"`, "ident_test.go:"}},
		{"R26 functions, later", func(r *registry.Registry) {
			r.Namespace("orders", "").Add(echo("a_b"))
			r.Namespace("Orders", "").Add(echo("AB"))
		}, []string{"a_b", "AB"}},
		{"R26 skills", func(r *registry.Registry) {
			r.Namespace("", "").AddSkill(registry.NewSkill("do_it", "", "x"))
			r.Namespace("", "").AddSkill(registry.NewSkill("do-it", "", "y"))
		}, []string{"do_it", "do-it", "registry_test.go:"}},
		{"R26 parameters", func(*registry.Registry) {
			type in struct {
				A string `json:"a_b"`
				B string `json:"aB"`
			}
			registry.Func("f", "", func(context.Context, in) (string, error) { return "", nil })
		}, []string{"a_b", "aB"}},
		{"R26 namespaces", func(r *registry.Registry) {
			r.Namespace("Order_Mgmt", "One.")
			r.Namespace("ordermgmt", "Another.")
		}, []string{"Order_Mgmt", "ordermgmt", "registry_test.go:"}},
		{"R20 namespace", func(r *registry.Registry) { r.Namespace("order-mgmt", "") }, []string{"order-mgmt"}},
		{"R20 function", func(r *registry.Registry) { r.Namespace("", "").Add(echo("a.b")) }, []string{"a.b"}},
		{"R28 namespace", func(r *registry.Registry) { r.Namespace("_", "") }, []string{`"_"`}},
		{"skill without text", func(r *registry.Registry) { r.Namespace("", "").AddSkill(registry.NewSkill("x", "", "")) }, []string{`"x"`}},
		{"nil function", func(r *registry.Registry) { r.Namespace("", "").Add(nil) }, []string{"not made by"}},
		{"nil handler", func(*registry.Registry) { registry.Func[echoIn, string]("f", "", nil) }, []string{"nil"}},
		{"unknown tag word", func(*registry.Registry) {
			type in struct {
				A string `json:"a" cash:"maximum=3"`
			}
			registry.Func("f", "", func(context.Context, in) (string, error) { return "", nil })
		}, []string{"in", "A", "maximum", "registry_test.go:"}},
		{"default outside bounds", func(*registry.Registry) {
			type in struct {
				N int `json:"n,omitempty" cash:"max=3,default=4"`
			}
			registry.Func("f", "", func(context.Context, in) (string, error) { return "", nil })
		}, []string{"N", "default"}},
		{"no JSON form", func(*registry.Registry) {
			type in struct {
				C chan int `json:"c"`
			}
			registry.Func("f", "", func(context.Context, in) (string, error) { return "", nil })
		}, []string{"C"}},
		{"arguments that are no object", func(*registry.Registry) {
			registry.Func("f", "", func(context.Context, int) (string, error) { return "", nil })
		}, []string{"int"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := mustPanic(t, func() { tt.add(registry.New(nil)) })
			for _, part := range tt.want {
				if !strings.Contains(got, part) {
					t.Errorf("the panic does not name %q: %s", part, got)
				}
			}
		})
	}
}

func TestConflictNamesBothLines(t *testing.T) {
	reg := registry.New(nil)
	first := registry.Func("do", "", func(context.Context, echoIn) (string, error) { return "", nil })
	second := registry.Func("DO", "", func(context.Context, echoIn) (string, error) { return "", nil })
	reg.Namespace("", "").Add(first)
	got := mustPanic(t, func() { reg.Namespace("", "").Add(second) })
	if strings.Count(got, "registry_test.go:") != 2 {
		t.Errorf("the panic does not name two source lines: %s", got)
	}
}

func TestTryAddAddsAllOrNothing(t *testing.T) {
	reg := registry.New(nil)
	ns := reg.Namespace("a", "")
	if err := ns.TryAdd(echo("one"), echo("two"), echo("ONE")); err == nil {
		t.Fatal("no error")
	}
	if _, err := reg.Function(context.Background(), "a", "one"); err == nil {
		t.Error("a function of a refused set was added")
	}
	if _, err := reg.TryNamespace("a..b", ""); err == nil {
		t.Error("TryNamespace takes an illegal path")
	}
}

// TestAddCopies holds that a function may stand in several places.
func TestAddCopies(t *testing.T) {
	reg := registry.New(nil)
	f := echo("one")
	reg.Namespace("a", "").Add(f)
	reg.Namespace("b", "").Add(f)
	for _, place := range []string{"a", "b"} {
		got, err := reg.Function(context.Background(), place, "one")
		if err != nil {
			t.Fatal(err)
		}
		if got.Namespace() != place || got.Path() != place+".one" {
			t.Errorf("in %s it is %s", place, got.Path())
		}
	}
	if f.Namespace() != "" {
		t.Errorf("adding has changed what was added: %s", f.Path())
	}
}

func TestLookup(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("Order_Mgmt", "Manage.").Add(echo("contact_update"))
	reg.Namespace("a.b.c.d.e.f", "").Add(echo("deep"))
	orders := reg.Namespace("orders", "")
	orders.Add(echo("summary"))
	reg.Namespace("orders.summary", "").Add(echo("list"))
	ctx := context.Background()
	for _, tt := range []struct{ row, path, name, want string }{
		{"R21", "ordermgmt", "contactUpdate", "Order_Mgmt.contact_update"},
		{"R21", "ORDER_MGMT", "CONTACTUPDATE", "Order_Mgmt.contact_update"},
		{"R21", "order__mgmt_", "_contactupdate", "Order_Mgmt.contact_update"},
		{"R29", "A.b.C.d.E.f", "Deep", "a.b.c.d.e.f.deep"},
		{"R27", "orders", "summary", "orders.summary"},
		{"R27", "orders.summary", "list", "orders.summary.list"},
	} {
		f, err := reg.Function(ctx, tt.path, tt.name)
		if err != nil || f.Path() != tt.want {
			t.Errorf("%s: Function(%q, %q) = %v, %v", tt.row, tt.path, tt.name, f, err)
		}
	}
	for _, tt := range []struct {
		row, path, name string
		kind            registry.Kind
	}{
		{"R80", "nope", "x", registry.UnknownNamespace},
		{"R80", "orders", "x", registry.UnknownFunction},
		{"R80", "", "x", registry.UnknownFunction},
		{"R30", ".orders", "x", registry.InvalidName},
		{"R28", "_", "x", registry.InvalidName},
		{"R31", "", "orders.summary", registry.InvalidName},
		{"R80", "a.b", "x", registry.UnknownFunction}, // exists, but has no functions of its own
	} {
		_, err := reg.Function(ctx, tt.path, tt.name)
		if err == nil {
			t.Errorf("%s: Function(%q, %q) finds something", tt.row, tt.path, tt.name)
			continue
		}
		wantKind(t, err, tt.kind)
	}
	_, err := reg.Function(ctx, "", "orders.summary")
	if !strings.Contains(err.Error(), `namespace="orders", function="summary"`) {
		t.Errorf("R31: no hint in %q", err)
	}
}

func TestListIsSortedAndStable(t *testing.T) {
	reg := registry.New(nil)
	ns := reg.Namespace("n", "")
	for _, i := range rand.Perm(50) {
		ns.Add(echo(fmt.Sprintf("f%02d", i)))
		reg.Namespace(fmt.Sprintf("n.s%02d", i), "").Add(echo("x"))
	}
	for range 100 { // R56
		l, err := reg.List(context.Background(), "n")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(l.Functions, func(a, b *registry.Function) int { return strings.Compare(a.Name(), b.Name()) }) ||
			!slices.IsSortedFunc(l.Namespaces, func(a, b registry.Child) int { return strings.Compare(a.Name, b.Name) }) ||
			len(l.Functions) != 50 || len(l.Namespaces) != 50 {
			t.Fatal("the listing is not sorted or not complete")
		}
	}
}

func TestReadsSeeEarlierWrites(t *testing.T) {
	reg := registry.New(nil)
	ctx := context.Background()
	for i := range 200 {
		path, name := fmt.Sprintf("n%d.sub", i%7), fmt.Sprintf("f%d", i)
		reg.Namespace(path, "").Add(echo(name))
		if _, err := reg.Function(ctx, path, name); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	if err := registry.Walk(ctx, reg, "", func(l *registry.Listing) error { n += len(l.Functions); return nil }); err != nil || n != 200 {
		t.Errorf("walked over %d functions, %v", n, err)
	}
}
