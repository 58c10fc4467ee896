package cashtext_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
)

// TestParseHelpByOtherHands holds that pages are read in the habits of others:
// all of them list a and b as namespaces.
func TestParseHelpByOtherHands(t *testing.T) {
	for name, text := range map[string]string{
		"headings":               "# Available Namespaces\n\n## a\n\nAbout a.\n\n## `b`\nAbout b.\n",
		"headings of level 3":    "# My server\n\nWelcome.\n\n### a\nAbout a.\n\n### b\nAbout b.\n",
		"headings alone":         "## a\n\nAbout a.\n\n## b\n\nAbout b.\n",
		"bold lines":             "# Namespaces\n\n**a** — About a.\n\n**b** — About b.\n",
		"lines of code":          "# Namespaces\n\n`a` — About a.\n`b` — About b.\n",
		"a block of code":        "# Namespaces\n\n```\na — About a.\nb — About b.\n```\n",
		"lines":                  "Available namespaces:\n  a: About a.\n  b: About b.\n",
		"lines without a colon":  "NAMESPACES\n\na - About a.\nb - About b.\n",
		"columns":                "Namespaces\n  a     About a.\n  b\tAbout b.\n",
		"definitions":            "# Namespaces\n\n**a**\n: About a.\n\n**b**\n: About b.\n",
		"keys":                   "namespace: a\ndescription: About a.\n\nnamespace: b\ndescription: About b.\n",
		"keys in a list":         "- namespace: a — About a.\n- **Namespace:** b — About b.\n",
		"YAML":                   "namespaces:\n  - name: a\n    description: About a.\n  - name: b\n    description: About b.\n",
		"invocations":            "- `help(namespace=\"a\")` — About a.\n- help('b'): About b.\n",
		"symbols":                "# 📦 Namespaces\n- 📦 **a** — About a.\n- ⚙️ **b**: About b.\n",
		"a table without bars":   "Namespace | About\n--- | ---\na | About a.\nb | About b.\n",
		"ends of lines":          "# Namespaces\r\r- **a** — About a.\r- **b** — About b.\r",
		"JSON in a block":        "```json\n{\"namespaces\":[{\"name\":\"a\",\"description\":\"About a.\"},{\"name\":\"b\",\"description\":\"About b.\"}]}\n```\n",
		"JSON with other names":  `{"namespaces":[{"namespace":"a","description":"About a."},{"label":"b","description":"About b."}]}`,
		"JSON that is wrapped":   `{"result":{"namespaces":{"a":"About a.","b":"About b."}}}`,
		"JSON that is no object": `[{"name":"a","description":"About a."},{"name":"b","description":"About b."}]`,
	} {
		t.Run("R122 "+name, func(t *testing.T) {
			got, err := cashtext.ParseHelp(text)
			if err != nil || len(got.Functions) > 0 || len(got.Namespaces) != 2 {
				t.Fatalf("got %+v, %v", got, err)
			}
			for i, want := range two {
				if e := got.Namespaces[i]; e != want {
					t.Errorf("got %+v, want %+v", e, want)
				}
			}
		})
	}
}

