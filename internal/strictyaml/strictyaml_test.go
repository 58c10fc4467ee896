package strictyaml_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/strictyaml"
)

func Example() {
	top, err := strictyaml.Read([]byte("version: 1.0\nversion: 2.0\n"), strictyaml.Limits{Depth: 4})
	fmt.Println(top, err)
	// Output: <nil> line 2: the key is given twice: remove one
}

func TestRead(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, tt := range []struct {
		name, text string
		limits     strictyaml.Limits
		want       string // text of the first value, or of the error after "!"
	}{
		{"text stays text", "a: 1.0", strictyaml.Limits{Depth: 2}, "1.0"},
		{"date", "a: 2026-04-24", strictyaml.Limits{Depth: 2}, "2026-04-24"},
		{"version 1.2", "%YAML 1.2\n---\na: yes", strictyaml.Limits{Depth: 2}, "yes"},
		{"version 1.2 below others", "# who\r\n\r\n%TAG !x! x\n%YAML 1.2\n---\na: yes", strictyaml.Limits{Depth: 2}, "yes"},
		{"version 1.2 in a text", "a: |\n  # x\n  %YAML 1.2", strictyaml.Limits{Depth: 2}, "# x\n%YAML 1.2"},
		{"versions", strings.Repeat("%YAML 1.2\n", 50_000), strictyaml.Limits{Depth: 2}, "!line 1: not valid YAML: found incompatible YAML document"},
		{"alias", "a: &x v\nb: *x", strictyaml.Limits{Depth: 2, Aliases: 1}, "v"},
		{"nothing", "", strictyaml.Limits{}, ""},
		{"a comment", "# a", strictyaml.Limits{}, ""},
		{"too many aliases", "a: &x v\nb: [*x, *x]", strictyaml.Limits{Depth: 3, Aliases: 1}, "!line 2: more than 1 aliases: write the values out"},
		{"no aliases", "a: &x v", strictyaml.Limits{Depth: 2}, "!line 1: anchors and aliases are not allowed: write the value out"},
		{"unknown alias", "a: *x", strictyaml.Limits{Depth: 2}, "!not valid YAML: an alias without its anchor"},
		{"two documents", "a: 1\n---\nb: 2", strictyaml.Limits{Depth: 2}, "!line 2: a second document begins: keep the first only"},
		{"twice", "a: 1\nb: {c: 1, c: 2}", strictyaml.Limits{Depth: 3}, "!line 2: the key is given twice: remove one"},
		{"composite key", "[a]: 1", strictyaml.Limits{Depth: 2}, "!line 1: the key is not one text: write it as key: value"},
		{"merge", "a: &x {b: 1}\nc: {<<: *x}", strictyaml.Limits{Depth: 4, Aliases: 4}, "!line 2: merge keys (<<) are not supported: write the values out"},
		{"deep", deep(9), strictyaml.Limits{Depth: 8}, "!line 1: nested deeper than 8 levels: flatten it"},
		{"very deep", deep(100_000), strictyaml.Limits{Depth: 8}, "!not valid YAML: exceeded max depth of 10000"},
		{"tags", strings.Repeat("%TAG ! !x\n", 50_000), strictyaml.Limits{Depth: 8}, "!too many TAG directives: write the tags out, or leave them away"},
		{"broken", "a: [", strictyaml.Limits{Depth: 8}, "!line 1: not valid YAML: did not find expected node content"},
	} {
		top, err := strictyaml.Read([]byte(tt.text), tt.limits)
		got := ""
		switch {
		case err != nil:
			got = "!" + err.Error()
		case top != nil && len(top.Content) > 1:
			got = top.Content[1].Value
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// FuzzRead holds that any bytes are a tree within the limits or an *Error.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"a: 1", "%YAML 1.2\n---\na: &x [b, *x]", "--- |\n a\n...\n", "? [a]\n: b", "\xff", "a: !!binary x"} {
		f.Add([]byte(s), 3, 1)
	}
	f.Fuzz(func(t *testing.T, data []byte, depth, aliases int) {
		top, err := strictyaml.Read(data, strictyaml.Limits{Depth: depth % 100, Aliases: aliases % 100})
		var e *strictyaml.Error
		if err != nil && (top != nil || !errors.As(err, &e) || e.Reason == "") {
			t.Errorf("%v, %v", top, err)
		}
	})
}
