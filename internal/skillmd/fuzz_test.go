package skillmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
)

// addFixtures seeds f with the fixtures, whole.
func addFixtures(f *testing.F) {
	files, err := filepath.Glob("testdata/*.in.md")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
}

func FuzzParse(f *testing.F) {
	addFixtures(f)
	f.Add("---\na: &x [1]\nb: *x\n---\n")
	f.Add("\ufeff---\r\nname: 1.0\r\n...\r\n---\r\n")
	f.Fuzz(func(t *testing.T, data string) {
		doc, err := skillmd.Parse([]byte(data))
		if err != nil {
			if doc != nil {
				t.Error("a document with an error")
			}
			return
		}
		if strings.ContainsAny(doc.Name+doc.Description, "\n\r\x00") || strings.Contains(doc.Body, "\r") {
			t.Errorf("line ends: %+v", doc)
		}
		text := strings.ReplaceAll(strings.ReplaceAll(strings.TrimPrefix(data, "\ufeff"), "\r\n", "\n"), "\r", "\n")
		if !strings.HasSuffix(text, doc.Body) {
			t.Errorf("body %q is not the end of %q", doc.Body, data)
		}
		if before := strings.Count(strings.TrimSuffix(text, doc.Body), "\n") + 1; doc.Body != "" && before != doc.BodyLine {
			t.Errorf("body line %d, want %d: %q", doc.BodyLine, before, data)
		}
	})
}

func FuzzStrip(f *testing.F) {
	addFixtures(f)
	f.Add("Run ```bash\nx\n``` now\n> - ```!\n>   x\n")
	f.Add("<scr<script>ipt>\n</script>`<script>`!``a`<a b=\"c>\" onclick=d>")
	f.Add("``!`0```0```0```\n```0`")
	f.Add("- a\n\n\t  \tcode\n1. b\n\n      ~~~\n~~~~\n")
	f.Fuzz(func(t *testing.T, body string) {
		got, removed := skillmd.Strip(body)
		checkStripped(t, body, got)
		lines := 1 + strings.Count(strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n"), "\n")
		last := 0
		for _, r := range removed {
			// A block that only shows in a later round may hold the notices of an earlier one.
			if r.Line < last || r.Line > lines || r.Line < 1 || r.Lines < 0 || r.Lines > 2*lines {
				t.Errorf("removals %+v of %q", removed, body)
			}
			last = r.Line
		}
		if len(removed) == 0 && got != strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n") {
			t.Errorf("changed without a removal: %q to %q", body, got)
		}
		if limit := 64*len(body) + 64; len(got) > limit {
			t.Errorf("grew from %d to %d", len(body), len(got))
		}
	})
}

func FuzzExpand(f *testing.F) {
	f.Add("{{a}} {{ b |c}} {{{d}}}", "value")
	f.Add("{{a|`}}\n```{{b", "```bash\nx\n```")
	f.Fuzz(func(t *testing.T, body, value string) {
		names := map[string]bool{}
		for _, in := range skillmd.Inputs(body) {
			names[strings.ToLower(strings.ReplaceAll(in.Name, "_", ""))] = true
		}
		got := skillmd.Expand(body, func(name string) (string, bool) {
			if !names[strings.ToLower(strings.ReplaceAll(name, "_", ""))] {
				t.Errorf("asks for %q, which Inputs does not list", name)
			}
			return value, len(name)%2 == 0
		})
		if len(got) > len(body)+skillmd.MaxGrowth {
			t.Errorf("grew from %d to %d", len(body), len(got))
		}
		if utf8.ValidString(body) && !utf8.ValidString(got) {
			t.Errorf("not UTF-8: %q", got)
		}
		if len(names) == 0 && got != body {
			t.Errorf("changed %q to %q", body, got)
		}
		none := skillmd.Expand(body, func(string) (string, bool) { return "", false })
		if again := skillmd.Expand(none, func(string) (string, bool) { return "", false }); !strings.Contains(body, "|") && again != none {
			t.Errorf("placeholders without values are not stable: %q, %q", none, again)
		}
	})
}

func FuzzReferences(f *testing.F) {
	addFixtures(f)
	f.Add(`call(namespace="a",function='b',kwargs={"c":[1,{"d":-1.5e3}],...}) help(x) skill(name={{n|d}})`)
	f.Fuzz(func(t *testing.T, body string) {
		last := 1
		for _, r := range skillmd.References(body) {
			if r.Line < last || r.Line > 1+strings.Count(body, "\n") {
				t.Errorf("line %d of %q", r.Line, body)
			}
			last = r.Line
			if line := strings.Split(body, "\n")[r.Line-1]; !strings.Contains(line, r.Tool+"(") {
				t.Errorf("no %s in line %d of %q", r.Tool, r.Line, body)
			}
			if r.Namespace != "" && !r.HasNamespace {
				t.Errorf("namespace without HasNamespace in %q", body)
			}
		}
	})
}
