package cashtext_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/skillmd"
)

var seeds = []string{
	`call(namespace="orders", function='create', kwargs={"a": [1]}) help() skill(skillname=“x”) call("a", "b") help({"function": "x"})`,
	"# Skills in a.b\n\n- **x** — 1 skill.\n\n## Namespaces with skills\n- **c** — 2 skills.\n\n3 more lines",
	"No function `f` in namespace `a`. Did you mean `g`, `g` in namespace `b` or `g` without a namespace? in the root namespace",
	"# orders\n\n## Functions\n\n| Name | About |\n|--|--|\n| a | b\\|c |\n\n```\nx\n```\nArguments: y",
	`{"namespace":"a","functions":[{"name":"f","description":"help()"}],"namespaces":{"x":"y"},"parameters":[{"name":"p"}],"skills":["s"]}`,
	"call(function=\"f\", kwargs={\"id\": items[0].id})",
	`{"namespace": "a", "function": "f", "kwargs": {"namespace": "b", "function": "g"}} {"skillname":"s","namespace":"a.b"}`,
	"📦 Namespaces\n\na   About a.\n\nnamespace: b\ndescription: About b.\n\n`help(\"c\")` — About c. (available: false)\n\nd\n---\n: About d.\n\n```\ne - About e.\n```\nf | g\n--|--\nh | i",
	"```json\n[{\"name\":\"a\",\"available\":false},\"b\"]\n```",
	`{"result":{"subnamespaces":{"a":"b"},"functions":[{"function":"f"}]}}`,
}

func addSeeds(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
}

// FuzzText holds R137 for any text: what strict readers take for an invocation
// names something below the label, and nothing is lost.
func FuzzText(f *testing.F) {
	addSeeds(f)
	m := cashtext.Mount{To: "shop"}
	f.Fuzz(func(t *testing.T, text string) {
		got := m.Text(text)
		if !replaces(text) && !subsequence(text, got) {
			t.Errorf("%q became %q", text, got)
		}
		if !strings.ContainsAny(text, "(`#{") && got != text {
			t.Errorf("%q became %q", text, got)
		}
		if strings.ContainsAny(text, "\\“”„‘’‚") || strings.Contains(text, "({") {
			return // strict readers do not read these quotes, and find other invocations
		}
		for _, ref := range skillmd.References(got) {
			if path := canonical(ref.Namespace); !ref.Dynamic && isPath(path) && path != "shop" && !strings.HasPrefix(path, "shop.") &&
				(ref.Tool != "call" || ref.Name != "" || ref.HasNamespace) {
				t.Errorf("%q became %q with %+v", text, got, ref)
			}
		}
	})
}

// replaces reports whether a text has words that are replaced and not added to.
func replaces(text string) bool {
	for _, s := range []string{"root namespace", "without a namespace", "null", "None"} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// subsequence reports whether b is a with something added.
func subsequence(a, b string) bool {
	for i := range len(b) {
		if a != "" && a[0] == b[i] {
			a = a[1:]
		}
	}
	return a == ""
}

func canonical(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

func isPath(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789.") == "" && !strings.Contains("."+s+".", "..") || s == ""
}

func FuzzJSON(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, page string) {
		same, ok := (cashtext.Mount{}).JSON(page)
		if ok && same != page {
			t.Errorf("a mount of nothing makes %q of %q", same, page)
		}
		got, again := (cashtext.Mount{To: "shop"}).JSON(page)
		if again != ok || ok && !json.Valid([]byte(got)) {
			t.Errorf("%q became %q", page, got)
		}
		if _, still := (cashtext.Mount{To: "shop"}).JSON(got); ok && !still {
			t.Errorf("%q became %q, which is refused", page, got)
		}
	})
}

func checkNames(t *testing.T, list []cashtext.Entry) {
	seen := map[string]bool{}
	for _, e := range list {
		name := canonical(e.Name)
		if name == "" || !isPath(name) || strings.Contains(name, ".") || seen[name] {
			t.Errorf("name %q", e.Name)
		}
		seen[name] = true
		checkLine(t, e.Description)
	}
}

func checkLine(t *testing.T, text string) {
	if strings.ContainsAny(text, "\n\r\x00\x1b\u200b") || !utf8.ValidString(text) || utf8.RuneCountInString(text) > 1000 {
		t.Errorf("line %q", text)
	}
}

func FuzzParseHelp(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := cashtext.ParseHelp(text)
		if err != nil {
			return
		}
		checkNames(t, p.Namespaces)
		checkNames(t, p.Functions)
		for _, d := range p.Dropped {
			checkLine(t, d)
		}
		if len(p.Dropped) > 16 || p.SizeLimit < 0 || !isPath(canonical(p.Namespace)) || !utf8.ValidString(p.Rest+p.Arguments) {
			t.Errorf("%+v", p)
		}
	})
}

func FuzzParseSkills(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := cashtext.ParseSkills(text)
		if err != nil {
			return
		}
		for _, s := range p.Skills {
			if name := canonical(strings.ReplaceAll(s.Name, "-", "")); name == "" || !isPath(name) || strings.Contains(name, ".") || !isPath(canonical(s.Namespace)) {
				t.Errorf("%+v", s)
			}
			checkLine(t, s.Description)
		}
		for _, n := range p.Namespaces {
			if n.Path == "" || !isPath(canonical(n.Path)) || n.Count < 0 {
				t.Errorf("%+v", n)
			}
		}
	})
}

func FuzzParseFunction(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := cashtext.ParseFunction(text)
		if err != nil {
			return
		}
		for _, param := range p.Parameters {
			if param.Name == "" {
				t.Errorf("%+v", p)
			}
			checkLine(t, param.Name)
			checkLine(t, param.Type)
			checkLine(t, param.Description)
		}
	})
}
