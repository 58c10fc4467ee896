package check

import (
	"slices"
	"strings"
	"testing"
)

func TestParsePage(t *testing.T) {
	tests := []struct {
		name, title, text string
		want              []string // "kind name: description"
	}{
		{"R40 the RFC's index", "", "# Available Namespaces\n\n- **orders** \u2014 Create and manage orders.\n- **crm** \u2014 Contacts.\n\nSupported arguments: `format` (json|markdown).",
			[]string{"namespace orders: Create and manage orders.", "namespace crm: Contacts."}},
		{"R41 the RFC's namespace", "orders", "# orders\n\n## Sub-namespaces\n\n- **retail** \u2014 Retail.\n\n## Functions\n\n- **cancel** \u2014 Cancel.\n",
			[]string{"namespace retail: Retail.", "function cancel: Cancel."}},
		{"a title that reads like a section", "functions", "# functions\n\n- **map** - Map.", []string{"unknown map: Map."}},
		{"plain entries", "", "* orders: Orders.\n+ crm - Contacts.\n1. stock\n", []string{"unknown orders: Orders.", "unknown crm: Contacts.", "unknown stock: "}},
		{"entries in code", "", "## Functions\n- `get_order`: Get.\n- `put`\n", []string{"function get_order: Get.", "function put: "}},
		{"prose in a list", "", "- Use `help` to go on\n- Then go\n", nil},
		{"a table", "", "## Functions\n\n| Name | What |\n|---|---|\n| get | Get it. |\n", []string{"function get: Get it."}},
		{"a signature", "", "- get(order_id: string): Get.\n", []string{"unknown get: (order_id: string): Get."}},
		{"code is not a list", "", "```\n- orders: Orders.\n```\n~~~bash\n- x: y\n", nil},
		{"a hyphen", "", "- **order-mgmt** \u2014 Orders.", []string{"unknown order-mgmt: Orders."}},
		{"CRLF", "", "# Namespaces\r\n\r\n- a: A.\r\n", []string{"namespace a: A."}},
	}
	kinds := []string{"unknown", "namespace", "function", "skill"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, e := range parsePage(tt.text, tt.title).entries {
				got = append(got, kinds[e.kind]+" "+e.name+": "+e.description)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("entries %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParsePageParts(t *testing.T) {
	p := parsePage("# T\n\ntext\n\n- a: A.\n  more\n  - b: B.\n\n| Name | Type |\n|--|--|\n| x | y |\n\n````bash\nrun\n```\n````\n\n```sh\nopen", "")
	if !slices.Equal(p.headings, []string{"T"}) || !slices.Equal(p.rest, []string{"text"}) || !slices.Equal(p.wrapped, []string{"more"}) {
		t.Errorf("headings %q, rest %q, wrapped %q", p.headings, p.rest, p.wrapped)
	}
	if len(p.entries) != 3 || !p.entries[1].nested || p.entries[0].nested {
		t.Errorf("entries %+v", p.entries)
	}
	if len(p.tables) != 1 || !slices.Equal(p.tables[0], []string{"Name", "Type"}) {
		t.Errorf("tables %q", p.tables)
	}
	want := []fence{{"bash", "run\n```\n"}, {"sh", "open\n"}}
	if !slices.Equal(p.fences, want) {
		t.Errorf("fences %q, want %q", p.fences, want)
	}
}

func TestEnumerates(t *testing.T) {
	tests := []struct {
		line  string
		names []string
		want  bool
	}{
		{"Create and manage customer orders.", []string{"create", "get", "list", "cancel"}, false},
		{"Query and update stock levels.", []string{"query", "update"}, false},
		{"Orders: create, get, list.", []string{"create", "get", "list", "cancel"}, true},
		{"Offers create and cancel.", []string{"create", "cancel"}, true},
		{"Begin with `get`.", []string{"get"}, true},
		{"Calls get(id) for you.", []string{"get"}, true},
		{"", nil, false},
	}
	for _, tt := range tests {
		if got := enumerates(tt.line, tt.names); got != tt.want {
			t.Errorf("R40 enumerates(%q, %q) = %t", tt.line, tt.names, got)
		}
	}
}

func TestSuggested(t *testing.T) {
	tests := map[string]int{
		"Pass `sizelimit=50000` to allow it":          50_000,
		"pass sizelimit: 50,000":                      50_000,
		"set size_limit to 1200":                      1200,
		"raise the size limit to `7`":                 7,
		`"sizelimit": 9`:                              9,
		"exceeds size limit (4821 orders). No advice": 0,
	}
	for text, want := range tests {
		if got, ok := suggested(text); got != want || ok != (want > 0) {
			t.Errorf("R93 suggested(%q) = %d, %t, want %d", text, got, ok, want)
		}
	}
}

// FuzzParsePage: everything that is read stands in the text, and no line is
// read twice.
func FuzzParsePage(f *testing.F) {
	f.Add("# Available Namespaces\n\n- **orders** \u2014 Orders.\n", "")
	f.Add("| a | b |\n|---|---|\n| c | d |\n```sh\nx\n```", "a")
	f.Add("- a: A\n  b\n\t1) `c`(d, e)\n~~~~", "")
	f.Fuzz(func(t *testing.T, text, title string) {
		p := parsePage(text, title)
		code := 0
		for _, b := range p.fences {
			code += strings.Count(b.code, "\n")
		}
		parts := len(p.entries) + len(p.headings) + len(p.tables) + len(p.rest) + len(p.wrapped) + code
		if lines := strings.Count(text, "\n") + 1; parts > lines {
			t.Errorf("%d parts of %d lines", parts, lines)
		}
		for _, e := range p.entries {
			if e.name == "" || !strings.Contains(e.line, e.name) || !strings.Contains(text, e.line) {
				t.Errorf("entry %+v is not in the text", e)
			}
		}
		again := parsePage(strings.Join(p.rest, "\n\n"), title)
		if len(again.headings) > 0 {
			t.Errorf("prose holds headings: %q", again.headings)
		}
	})
}
