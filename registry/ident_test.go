package registry_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

func TestCanonical(t *testing.T) {
	for _, tt := range []struct {
		row, label, want string
		ok               bool
	}{
		{"R20", "orders", "orders", true},
		{"R20", "order-mgmt", "", false},
		{"R20", "my.namespace", "", false},
		{"R20", "order mgmt", "", false},
		{"R20", "a/b", "", false},
		{"R20", "Ünï", "", false},
		{"R20", "\u212a", "", false}, // lower-cases to an ASCII k
		{"R20", "a\x00", "", false},
		{"R20", "", "", false},
		{"R21", "Order_Mgmt", "ordermgmt", true},
		{"R21", "orderMgmt", "ordermgmt", true},
		{"R21", "order__mgmt_", "ordermgmt", true},
		{"R21", "_contactupdate", "contactupdate", true},
		{"R21", "X9", "x9", true},
		{"R28", "_", "", false},
		{"R28", "__", "", false},
	} {
		if got, ok := registry.Canonical(tt.label); got != tt.want || ok != tt.ok {
			t.Errorf("%s: Canonical(%q) = %q, %t; want %q, %t", tt.row, tt.label, got, ok, tt.want, tt.ok)
		}
	}
}

func TestCanonicalPath(t *testing.T) {
	for _, tt := range []struct {
		row, path, want string
		ok              bool
	}{
		{"R11", "", "", true},
		{"R29", "Orders.RE_tail", "orders.retail", true},
		{"R29", "a.b.c.d.e.f", "a.b.c.d.e.f", true},
		{"R30", ".orders", "", false},
		{"R30", "orders.", "", false},
		{"R30", "orders..retail", "", false},
		{"R30", " ", "", false},
		{"R30", " orders", "", false},
		{"R30", "orders/retail", "", false},
		{"R28", "orders._", "", false},
		{"R28", "_", "", false},
		{"R30", strings.Repeat("a", 1025), "", false},
	} {
		if got, ok := registry.CanonicalPath(tt.path); got != tt.want || ok != tt.ok {
			t.Errorf("%s: CanonicalPath(%q) = %q, %t; want %q, %t", tt.row, tt.path, got, ok, tt.want, tt.ok)
		}
	}
}

// FuzzCanonical holds what the rest relies on: a canonical form is its own
// canonical form, has only letters and digits, and does not depend on case.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{"", "_", "orders", "Order_Mgmt", "a.b", "a..b", "\u212a", "ſ", "a_.B"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, ok := registry.CanonicalPath(s)
		if !ok {
			if c != "" {
				t.Fatalf("%q is refused with %q", s, c)
			}
			return
		}
		if strings.Trim(c, "abcdefghijklmnopqrstuvwxyz0123456789.") != "" {
			t.Fatalf("CanonicalPath(%q) = %q", s, c)
		}
		if again, ok := registry.CanonicalPath(c); !ok || again != c {
			t.Fatalf("%q is not its own canonical form: %q", c, again)
		}
		if upper, ok := registry.CanonicalPath(strings.ToUpper(s)); !ok || upper != c {
			t.Fatalf("%q in upper case has another form: %q", s, upper)
		}
	})
}

// TestLookupAllocatesNothing holds the path lookup to what a map read costs.
func TestLookupAllocatesNothing(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("orders.retail", "").Add(echo("create"))
	ctx := context.Background()
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := reg.Function(ctx, "orders.retail", "create"); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("a lookup allocates %v times", allocs)
	}
}

type echoIn struct {
	Text string `json:"text,omitempty" jsonschema:"What to say."`
}

// echo returns a function that answers with its text.
func echo(name string, facts ...registry.FuncOption) *registry.Function {
	return registry.Func(name, "Say "+name+".", func(_ context.Context, in echoIn) (string, error) {
		return in.Text, nil
	}, facts...)
}

// mustPanic runs f and returns what it panics with.
func mustPanic(t *testing.T, f func()) (text string) {
	t.Helper()
	defer func() {
		v := recover()
		if v == nil {
			t.Error("no panic")
			return
		}
		text, _ = v.(string)
	}()
	f()
	return ""
}

func wantKind(t *testing.T, err error, kind registry.Kind) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("error %v is not %s", err, kind)
	}
}