// TestParseHelpOfProse holds that what is no list is not taken for one.
func TestParseHelpOfProse(t *testing.T) {
	for _, text := range []string{
		"**Error:** No namespace `a`. Use `help()` to see available namespaces.",
		"# orders\n\n**Note:** nothing here.\n\nwelcome: this is the shop — have a look.\n",
		"# orders\n\n## Overview\n\nNone.\n\n## Usage\n\nNone.\n",
		"# a\n\nNothing in it.\n",
		"Call the office: we are there — always.\n",
		"[a link](x) is no JSON",
	} {
		if got, err := cashtext.ParseHelp(text); err != nil || len(got.Namespaces)+len(got.Functions) > 0 {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
}

// TestParseHelpHints holds that what leads elsewhere is not listed.
func TestParseHelpHints(t *testing.T) {
	got, err := cashtext.ParseHelp("# orders\n\n## Functions\n\n- **a** — About a.\n- `help(namespace=\"crm\")` — More.\n\n## See also\n\n- `help(namespace=\"stock\")`\n")
	if err != nil || len(got.Namespaces) > 0 || len(got.Functions) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	skills, err := cashtext.ParseSkills("- **a** — About a.\n- `call(namespace=\"crm\", function=\"f\")` — More.\n- namespace: stock — 2 skills\n")
	if err != nil || len(skills.Skills) != 1 || len(skills.Namespaces) != 1 {
		t.Errorf("got %+v, %v", skills, err)
	}
}

func TestParseSkillsByOtherHands(t *testing.T) {
	for name, text := range map[string]string{
		"headings":              "# Skills\n\n## a-b\n\nAbout it.\n\n## c\n\nAbout it.\n",
		"lines":                 "Available skills:\na-b - About it.\nc - About it.\n",
		"bold lines":            "**a-b** — About it.\n\n**c** — About it.\n",
		"keys":                  "skill: a-b\ndescription: About it.\n\nskill: c\ndescription: About it.\n",
		"invocations":           "- `skill(skillname=\"a-b\")` — About it.\n- `skill(name='c')` — About it.\n",
		"a table without bars":  "Skill | About\n--- | ---\na-b | About it.\nc | About it.\n",
		"JSON with other names": `{"skills":[{"skillname":"a-b","description":"About it."},{"skill":"c","description":"About it."}]}`,
		"JSON, no object":       `[{"name":"a-b","description":"About it."},{"name":"c","description":"About it."}]`,
	} {
		t.Run("R123 "+name, func(t *testing.T) {
			got, err := cashtext.ParseSkills(text)
			want := []cashtext.SkillEntry{{Name: "a-b", Description: "About it."}, {Name: "c", Description: "About it."}}
			if err != nil || !reflect.DeepEqual(got.Skills, want) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	got, err := cashtext.ParseSkills("# Skills\n\n## orders\n- **a** — A.\n\n## Other\n- **a** — B.\n")
	if err != nil || len(got.Skills) != 2 || got.Skills[0].Heading != "orders" || got.Skills[1].Heading != "Other" {
		t.Errorf("below headings, got %+v, %v", got, err)
	}
}

// TestParseSkillsBeforeHeadings holds that a heading is that of what stands below
// it, not of what comes before.
func TestParseSkillsBeforeHeadings(t *testing.T) {
	got, err := cashtext.ParseSkills("`a` — About a.\n\n`b` — About b.\n\n## orders\n\nNone.\n")
	if err != nil || len(got.Skills) < 2 || got.Skills[0].Heading != "" || got.Skills[1].Heading != "" {
		t.Errorf("R123 got %+v, %v", got, err)
	}
}

func TestIsRefusal(t *testing.T) {
	for text, want := range map[string]bool{
		"**Error:** No function `x`.": true, "Error: x": true, "Unknown namespace 'a'.": true, "no such namespace a": true,
		"Namespace \"a\" not found.": true, "❌ Function `f` does not exist": true, `{"error":"no"}`: true,
		"": false, "# Errors\n\n- **a** — x": false, "# Available Namespaces\n\nNone.": false, "Functions:\n- a: b": false,
		`{"error":null,"namespaces":[]}`: false, `{"namespaces":[]}`: false, "Errors are rare here.": false,
	} {
		if got := cashtext.IsRefusal(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestIsGated(t *testing.T) {
	for text, want := range map[string]bool{
		"**Gated:** Response exceeds size limit (4821 orders).":      true,
		"Output gated: narrow it, or pass `sizelimit=50000`.":        true,
		"Withheld: 48000 characters. Repeat with size_limit: 50000.": true,
		`{"gated":true,"suggested_sizelimit":50000}`:                 true,
		"A gated community.": false, "Pass sizelimit=5.": false, "": false,
	} {
		if got := cashtext.IsGated(text); got != want {
			t.Errorf("R138 %q: got %v", text, got)
		}
	}
}

// TestTextKnown holds what is rewritten because of what the server is known to
// have.
func TestTextKnown(t *testing.T) {
	m := cashtext.Mount{To: "shop", Known: map[string]bool{"orders": true, "orders.retail": true, "functions": true}}
	for _, tt := range []struct{ name, text, want string }{
		{"no quotes", `call(namespace=orders, function=create) help(Orders.re_tail)`, `call(namespace=shop.orders, function=create) help(Orders.re_tail)`},
		{"a stand-in", `call(namespace=ns, function=f) help(namespace=namespace)`, ""},
		{"heading", "# orders\n\n### `Orders.Retail`\r\n\n# orders are fine\n# crm\n## Functions\n", "# shop.orders\n\n### `shop.Orders.Retail`\r\n\n# orders are fine\n# crm\n## Functions\n"},
	} {
		if tt.want == "" {
			tt.want = tt.text
		}
		if got := m.Text(tt.text); got != tt.want {
			t.Errorf("R137 %s: got\n%s", tt.name, got)
		}
	}
}

// TestTextObjects holds which JSON in a text is an invocation.
func TestTextObjects(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"function", `Call {"namespace": "orders", "function": "create"}.`, `Call {"namespace": "shop.orders", "function": "create"}.`},
		{"skill, in another order", `{"skillname":"x","kwargs":{},"namespace":"orders"}`, `{"skillname":"x","kwargs":{},"namespace":"shop.orders"}`},
		{"in another", "```json\n{\"tool\":\"call\",\n \"arguments\": {\"namespace\":\"orders\",\"function\":\"f\"}}\n```", "```json\n{\"tool\":\"call\",\n \"arguments\": {\"namespace\":\"shop.orders\",\"function\":\"f\"}}\n```"},
		{"data", `{"namespace": "orders", "pod": "x"} {"function":"f","x":{"namespace":"orders"}}`, ""},
		{"kwargs", `call(kwargs={"namespace":"orders","function":"f"}) {"kwargs": {"x":[{"namespace":"orders","function":"f"}]}}`, `call(kwargs={"namespace":"orders","function":"f"}) {"kwargs": {"x":[{"namespace":"orders","function":"f"}]}}`},
		{"values", `{"function":"namespace","x":"orders","namespace":7}`, ""},
		{"prose with a brace", "{ and \"namespace\": \"orders\"\n\n\"function\" }", ""},
		{"no end", `{"namespace":"orders","function":"f"`, ""},
		{"no label", `{"namespace":"a-b","function":"f"} {"namespace":"","function":"f"}`, `{"namespace":"a-b","function":"f"} {"namespace":"shop","function":"f"}`},
	} {
		if tt.want == "" {
			tt.want = tt.text
		}
		if got := (cashtext.Mount{To: "shop"}).Text(tt.text); got != tt.want {
			t.Errorf("R137 %s: got\n%s", tt.name, got)
		}
	}
	for _, unit := range []string{`{"namespace":"a",`, `{"namespace":"a","function":"f"`, `{"`, `{"namespace"`, "{", `{"a":"\`} {
		text := strings.Repeat(unit, 1<<20/len(unit))
		if got := (cashtext.Mount{To: "shop"}).Text(text); len(got) < len(text) {
			t.Errorf("%q: %d bytes became %d", unit, len(text), len(got))
		}
	}
}

// TestTextBeside holds that the parts of a server that stand apart are told from
// one another.
func TestTextBeside(t *testing.T) {
	m := cashtext.Mount{From: "orders", To: "shoporders", Beside: []cashtext.Place{{From: "inventory", To: "shopinventory"}, {From: "orders.eu", To: "europe"}}}
	const text = `call(namespace="orders.x", function="f") help("inventory.y") help(namespace="orders.eu.z") help(namespace="crm")`
	const want = `call(namespace="shoporders.x", function="f") help("shopinventory.y") help(namespace="europe.z") help(namespace="crm")`
	if got := m.Text(text); got != want {
		t.Errorf("R137: got %s", got)
	}
}

func TestFunctionJSON(t *testing.T) {
	const page = `{"namespace":"a.b","name":"f","description":"Does <it>.","safety":"Read-only.","parameters":[{"name":"x","type":"integer","required":true,"description":"X."},{"name":"y","required":false}],"open":true,"returns":"Text.","more":"params=\"full\""}`
	f, err := cashtext.ParseFunction(page)
	if err != nil || f.JSON() != page {
		t.Errorf("R40: got %+v, %v", f, err)
	}
	if f, err = cashtext.ParseFunction("# f\n\nDoes.\n"); err != nil || f.JSON() != `{"name":"f","description":"Does.","parameters":[]}` {
		t.Errorf("R40: got %s, %v", f.JSON(), err)
	}
}
