package toolid_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/toolid"
)

var wire = regexp.MustCompile(`\A[a-zA-Z0-9_-]{1,64}\z`)

func TestWireNames(t *testing.T) {
	long := "orders:" + strings.Repeat("x", 100) + "#deadbeef"
	for _, tt := range []struct{ id, want string }{
		{"github:create_issue#6c5f877d", "github_create_issue_6c5f877d"},
		{"a:b.c-d@1.0#deadbeef", "a_b_c-d_1_0_deadbeef"},
		{"skill::a:b#deadbeef", "skill__a_b_deadbeef"},
		{"weather:get@2024-05", "weather_get_2024-05_5d983d72"},
		{"a:b#deadbeef~2", "a_b_deadbeef_2_a6f7ca97"},
		{long, "orders_" + long[7:55] + "_732f7e38"},
	} {
		w := toolid.NewWireNames([]string{tt.id})
		name, ok := w.Name(tt.id)
		if !ok || name != tt.want {
			t.Errorf("%s is spelt %s; want %s", tt.id, name, tt.want)
		}
		if id, ok := w.ID(name); !ok || id != tt.id {
			t.Errorf("%s stands for %s; want %s", name, id, tt.id)
		}
	}
	w := toolid.NewWireNames([]string{"a:b@1"})
	if name, ok := w.Name("a:b@2"); ok {
		t.Errorf("an unknown id is spelt %s", name)
	}
	if id, ok := w.ID("a_b_1"); ok {
		t.Errorf("an unknown name stands for %s", id)
	}
}

// TestWireNamesShared holds that ids with one name both get another, so that
// neither can take over what was the other's.
func TestWireNamesShared(t *testing.T) {
	ids := []string{"a_b:c#deadbeef", "a:b_c#deadbeef", "a:b.c#deadbeef", "x:y#deadbeef"}
	w := toolid.NewWireNames(ids)
	if id, ok := w.ID("a_b_c_deadbeef"); ok {
		t.Errorf("the shared name stands for %s", id)
	}
	for _, id := range ids[:3] {
		name, _ := w.Name(id)
		if !strings.HasPrefix(name, "a_b_c_deadbeef_") || len(name) != len("a_b_c_deadbeef_")+32 {
			t.Errorf("%s is spelt %s", id, name)
		}
	}
	if name, _ := w.Name(ids[3]); name != "x_y_deadbeef" {
		t.Errorf("another id is affected: %s", name)
	}
}

// TestWireNamesProperties holds for any ids, in any order, that names are legal,
// all different and reversible, and the same in every order.
func TestWireNamesProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "_", ":", "b", ".", "#deadbeef", "@1", "~2", "é", "\xff", strings.Repeat("x", 30), "::", "-"}
	for range 200 {
		ids := []string{""}
		for range r.IntN(200) {
			var id strings.Builder
			for range r.IntN(6) {
				id.WriteString(pieces[r.IntN(len(pieces))])
			}
			ids = append(ids, id.String())
		}
		w := toolid.NewWireNames(ids)
		r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		shuffled := toolid.NewWireNames(ids)
		for _, id := range ids {
			name, ok := w.Name(id)
			if back, found := w.ID(name); !ok || !found || back != id || !wire.MatchString(name) {
				t.Fatalf("%q is spelt %q, which stands for %q", id, name, back)
			}
			if other, _ := shuffled.Name(id); other != name {
				t.Fatalf("%q is spelt %q, and %q in another order", id, name, other)
			}
		}
	}
}

func FuzzWireNames(f *testing.F) {
	f.Add("a_b:c#deadbeef", "a:b_c#deadbeef")
	f.Add("", "\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		w := toolid.NewWireNames([]string{a, b})
		first, _ := w.Name(a)
		second, _ := w.Name(b)
		if !wire.MatchString(first) || !wire.MatchString(second) || (first == second) != (a == b) {
			t.Fatalf("%q and %q are spelt %q and %q", a, b, first, second)
		}
		if id, _ := w.ID(first); id != a {
			t.Fatalf("%q stands for %q; want %q", first, id, a)
		}
	})
}

func BenchmarkWireNames(b *testing.B) {
	ids := make([]string, 10_000)
	for i := range ids {
		ids[i] = fmt.Sprintf("ns%d:some_tool_%d#%08x", i/100, i, i*2654435761%(1<<32))
	}
	for b.Loop() {
		toolid.NewWireNames(ids)
	}
}
