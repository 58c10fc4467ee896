package toolid_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/toolid"
)

func TestPrimitiveVectors(t *testing.T) {
	for _, v := range vectors[struct {
		Kind, Namespace, Name, URI, ID string
		Arguments                      []string `json:"argument_names"`
		Error                          bool
	}](t, "primitive") {
		var p toolid.Primitive
		var err error
		switch v.Kind {
		case "resource":
			p, err = toolid.FromResource(v.Namespace, v.Name, v.URI)
		case "prompt":
			p, err = toolid.FromPrompt(v.Namespace, v.Name, v.Arguments)
		default:
			t.Fatalf("a vector of kind %q", v.Kind)
		}
		switch {
		case v.Error && err == nil:
			t.Errorf("W40: %s %s:%s is %s; want an error", v.Kind, v.Namespace, v.Name, p)
		case !v.Error && (err != nil || p.String() != v.ID):
			t.Errorf("W40: %s %s:%s is %s, %v; want %s", v.Kind, v.Namespace, v.Name, p, err, v.ID)
		}
	}
}

func TestParsePrimitiveVectors(t *testing.T) {
	for _, v := range vectors[struct {
		Input     string
		Primitive *parts
	}](t, "parse") {
		if v.Primitive == nil {
			continue
		}
		p, err := toolid.ParsePrimitive(v.Input)
		if v.Primitive.Error {
			if err == nil {
				t.Errorf("W40: ParsePrimitive(%q) = %+v; want an error", v.Input, p)
			}
			continue
		}
		want := toolid.Primitive{Kind: toolid.Kind(v.Primitive.Kind), ID: toolid.ID{Namespace: v.Primitive.Namespace,
			Name: v.Primitive.Name, Version: text(v.Primitive.Version), Hash: text(v.Primitive.Hash8)}}
		if err != nil || p != want || p.String() != v.Input {
			t.Errorf("W40: ParsePrimitive(%q) = %+v, %v; want %+v", v.Input, p, err, want)
		}
	}
}

func TestSkill(t *testing.T) {
	skill, err := toolid.FromSkill("orders", "refund_order", "orders.refundorder")
	if err != nil {
		t.Fatal(err)
	}
	again, err := toolid.ParsePrimitive(skill.String())
	if err != nil || again != skill || !strings.HasPrefix(skill.String(), "skill::orders:refund_order#") {
		t.Errorf("W40: %s is parsed as %+v, %v", skill, again, err)
	}
	// The same words in another kind are another hash.
	resource, _ := toolid.FromResource("orders", "refund_order", "orders.refundorder")
	prompt, _ := toolid.FromPrompt("orders", "refund_order", nil)
	if skill.Hash == resource.Hash || skill.Hash == prompt.Hash {
		t.Errorf("W40: %s, %s and %s share a hash", skill, resource, prompt)
	}
}

func TestPrimitiveValidate(t *testing.T) {
	id := toolid.ID{Namespace: "a", Name: "b", Version: "1"}
	for _, kind := range []toolid.Kind{"", "Resource", "resource::", "tool::", "x"} {
		p := toolid.Primitive{Kind: kind, ID: id}
		if p.Validate() == nil {
			t.Errorf("W40: %q is a kind", kind)
		}
		if again, err := toolid.ParsePrimitive(p.String()); err == nil && again == p {
			t.Errorf("W40: %q is parsed, although not valid", p)
		}
	}
	if err := (toolid.Primitive{Kind: toolid.Tool, ID: id}).Validate(); err != nil {
		t.Error(err)
	}
}

func FuzzParsePrimitive(f *testing.F) {
	for _, v := range vectors[struct{ Input string }](f, "parse") {
		f.Add(v.Input)
	}
	f.Add("skill::a:b#deadbeef")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := toolid.ParsePrimitive(s)
		if err != nil {
			return
		}
		if p.String() != s || p.Validate() != nil {
			t.Fatalf("ParsePrimitive(%q) = %+v, which is written %q, valid: %v", s, p, p, p.Validate())
		}
		if _, err := toolid.Parse(s); (err == nil) != (p.Kind == toolid.Tool) {
			t.Fatalf("%q is a %s, and Parse says %v", s, p.Kind, err)
		}
	})
}

func TestDistinct(t *testing.T) {
	for _, tt := range []struct{ ids, want string }{
		{"", ""},
		{"a b c", "a b c"},
		{"a:x#1 a:x#1 b:y#2", "a:x#1 a:x#1~2 b:y#2"},
		{"a a b a b", "a a~2 b a~3 b~2"},
		{"a a~2 a", "a a~2 a~3"},
		{"a a a~2", "a a~3 a~2"},
		{"a a a a~3 a~2 a~3", "a a~4 a~5 a~3 a~2 a~3~2"},
		{"a~2 a~2 a a a~2~2", "a~2 a~2~3 a a~3 a~2~2"},
	} {
		if got := toolid.Distinct(strings.Fields(tt.ids)); !slices.Equal(got, strings.Fields(tt.want)) {
			t.Errorf("W40: Distinct(%s) = %s; want %s", tt.ids, got, tt.want)
		}
	}
}

// TestDistinctIsLinear holds the worst that a listing can do: numbers that are
// all taken, asked for again and again.
func TestDistinctIsLinear(t *testing.T) {
	const n = 100_000
	ids := make([]string, 0, 2*n)
	for i := range n {
		ids = append(ids, "a", fmt.Sprintf("a~%d", i+2))
	}
	seen := make(map[string]bool, len(ids))
	for _, key := range toolid.Distinct(ids) {
		if seen[key] {
			t.Fatalf("W40: key %s stands twice", key)
		}
		seen[key] = true
	}
}
