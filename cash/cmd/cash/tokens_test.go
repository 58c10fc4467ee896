package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTokens: text, JSON and page have the same figures.
func TestTokens(t *testing.T) {
	target := self(t, "plain")
	var b bill
	decoded(t, printed(t, false, "", nil, slices.Concat([]string{"tokens", "-json"}, target)...).out, &b)
	if b.Functions != 3 || b.Calls != 3 || len(b.Faces) != 7 || b.Server == nil || b.Server.Definitions == 0 || b.Server.Listed < b.Server.Definitions-b.Server.Instructions {
		t.Fatalf("%+v", b)
	}
	for _, f := range b.Faces {
		if f.Definitions+f.Finding+f.Calling != f.Once || f.Once > f.Input || f.Turns < 3 {
			t.Errorf("the layers of %s do not add up: %+v", f.Face, f)
		}
	}
	text := printed(t, false, "", nil, slices.Concat([]string{"tokens"}, target)...)
	page := printed(t, false, "", nil, slices.Concat([]string{"tokens", "-html"}, target)...)
	for _, got := range []ran{text, page} {
		if got.code != 0 || !strings.Contains(got.out, "Take "+string(b.Faces[0].Face)) || !strings.Contains(got.out, "disclosure") {
			t.Errorf("%+v", got)
		}
	}
	if strings.Contains(page.out, "<script") || strings.Count(page.out, `class="calling" x=`) != 7 {
		t.Errorf("%s", page.out)
	}
}

// TestTokensFile: a catalog and a configuration are measured too, and hostile names are escaped.
func TestTokensFile(t *testing.T) {
	dir := t.TempDir()
	catalog := filepath.Join(dir, "<script>.json")
	write(t, catalog, `{"tools": [{"name": "a.b", "description": "Do <script>alert(1)</script>.", "inputSchema": {"type": "object"}}]}`)
	got := printed(t, false, "", nil, "tokens", "-html", catalog)
	if got.code != 0 || strings.Contains(got.out, "<script") || !strings.Contains(got.out, "&lt;script&gt;") {
		t.Errorf("%+v", got)
	}
	program := self(t, "plain")[1]
	file := filepath.Join(dir, "tools.yaml")
	write(t, file, "upstreams:\n  - {label: one, command: ["+program+"], inherit: ["+asServer+"]}\n  - {label: two, command: [./none]}\n")
	got = printed(t, false, "", nil, "tokens", file)
	if got.code != 0 || !strings.Contains(got.out, "with 3 functions") || !strings.Contains(got.err, "left out: two:") {
		t.Errorf("%+v", got)
	}
	for want, args := range map[string][]string{
		"take -json or -html":    {"-json", "-html", catalog},
		"-calls must be 1 to 50": {"-calls", "0", catalog},
	} {
		if got := printed(t, false, "", nil, append([]string{"tokens"}, args...)...); got.code != 2 || !strings.Contains(got.err, want) {
			t.Errorf("%+v, want %s", got, want)
		}
	}
}
