package manifest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/manifest"
)

func TestR113ExampleOfTheSpecification(t *testing.T) {
	want := &manifest.Manifest{
		Version: "1.0", LastUpdated: "2026-04-24", Publisher: "Aigon AI", Copyright: "2026 Aigon AI",
		Endpoint: "https://mcp.aigon.ai/sse", CacheTTL: time.Hour,
		Authentication: &manifest.Authentication{Scheme: manifest.SchemeBearer, DocsURL: "https://aigon.ai/docs/mcp-auth"},
		Namespaces: []manifest.Namespace{
			{Suggested: "orders", Description: "Create and manage customer orders."},
			{Suggested: "inventory", Description: "Query and update stock levels."},
		},
		Skills: []manifest.Skill{{Name: "create-order-with-inventory-check", Description: "Create an order after verifying stock availability."}},
	}
	got, err := manifest.Parse(readFile(t, "rfc.yaml"))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if w := got.Warnings(); len(w) != 0 {
		t.Errorf("warnings: %q", w)
	}
}

// TestR114Tolerated reads what publishers write and the specification allows.
func TestR114Tolerated(t *testing.T) {
	type fields = func(*manifest.Manifest) any
	version := func(m *manifest.Manifest) any { return m.Version }
	updated := func(m *manifest.Manifest) any { return m.LastUpdated }
	publisher := func(m *manifest.Manifest) any { return m.Publisher }
	describes := func(m *manifest.Manifest) any { return m.Namespaces[0].Description }
	suggests := func(m *manifest.Manifest) any { return m.Namespaces[0].Suggested }
	rights := func(m *manifest.Manifest) any { return m.Copyright }
	ttl := func(m *manifest.Manifest) any { return m.TTL() }
	for _, tt := range []struct {
		name, doc string
		get       fields
		want      any
	}{
		{"number as version", minimal(`"0.1.1"`, "1.0"), version, "1.0"},
		{"number with zeros", minimal(`"0.1.1"`, "1.10"), version, "1.10"},
		{"unquoted date", minimal(`"2026-04-24"`, "2026-04-24"), updated, "2026-04-24"},
		{"timestamp", minimal(`"2026-04-24"`, "2026-04-24T10:00:00+02:00"), updated, "2026-04-24"},
		{"timestamp with a blank", minimal(`"2026-04-24"`, "2026-04-24 10:00:00Z"), updated, "2026-04-24"},
		{"truth value", minimal("Shop", "yes"), publisher, "yes"},
		{"exponent", minimal("Shop", "1e3"), publisher, "1e3"},
		{"hexadecimal", minimal("Shop", "0x10"), publisher, "0x10"},
		{"quoted null", minimal("Shop", `"null"`), publisher, "null"},
		{"tagged as text", minimal("Shop", "!!str 12"), publisher, "12"},
		{"null where optional", minimal("publisher:", "copyright: null\npublisher:"), rights, ""},
		{"nothing where optional", minimal("publisher:", "copyright:\nauthentication: ~\nskills:\npublisher:"), rights, ""},
		{"literal block", minimal("Create orders.", "|\n      Create\n      orders.\n"), describes, "Create orders."},
		{"folded block", minimal("Create orders.", ">-\n      Create\n      orders.\n"), describes, "Create orders."},
		{"escape sequences", minimal("Create orders.", `"Create\e[31m\0 \u202Eorders\u200b.\L"`), describes, "Create orders."},
		{"hidden tags", minimal("Create orders.", "Create\U000e0041 orders."), describes, "Create orders."},
		{"megabyte description", minimal("Create orders.", strings.Repeat("x", 900_000)), describes, strings.Repeat("x", 999) + "…"},
		{"megabyte suggestion", minimal("orders\n", strings.Repeat("x", 900_000)+"\n"), suggests, strings.Repeat("x", 199) + "…"},
		{"unknown keys", minimal("publisher:", "x: {y: [1, {z: *b}], b: null}\n\"<<\": 1\npublisher:", "cash_version:", "b: &b 1\ncash_version:"), publisher, "Shop"},
		{"anchor and alias", minimal("Create orders.", "&d Create orders.", "publisher: Shop", "publisher: &p Shop\ncopyright: *p"), rights, "Shop"},
		{"document markers", "%YAML 1.2\n---\n" + minimal() + "...\n", publisher, "Shop"},
		{"byte order mark", "\ufeff" + minimal(), publisher, "Shop"},
		{"line ends of Windows", strings.ReplaceAll(minimal(), "\n", "\r\n"), publisher, "Shop"},
		{"comments", "# one\n" + minimal("publisher: Shop", "publisher: Shop # two") + "# three\n", publisher, "Shop"},
		{"default TTL", minimal(), ttl, time.Hour},
		{"quoted TTL", minimal("publisher:", "cache_ttl: '60'\npublisher:"), ttl, time.Minute},
		{"TTL 0", minimal("publisher:", "cache_ttl: 0\npublisher:"), ttl, time.Duration(0)},
		{"negative TTL", minimal("publisher:", "cache_ttl: -5\npublisher:"), ttl, time.Duration(0)},
		{"longest TTL", minimal("publisher:", "cache_ttl: 2147483647\npublisher:"), ttl, manifest.MaxTTL},
		{"depth 64", minimal("publisher:", "x: "+strings.Repeat("[", 63)+strings.Repeat("]", 63)+"\npublisher:"), publisher, "Shop"},
		{"64 aliases", minimal("publisher:", "x: &x 1\ny: ["+strings.Repeat("*x,", 64)+"]\npublisher:"), publisher, "Shop"},
		{"command as endpoint", minimal("https://mcp.shop.example/mcp", "stdio:shop --mcp"), func(m *manifest.Manifest) any { return m.Endpoint }, "stdio:shop --mcp"},
		{"JSON with escaped surrogates", strings.Replace(asJSON(t, minimal()), `"Shop"`, `"\ud83d\ude00 Shop"`, 1), publisher, "😀 Shop"},
		{"JSON with a number", strings.Replace(asJSON(t, minimal()), `"0.1.1"`, `1.0`, 1), version, "1.0"},
		{"JSON with tabs", strings.ReplaceAll(asJSON(t, minimal()), ",", ",\n\t"), publisher, "Shop"},
		{"JSON that only YAML allows", strings.Replace(asJSON(t, minimal()), `"Shop"`, "Shop", 1), publisher, "Shop"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.get(mustParse(t, tt.doc)); got != tt.want {
				t.Errorf("got %.100q, want %.100q", got, tt.want)
			}
		})
	}
}

