package view_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/firewall/view"
)

// A tree is a value with its children in order. Those of an object have names.
type tree struct {
	raw      string
	names    []string // nil for an array
	children []tree
}

func parseTree(t *testing.T, d *json.Decoder) tree {
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	delim, ok := token.(json.Delim)
	if !ok {
		raw, _ := json.Marshal(token)
		return tree{raw: string(raw)}
	}
	var n tree
	var parts []string
	for d.More() {
		name := ""
		if delim == '{' {
			key, _ := d.Token()
			n.names = append(n.names, key.(string))
			raw, _ := json.Marshal(key)
			name = string(raw) + ":"
		}
		child := parseTree(t, d)
		n.children = append(n.children, child)
		parts = append(parts, name+child.raw)
	}
	d.Token() // the closing one
	if n.raw = "[" + strings.Join(parts, ",") + "]"; delim == '{' {
		n.raw = "{" + strings.Join(parts, ",") + "}"
	}
	return n
}

// below returns what ..selectors selects, by the words of RFC 9535, section 2.5.2.2: of a node first, and then of each
// of its descendants.
func (n tree) below(selectors []string) (found []string) {
	for _, s := range selectors {
		for i, child := range n.children {
			index, err := strconv.Atoi(s)
			switch {
			case s == "*",
				n.names != nil && s == "'"+n.names[i]+"'",
				n.names == nil && err == nil && (index == i || index == i-len(n.children)):
				found = append(found, child.raw)
			}
		}
	}
	for _, child := range n.children {
		found = append(found, child.below(selectors)...)
	}
	return found
}

func checkDescent(t *testing.T, doc string, selectors []string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	want := parseTree(t, d).below(selectors)
	path, _ := json.Marshal("$..[" + strings.Join(selectors, ",") + "]")
	var got []string
	for start := json.RawMessage(`{"type":"path","path":` + string(path) + `}`); start != nil; {
		p, err := view.Look(context.Background(), []byte(doc), "application/json", start, &view.Options{Limit: 1 << 20})
		if err != nil {
			t.Fatalf("%s of %s: %v", path, doc, err)
		}
		for _, node := range elements(t, p.Data) {
			var compact bytes.Buffer
			json.Compact(&compact, node)
			got = append(got, compact.String())
		}
		start = p.Next
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s of %s\n got %q\nwant %q", path, doc, got, want)
	}
}

// TestW33_DescentIsThatOfTheOracle compares descents into random documents.
func TestW33_DescentIsThatOfTheOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	space := func() string { return []string{"", "", " ", "\n\t"}[random.IntN(4)] }
	var doc func(depth int) string
	doc = func(depth int) string {
		kind := random.IntN(2 + 2*(5-depth)) // more scalars below
		if depth == 0 || kind > 5 {
			kind = 2 + random.IntN(4)
		}
		var parts []string
		switch kind {
		case 0:
			for range random.IntN(6) {
				parts = append(parts, space()+doc(depth-1)+space())
			}
			return "[" + strings.Join(parts, ",") + space() + "]"
		case 1:
			for range random.IntN(6) {
				name := []string{`"a"`, `"b"`, `"}]"`, `""`}[random.IntN(4)]
				parts = append(parts, space()+name+space()+":"+space()+doc(depth-1)+space())
			}
			return "{" + strings.Join(parts, ",") + space() + "}"
		}
		return []string{`"[{a"`, `"\"}"`, "-1.5", "null"}[kind-2]
	}
	for range 1000 {
		d := doc(5)
		for _, selectors := range [][]string{{"'a'"}, {"*"}, {"0"}, {"-1"}, {"'a'", "'b'"}, {"1", "*", "'a'"}} {
			checkDescent(t, d, selectors)
		}
	}
}
