package cashsource_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/cashsource"
)

// table is the page of a function.
func table(name string) string {
	return "# " + name + "\n\nToday is Monday.\n\n| Name | Type | Required | Description |\n|---|---|---|---|\n| `id` | string | yes | Identifier. |\n"
}

// FuzzFunctionDefinition pins what pages say, and reads it again.
func FuzzFunctionDefinition(f *testing.F) {
	f.Add("The first.", table("a.one"))
	f.Add("Same.", `{"name":"one","description":"Same.","safety":"Read-only.","returns":"Text.","open":true,"parameters":[{"name":"a"},{"name":"a","required":true},{"name":"a (2)","type":"string"}]}`)
	f.Add("\u202e", `{"parameters":[],"description":"x\ny"}`)
	f.Fuzz(func(t *testing.T, line, page string) {
		line = strings.ToValidUTF8(line, "")
		d, ok := cashsource.FunctionDefinition("a", "one", line, page)
		if ok != (len(d.InputSchema) > 0) {
			t.Fatalf("there is a page: %v; the parameters are %s", ok, d.InputSchema)
		}
		path := filepath.Join(t.TempDir(), "pins.json")
		pins, err := pin.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pins.Swap(t.Context(), "shop", "", map[string]*pin.Definition{d.Name: d}); err != nil {
			t.Fatal(err)
		}
		if pins, err = pin.OpenFile(path); err != nil {
			t.Fatal(err)
		}
		again, err := pins.Load(t.Context(), "shop")
		if err != nil {
			t.Fatal(err)
		}
		if got := again.Definitions["a.one"]; got == nil || got.Hash() != d.Hash() || got.Difference(d) != "" {
			t.Errorf("it is read again as %+v", got)
		}
	})
}

// Parameters of one name do not hide one another.
func TestW37ParametersOfOneName(t *testing.T) {
	define := func(types ...string) *pin.Definition {
		var rows []string
		for _, typ := range types {
			rows = append(rows, `{"name":"id","type":"`+typ+`"}`)
		}
		d, ok := cashsource.FunctionDefinition("a", "one", "The first.", `{"parameters":[`+strings.Join(rows, ",")+`]}`)
		if !ok {
			t.Fatal("the page is not read")
		}
		return d
	}
	seen := make(map[string]bool)
	for _, types := range [][]string{{}, {"x"}, {"y"}, {"x", "y"}, {"y", "x"}, {"x", "x"}, {"x", "x", "x"}} {
		hash := define(types...).Hash()
		if seen[hash] {
			t.Errorf("parameters of types %q are pinned like others", types)
		}
		seen[hash] = true
	}
}

// A changed annotation is a changed definition.
func TestW37AnnotationsOfFunctions(t *testing.T) {
	define := func(annotations string) *pin.Definition {
		d, ok := cashsource.FunctionDefinition("a", "one", "The first.", `{"parameters":[]`+annotations+`}`)
		if !ok {
			t.Fatal("the page is not read")
		}
		return d
	}
	pinned := define(`,"annotations":{"readOnlyHint":true,"openWorldHint":false}`)
	for annotations, want := range map[string]string{
		"":                                     "annotations",
		`,"annotations":{"readOnlyHint":true}`: "annotations.openWorldHint: false -> absent",
		`,"annotations":{"readOnlyHint":true,"openWorldHint":true}`:   "annotations.openWorldHint: false -> true",
		`,"annotations":{"readOnlyHint":false,"openWorldHint":false}`: "annotations.readOnlyHint: true -> false",
	} {
		if now := define(annotations); now.Hash() == pinned.Hash() || !strings.Contains(pinned.Difference(now), want) {
			t.Errorf("%s: %s, want %s", annotations, pinned.Difference(now), want)
		}
	}
}