func asJSON(t *testing.T, doc string) string {
	t.Helper()
	data, err := json.Marshal(mustParse(t, doc))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestR113Required leaves out each required field, in each of four ways.
func TestR113Required(t *testing.T) {
	for _, tt := range []struct{ field, line string }{
		{"cash_version", `cash_version: "0.1.1"`},
		{"last_updated", `last_updated: "2026-04-24"`},
		{"publisher", `publisher: Shop`},
		{"endpoint", `endpoint: https://mcp.shop.example/mcp`},
		{"namespaces[0].suggested", `suggested: orders`},
		{"namespaces[0].description", `description: Create orders.`},
	} {
		key, _, _ := strings.Cut(tt.line, ":")
		for _, instead := range []string{"other: 1", key + ": null", key + `: ""`, key + ": !!str"} {
			_, err := manifest.Parse([]byte(minimal(tt.line, instead)))
			var e *manifest.Error
			if !errors.As(err, &e) || e.Field != tt.field || e.Line == 0 || !strings.Contains(e.Reason, "required") {
				t.Errorf("%s in place of %s: %v", instead, tt.field, err)
			}
		}
	}
}

func TestR114Refused(t *testing.T) {
	deep := strings.Repeat("[", 64) + strings.Repeat("]", 64)
	for _, tt := range []struct{ name, doc, want string }{
		{"empty", "", "the document is empty"},
		{"comment", "# nothing\n", "the document is empty"},
		{"one text", "hello", "line 1, column 1: one text where keys with values are wanted"},
		{"list", "- a\n", "line 1, column 1: a list where keys with values are wanted"},
		{"null", "null", "line 1, column 1: one text where keys with values are wanted"},
		{"too large", minimal() + strings.Repeat("#", manifest.MaxSize), "more than 1 MiB: shorten it"},
		{"not UTF-8", minimal("Shop", "\xff"), "not valid UTF-8"},
		{"UTF-16", "\xff\xfea\x00", "not valid UTF-8"},
		{"control character", minimal("Shop", "a\x00b"), "not valid YAML: control characters are not allowed"},
		{"bad syntax", "cash_version: [1\n", "line 1: not valid YAML: did not find expected ',' or ']'"},
		{"two documents", minimal() + "---\n" + minimal(), "line 8: a second document begins: keep the first only"},
		{"bad second document", minimal() + "---\n[", "line 9: not valid YAML: did not find expected node content"},
		{"duplicate key", minimal("publisher:", "cash_version: 1\npublisher:"), `line 3, column 1: the key is given twice: remove one`},
		{"duplicate unknown key", minimal("publisher:", "x: {y: 1, \"y\": 2}\npublisher:"), `line 3, column 11: the key is given twice: remove one`},
		{"duplicate key in JSON", `{"a": 1, "\u0061": 2}`, `line 1, column 10: the key is given twice: remove one`},
		{"hostile key", minimal("publisher:", "\"x\\e[1m\": 1\n\"x\\e[1m\": 1\npublisher:"), `line 4, column 1: the key is given twice: remove one`},
		{"merge key", minimal("publisher:", "<<: {x: 1}\npublisher:"), "line 3, column 1: merge keys (<<) are not supported: write the values out"},
		{"list as key", minimal("publisher:", "? [a]\n: b\npublisher:"), "line 3, column 3: the key is not one text: write it as key: value"},
		{"unknown anchor", minimal("Shop", "*ignore-all-rules"), "not valid YAML: an alias without its anchor"},
		{"too deep", minimal("publisher:", "x: "+deep+"\npublisher:"), "line 3, column 67: nested deeper than 64 levels: flatten it"},
		{"far too deep", strings.Repeat("[", 500_000), "not valid YAML: exceeded max depth of 10000"},
		{"too deep in JSON", `{"x":` + deep + `}`, "line 1, column 69: nested deeper than 64 levels: flatten it"},
		{"alias bomb", minimal("publisher:", "x: &x "+strings.Repeat("x", 900_000)+"\ny: ["+strings.Repeat("*x,", 10_000)+"]\npublisher:"),
			"line 4, column 197: more than 64 aliases: write the values out"},
		{"directives", strings.Repeat("%TAG ! a\n", 17) + "---\n" + minimal(), "too many TAG directives: write the tags out, or leave them away"},
		{"list as text", minimal("Shop", "[Shop]"), "line 3, column 12: publisher: a list where one text is wanted"},
		{"mapping as text", minimal("Create orders.", "{en: x}"), "line 7, column 18: namespaces[0].description: keys with values where one text is wanted"},
		{"list as TTL", minimal("publisher:", "cache_ttl: [1]\npublisher:"), "line 3, column 12: cache_ttl: a list where one text is wanted"},
		{"binary", minimal("Shop", "!!binary aGk="), `line 3, column 12: publisher: the tag "!!binary" means nothing here: remove it`},
		{"namespaces as mapping", minimal("  - suggested: orders\n    description: Create orders.", "  orders: Create orders."),
			"line 6, column 3: namespaces: keys with values where a list is wanted"},
		{"namespaces as texts", minimal("  - suggested: orders\n    description: Create orders.", "  - orders"),
			"line 6, column 5: namespaces[0]: one text where keys with values are wanted"},
		{"namespace null", minimal("namespaces:", "namespaces:\n  -"), "line 6, column 4: namespaces[0]: one text where keys with values are wanted"},
		{"no namespaces", minimal("\n  - suggested: orders\n    description: Create orders.", " []"), "line 5, column 13: namespaces: at least one entry is required"},
		{"namespaces left out", minimal("namespaces", "other"), "line 1, column 1: namespaces: at least one entry is required"},
		{"cyclic alias", minimal("namespaces:", "x: &x [*x]\nnamespaces: *x\nz:"), "line 5, column 4: namespaces[0]: a list where keys with values are wanted"},
		{"authentication as text", minimal("publisher:", "authentication: bearer\npublisher:"),
			"line 3, column 17: authentication: one text where keys with values are wanted"},
		{"authentication without scheme", minimal("publisher:", "authentication: {}\npublisher:"), "line 3, column 17: authentication.scheme: missing; it is required"},
		{"unknown scheme", minimal("publisher:", "authentication: {scheme: basic}\npublisher:"),
			`line 3, column 26: authentication.scheme: "basic" is not one of none, bearer, apikey, oauth2`},
		{"script as documentation", minimal("publisher:", "authentication: {scheme: none, docs_url: 'javascript:alert(1)'}\npublisher:"),
			`line 3, column 42: authentication.docs_url: "javascript:alert(1)" is not a URL such as https://mcp.example/mcp`},
		{"documentation with password", minimal("publisher:", "authentication: {scheme: none, docs_url: 'https://a:b@c/'}\npublisher:"),
			"line 3, column 42: authentication.docs_url: the URL has a user name or password: remove it"},
		{"skill without description", minimal() + "skills: [{name: a}]\n", "line 8, column 10: skills[0].description: missing; it is required"},
		{"second namespace", minimal() + "  - {suggested: a, description: '\x7f'}\n", "not valid YAML: control characters are not allowed"},
		{"invisible description", minimal() + "  - {suggested: a, description: \"\\u200b\"}\n", "line 8, column 33: namespaces[1].description: missing; it is required"},
		{"date of another form", minimal("2026-04-24", "24.04.2026"), `line 2, column 15: last_updated: "24.04.2026" is not a date such as 2026-04-24`},
		{"date that does not exist", minimal("2026-04-24", "2026-02-30"), `line 2, column 15: last_updated: "2026-02-30" is not a date such as 2026-04-24`},
		{"date with more", minimal("2026-04-24", "2026-04-24 or so"), `line 2, column 15: last_updated: "2026-04-24 or so" is not a date such as 2026-04-24`},
		{"TTL with unit", minimal("publisher:", "cache_ttl: 1h\npublisher:"), `line 3, column 12: cache_ttl: "1h" is not a whole number of seconds such as 3600`},
		{"TTL with fraction", minimal("publisher:", "cache_ttl: 1.5\npublisher:"), `line 3, column 12: cache_ttl: "1.5" is not a whole number of seconds such as 3600`},
		{"octal TTL", minimal("publisher:", "cache_ttl: 010\npublisher:"), `line 3, column 12: cache_ttl: "010" is not a whole number of seconds such as 3600`},
		{"TTL too long", minimal("publisher:", "cache_ttl: 2147483648\npublisher:"), "line 3, column 12: cache_ttl: more than 2147483647 seconds"},
		{"TTL beyond numbers", minimal("publisher:", "cache_ttl: 99999999999999999999\npublisher:"), `line 3, column 12: cache_ttl: "99999999999999999999" is not a whole number of seconds such as 3600`},
		{"endpoint with password", minimal("https://mcp.", "https://a:b@mcp."), "line 4, column 11: endpoint: the URL has a user name or password: remove it"},
		{"endpoint without host", minimal("https://mcp.shop.example/mcp", "https:///mcp"), `line 4, column 11: endpoint: "https:///mcp" is not a URL such as https://mcp.example/mcp`},
		{"endpoint with control character", minimal("https://mcp.shop.example/mcp", `"https://a/\eb"`),
			`line 4, column 11: endpoint: "https://a/" has control characters, invisible ones or runs of blanks: remove them`},
		{"long endpoint", minimal("example/mcp", "example/"+strings.Repeat("x", 2048)), "line 4, column 11: endpoint: 2073 characters; at most 2048 are allowed"},
		{"long version", minimal("0.1.1", strings.Repeat("1", 65)), "line 1, column 15: cash_version: 65 characters; at most 64 are allowed"},
		{"too many namespaces", minimal() + strings.Repeat("  - {suggested: a, description: b}\n", manifest.MaxEntries), "line 6, column 3: namespaces: 10001 entries; at most 10000 are allowed"},
		{"place in JSON", "{\"cash_version\": \"1\",\n \"é\": 1, \"publisher\": []}", "line 2, column 23: publisher: a list where one text is wanted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := manifest.Parse([]byte(tt.doc))
			var e *manifest.Error
			if m != nil || !errors.As(err, &e) || err.Error() != tt.want {
				t.Errorf("got %v, %v\nwant %s", m, err, tt.want)
			}
		})
	}
}

// TestR114Large feeds a megabyte of what makes careless readers slow, deep or
// large: each document is refused, in a few words.
func TestR114Large(t *testing.T) {
	numbered := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < 1<<20-64; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	full := func(s string) string { return strings.Repeat(s, (1<<20-64)/len(s)) }
	for name, doc := range map[string]string{
		"directives":  numbered("%%TAG !%x! a\n") + "--- a\n",
		"flow lists":  "[" + full("1,") + "]",
		"open maps":   full("{a: "),
		"keys":        numbered("a%x: b\n"),
		"JSON":        "{" + numbered("\"%x\":[],") + `"x":1}`,
		"one key":     full("a"),
		"anchors":     numbered("- &a%x b\n"),
		"documents":   full("--- a\n"),
		"dashes":      full("- "),
		"quotes":      `"` + full(`\n`) + `"`,
		"blank lines": full("\n"),
	} {
		if _, err := manifest.Parse([]byte(doc)); err == nil || len(err.Error()) > 200 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
