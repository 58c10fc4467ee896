package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A server that cannot be started is told, and the walk goes on without it.
func TestWalk(t *testing.T) {
	code, page, errs := invoke(t.Context(), "-config", write(t, missing(), entry()))
	if code != 0 || errs != "" {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, want := range []string{
		"< - **shop** — ",
		"The server at files is not available",
		"\n3. Or straight to what is needed",
		`> call {"namespace":"shop.orders","function":"create"`,
		`< {"order_id":"ORD-`,
		`Call ` + "`" + `help(namespace="shop.inventory", function="check")` + "`",
		"tokens, ",
		"for the same 14 functions as ordinary MCP tools",
		"\n   files: down since ",
		"\n      unreachable: the program, or its directory, does not exist\n",
		"\n   shop: connected since ",
		", shop 1.0.0 (cash), 14 functions, 2 skills\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, unwanted := range []string{`"namespace":"files"`, `"namespace":"everything"`, `"namespace":"memory"`} {
		if strings.Contains(page, unwanted) {
			t.Errorf("the page has %q, for which there is no server", unwanted)
		}
	}
	for line := range strings.Lines(page) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%d characters in the line %q", n, line)
		}
	}
	if t.Failed() {
		t.Log(page)
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"", ""},
		{strings.Repeat("é", 94), strings.Repeat("é", 94)},
		{strings.Repeat("é", 95), strings.Repeat("é", 88) + " [...]"},
	} {
		if got := cut(tt.line); got != tt.want {
			t.Errorf("cut(%q) = %q, want %q", tt.line, got, tt.want)
		}
	}
}
