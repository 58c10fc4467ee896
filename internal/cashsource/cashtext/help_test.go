package cashtext_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
)

type entries = []cashtext.Entry

var (
	rfcIndex = entries{{Name: "orders", Description: "Create and manage customer orders."}, {Name: "inventory", Description: "Query and update stock levels."}, {Name: "crm", Description: "Manage contacts and accounts."}}
	two      = entries{{Name: "a", Description: "About a."}, {Name: "b", Description: "About b."}}
)

func TestParseHelp(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       cashtext.Page
	}{
		{"RFC 8.1", "# Available Namespaces\n\n- **orders** — Create and manage customer orders.\n- **inventory** — Query and update stock levels.\n- **crm** — Manage contacts and accounts.\n\nSupported arguments: `format` (json|markdown), `examples` (true|false).",
			cashtext.Page{Namespaces: rfcIndex, Arguments: "Supported arguments: `format` (json|markdown), `examples` (true|false)."}},
		{"RFC 8.2", "# orders\n\n## Functions\n\n- **create** — Create a new order.\n- **get** — Retrieve an order by ID.\n",
			cashtext.Page{Namespace: "orders", Functions: entries{{Name: "create", Description: "Create a new order."}, {Name: "get", Description: "Retrieve an order by ID."}}}},
		{"RFC 4.2 namespace", "# orders\n\n## Sub-namespaces\n\n- **retail** — Retail channel orders.\n- **wholesale** — Wholesale and bulk orders.\n\n## Functions\n\n- **summary** — Aggregate order statistics.\n- **cancel** — Cancel an existing order.",
			cashtext.Page{Namespace: "orders", Namespaces: entries{{Name: "retail", Description: "Retail channel orders."}, {Name: "wholesale", Description: "Wholesale and bulk orders."}},
				Functions: entries{{Name: "summary", Description: "Aggregate order statistics."}, {Name: "cancel", Description: "Cancel an existing order."}}}},
		{"RFC 4.2 JSON", `{ "namespaces": [ { "name": "orders", "description": "Create and manage customer orders." }, { "name": "inventory", "description": "Query and update stock levels." }, {"name":"crm","description":"Manage contacts and accounts."} ] }`,
			cashtext.Page{Namespaces: rfcIndex}},

		{"backticks and colon", "## Functions\n\n- `a`: About a.\n- `b`: About b.", cashtext.Page{Functions: two}},
		{"bold colon", "## Functions\n* **a:** About a.\n* **b:** About b.", cashtext.Page{Functions: two}},
		{"plain and dash", "Functions\n=========\n\n* a - About a.\n* b -- About b.", cashtext.Page{Functions: two}},
		{"signatures", "## Functions\n1. a(x, y) – About a.\n2. `b()` — About b.", cashtext.Page{Functions: entries{{Name: "b", Description: "About b."}}}},
		{"plain signatures", "## Functions\n1. a(x, y) – About a.\n2. b(): About b.", cashtext.Page{Functions: two}},
		{"links", "## Namespaces\n- [a](#a): About a.\n- [`b`](x) - About b.", cashtext.Page{Namespaces: two}},
		{"no separator", "## Namespaces\n- **a** About a.\n- **b** About b.", cashtext.Page{Namespaces: two}},
		{"table", "## Functions\n\n| Name | Description |\n|:-----|---|\n| a | About a. |\n| **b** | About b. |\n", cashtext.Page{Functions: two}},
		{"table that says what it lists", "# The catalog\n\n| Namespace | Description |\n|---|---|\n| `a` | About a. |\n| b | About b. |\n", cashtext.Page{Namespaces: two}},
		{"bars in a table", "## Functions\n| Name | About |\n|---|---|\n| a | x\\|y |", cashtext.Page{Functions: entries{{Name: "a", Description: "x|y"}}}},
		{"a line as heading", "Available namespaces:\n\n- a: About a.\n- b: About b.\n\n**Functions**\n- c", cashtext.Page{Namespaces: two, Functions: entries{{Name: "c"}}}},
		{"parts of a section", "## Functions\n\n### Reading\n- **a** — About a.\n\n### Writing\n- **b** — About b.\n\n## See also\n- **c** — About c.", cashtext.Page{Functions: two}},
		{"lines that go on", "## Functions\r\n\r\n- **a** — About\r\n  a.\r\n- **b** — About b.\r\n", cashtext.Page{Functions: two}},
		{"lists in lists", "## Functions\n  - **a** — About a.\n    - **x** — a parameter\n      and more\n  - **b** — About b.\n\n      - **y** — another", cashtext.Page{Functions: two}},
		{"no section, root", "# My shop\n\n- **a** — About a.\n- **b** — About b.", cashtext.Page{Namespaces: two, Guessed: true}},
		{"no section, namespace", "# x.y\n\n- **a** — About a.\n- **b** — About b.", cashtext.Page{Namespace: "x.y", Functions: two, Guessed: true}},
		{"no section, functions", "- `a()` — About a.\n- `b(x)` — About b.", cashtext.Page{Functions: two}},
		{"paths below the page", "# Order_Mgmt\n\n## Sub-namespaces\n\n- **ordermgmt.a** — About a.\n- **Order_Mgmt.b** — About b.", cashtext.Page{Namespace: "Order_Mgmt", Namespaces: two}},
		{"a namespace called functions", "# functions\n\n## Functions\n\n- **a** — About a.\n- **b** — About b.", cashtext.Page{Namespace: "functions", Functions: two}},
		{"a title that says so", "# Namespace: `tools`\n\n## Functions\n\n- **a** — About a.\n- **b** — About b.", cashtext.Page{Namespace: "tools", Functions: two}},
		{"not a namespace", "# Functions\n\n- **a** — About a.\n- **b** — About b.", cashtext.Page{Functions: two}},
		{"R132", "# Available Namespaces\n\n- **a** — About a. (available: false)\n- **b** (available: false)\n- **c** — Not. `available=false`", cashtext.Page{Namespaces: entries{{"a", "About a.", true}, {"b", "", true}, {"c", "Not.", true}}}},
		{"R132 JSON", `{"namespaces":[{"name":"a","description":"About a.","available":false},{"name":"b","available":true}]}`, cashtext.Page{Namespaces: entries{{"a", "About a.", true}, {"b", "", false}}}},
		{"R52", "# Available Namespaces\n\n- **a** — x\n\nResults of more than 20000 characters are withheld unless `sizelimit` allows them.\n\nSupported arguments: `x`.", cashtext.Page{Namespaces: entries{{Name: "a", Description: "x"}}, SizeLimit: 20000, Arguments: "Supported arguments: `x`."}},
		{"R52 in other words", "Gate threshold: **20,000** characters.", cashtext.Page{SizeLimit: 20000}},
		{"R52 JSON", `{"namespaces":[],"size_limit":2e4,"arguments":{"format":["json"]}}`, cashtext.Page{SizeLimit: 20000, Arguments: `{"format":["json"]}`}},
		{"arguments of its own", "## Functions\n- **a** — x\n\n## Arguments\n\n- `format`: json\n- `model`: any", cashtext.Page{Functions: entries{{Name: "a", Description: "x"}}, Arguments: "- `format`: json\n- `model`: any"}},
		{"prose", "# My shop\n\nWelcome. Names have at most 100 characters.\nStart here.\n\n- Use help to see more\n\n## Namespaces\n- **a** — x\n\n```\nhelp()\n\n# x\n```\n\nBye.\u200b", cashtext.Page{Namespaces: entries{{Name: "a", Description: "x"}}, Rest: "Welcome. Names have at most 100 characters.\nStart here.\n\n- Use help to see more\n\n```\nhelp()\n\n# x\n```\n\nBye."}},
		{"R30", "## Functions\n- **order-mgmt** — x\n- **a.b** — x\n- **ok** — x\n- **O_K** — again\n- **naïve\u200b** — x", cashtext.Page{Functions: entries{{Name: "ok", Description: "x"}}, Dropped: []string{"order-mgmt", "a.b", "O_K", "naïve"}}},
		{"names with marks of their own", "## Functions\n- **__a__** — x\n- _b_: y", cashtext.Page{Functions: entries{{Name: "__a__", Description: "x"}}}},
		{"JSON in other shapes", `{"Namespace":"x.y","sub_namespaces":["a"],"functions":{"f":"About f.","g":{"description":"About g.\nMore."}}}`, cashtext.Page{Namespace: "x.y", Namespaces: entries{{Name: "a"}}, Functions: entries{{Name: "f", Description: "About f."}, {Name: "g", Description: "About g. More."}}}},
		{"nothing", "# Available Namespaces\n\nNone.\n", cashtext.Page{Rest: "None."}},
		{"empty", "", cashtext.Page{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := cashtext.ParseHelp(tt.text)
			if err != nil || !reflect.DeepEqual(*got, tt.want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, tt.want)
			}
		})
	}
}

