package cashsource_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/cashsource"
	"github.com/cash-mcp/go-sdk/registry"
)

// rows is the page of a function with a table of parameters.
func rows(list ...string) string {
	return "# a.f\n\nDoes.\n\n| Name | Type | Required | Description |\n|--|--|--|--|\n" + strings.Join(list, "\n") + "\n"
}

// What a page tells of arguments becomes their schema, and nothing else does.
func TestW29ToldArguments(t *testing.T) {
	for _, tt := range []struct{ name, page, schema, unclear string }{
		{"RFC 8.3", rows("| customer_id | string | yes | Unique customer identifier. |", "| notes | string | no | Free-text notes. |"),
			`{"properties":{"customer_id":{"type":"string","description":"Unique customer identifier."},"notes":{"type":"string","description":"Free-text notes."}},"required":["customer_id"]}`, ""},
		{"RFC 4.2", rows("| groupby | string | no | Group by: day, week, month. Default: day. |"),
			`{"properties":{"groupby":{"type":"string","description":"Group by: day, week, month. Default: day."}}}`, ""},
		{"our rules", rows("| p | string | no | How. One of: low, high. Default: low. |", "| n | integer | no | One of: 1, 2. Default: 2. |"),
			`{"properties":{"p":{"type":"string","description":"How. One of: low, high. Default: low.","enum":["low","high"],"default":"low"},"n":{"type":"integer","description":"One of: 1, 2. Default: 2.","enum":[1,2],"default":2}}}`, ""},
		{"other words", rows("| a | string | no | Colour: one of `red`, `green` or `blue` (default: red). |", "| b | boolean | no | Whether (default: true) |", "| c | string | no | Allowed values: x | y |"),
			`{"properties":{"a":{"type":"string","description":"Colour: one of ` + "`red`, `green` or `blue`" + ` (default: red).","enum":["red","green","blue"],"default":"red"},` +
				`"b":{"type":"boolean","description":"Whether (default: true)","default":true},"c":{"type":"string","description":"Allowed values: x"}}}`, ""},
		{"prose", rows("| a | string | no | One of the orders, or many. |", "| b | string | no | Not, one of x, y. |", "| c | string | no | e.g. one of x, y. |", "| d | string | no | Default: none. |",
			"| e | string | no | One of: New York, Boston. |", "| f | integer | no | One of: one, two. Default: now. |", "| g | string | no | One of: a, b and 3 more. |"),
			`{"properties":{"a":{"type":"string","description":"One of the orders, or many."},"b":{"type":"string","description":"Not, one of x, y."},"c":{"type":"string","description":"e.g. one of x, y."},` +
				`"d":{"type":"string","description":"Default: none."},"e":{"type":"string","description":"One of: New York, Boston."},"f":{"type":"integer","description":"One of: one, two. Default: now."},"g":{"type":"string","description":"One of: a, b and 3 more."}}}`, ""},
		{"types", rows("| a | String | no | |", "| b | string or null | no | |", "| c | array of strings | no | |", "| d | array of string or null | no | |", "| e | integer[] | no | |", "| f | {x, y?} | no | |", "| g | any | no | |",
			"| h | string (optional) | no | |", "| i | one of low, high | no | |"),
			`{"properties":{"a":{"type":"string"},"b":{"type":["null","string"]},"c":{"type":"array","items":{"type":"string"}},"d":{"type":["array","null"]},"e":{"type":"array","items":{"type":"integer"}},` +
				`"f":{"type":"object"},"g":{},"h":{"type":"string"},"i":{"enum":["low","high"]}}}`, ""},
		{"types that are none", rows("| a | str | yes | A. |", "| b | string (ISO date) | no | |", "| c | | no | |", "| d | list of strings | no | |"),
			`{"properties":{"a":{"description":"Type: str. A."},"b":{"description":"Type: string (ISO date)."},"c":{},"d":{"description":"Type: list of strings."}},"required":["a"]}`, "a, b, c, d"},
		{"nested", rows("| items[].quantity | integer | yes | |", "| items | array of {quantity} | yes | |", "| to | object | no | |", "| to.city | string | yes | |", "| m | array | no | |", "| m[][].x | number | yes | |", "| tags | array | no | |", "| tags[] | string | no | One of: a, b. |"),
			`{"properties":{"items":{"type":"array","items":{"type":"object","properties":{"quantity":{"type":"integer"}},"required":["quantity"]}},"to":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]},` +
				`"m":{"type":"array","items":{"items":{"properties":{"x":{"type":"number"}},"required":["x"]}}},"tags":{"type":"array","items":{"type":"string","description":"One of: a, b.","enum":["a","b"]}}},"required":["items"]}`, ""},
		{"nested in nothing", rows("| a.b | string | yes | |", "| c | string | no | |", "| c.d | string | yes | |", "| e[ | string | yes | |"),
			`{"properties":{"c":{"type":"string"},"e[":{"type":"string"}},"required":["e["]}`, "a.b, c.d"},
		{"told twice", rows("| a | string | yes | A. |", "| a | integer | no | |", "| a | boolean | yes | |"),
			`{"properties":{"a":{"description":"A."}}}`, "a, a"},
		{"JSON", `{"parameters":[{"name":"a","type":"string","enum":["x y","z"],"default":"z"},{"name":"b","type":"integer","required":true,"default":"5"}],"open":false}`,
			`{"properties":{"a":{"type":"string","enum":["x y","z"],"default":"z"},"b":{"type":"integer"}},"required":["b"],"additionalProperties":false}`, ""},
		{"none", "# a.f\n\nDoes.\n\nNo parameters.\n", `{"additionalProperties":false}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			schema, partial := cashsource.Input(tt.page)
			want := `{"type":"object",` + tt.schema[1:]
			if string(schema) != want {
				t.Errorf("got  %s\nwant %s", schema, want)
			}
			if !strings.Contains(partial, "Not checked: other rules") || strings.Contains(partial, "what it tells of") != (tt.unclear != "") ||
				tt.unclear != "" && !strings.Contains(partial, "what it tells of "+tt.unclear+".") || strings.Contains(partial, "does not list") == strings.Contains(want, "additional") {
				t.Errorf("not checked: %s", partial)
			}
		})
	}
	for page, want := range map[string]string{
		"":                        "Nothing was checked",
		"# a.f\n\nDoes.\n":        "Nothing was checked",
		`{"description":"Does."}`: "Nothing was checked",
		rows("| a | string | no | |") + "\nAdditional parameters available with `params=\"full\"`.": "The page has more",
		`{"description":"Does.","inputSchema":{"type":"object"}}`:                                   "",
		`{"description":"Does.","parameters":{"type":"object","properties":{}}}`:                    "",
	} {
		if _, partial := cashsource.Input(page); want == "" && partial != "" || !strings.Contains(partial, want) {
			t.Errorf("%s: not checked: %q", page, partial)
		}
	}
}

// FuzzToldArguments holds that whatever a page tells can be enforced.
func FuzzToldArguments(f *testing.F) {
	f.Add(rows("| a | string or null | yes | One of: a, b (default: a). |", "| items | array of {a} | no | |", "| items[].a.b[].c | any | yes | |"))
	f.Add(`{"parameters":[{"name":"a","type":"string","enum":["x","x",{}],"default":{}},{"name":"a.b"},{"name":"a[][]","required":true}],"open":false}`)
	f.Add(rows("| "+strings.Repeat("a.", 60)+"a | string | yes | |", "| \"\\ | {} or [] | no | Default: 1e999. |"))
	f.Fuzz(func(t *testing.T, page string) {
		schema, partial := cashsource.Input(page)
		if strings.Contains(page, `chema"`) || partial == "" {
			return // its own schema may be any
		}
		_, err := registry.RemoteFunc("f", "", registry.Remote{
			InputSchema: schema, Handler: func(context.Context, *registry.Call) (*registry.Result, error) { return nil, nil },
		})
		if err != nil {
			t.Errorf("%s: %v", schema, err)
		}
		if len(schema) > 0 && !json.Valid(schema) {
			t.Errorf("no JSON: %s", schema)
		}
	})
}