func TestParseHelpLimits(t *testing.T) {
	list := func(n int) string {
		var b strings.Builder
		b.WriteString("## Functions\n")
		for i := range n {
			fmt.Fprintf(&b, "- **f%d** — x\n", i)
		}
		return b.String()
	}
	if p, err := cashtext.ParseHelp(list(10_000)); err != nil || len(p.Functions) != 10_000 {
		t.Errorf("10,000 entries: %v", err)
	}
	p, err := cashtext.ParseHelp("## Functions\n- **a** — " + strings.Repeat("é", 1001) + strings.Repeat("\n- **b-c** — x", 20))
	if err != nil || p.Functions[0].Description != strings.Repeat("é", 999)+"…" || len(p.Dropped) != 16 {
		t.Errorf("got %+v, %v", p, err)
	}
	for text, want := range map[string]string{
		list(10_001):                        "reading a page of help: 10001 entries; at most 10000 are read",
		strings.Repeat("x", 1<<20+1):        "reading a page of help: the text has 1048577 bytes; at most 1048576 are read",
		`{"namespaces":[],"result":1,}`:     "reading a page of help: ",
		`{"namespaces":[],"namespaces":[]}`: `reading a page of help: duplicate key "namespaces" at byte 17`,
		`{"result":1}`:                      "reading a page of help: the JSON has neither namespaces nor functions",
	} {
		if p, err := cashtext.ParseHelp(text); p != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.30q: got %v, %v", text, p, err)
		}
	}
}

// TestHostilePages holds that pages built to be slow are done with; a quadratic
// step would take minutes.
func TestHostilePages(t *testing.T) {
	for _, unit := range []string{"- **a** — x\n", "- **a**\n", "a\n", "x\n- **a**\nb\n", "# a\n", "arguments:\n", "functions:\n", "functions:\n\n", "|a\n", "|", "|a|b|\n|-|-|\n", "```\n", "~~~", "- ", "**", "a\n---\n", "- a(\n", "(available: false", " (available: false)", "available", "size limit 1", "results characters", "> ", "\\|", "[", "# functions\n"} {
		for _, before := range []string{"", "## Functions\n- **a** — "} {
			text := before + strings.Repeat(unit, 1<<17/len(unit))
			_, errHelp := cashtext.ParseHelp(text)
			_, errSkills := cashtext.ParseSkills(text)
			_, errFunction := cashtext.ParseFunction(text)
			for _, err := range []error{errHelp, errSkills, errFunction} {
				if err != nil && len(err.Error()) > 200 {
					t.Errorf("%q: %v", unit, err)
				}
			}
		}
	}
}
