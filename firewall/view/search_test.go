package view_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// matches follows the pages of a search and returns the lines that it shows,
// without the lines around them.
func matches(t *testing.T, data, selector string, limit int) []string {
	t.Helper()
	var all []string
	for _, p := range pages(t, data, "", selector, limit) {
		for line := range strings.Lines(p.Text) {
			if number, _, ok := strings.Cut(line, ": "); ok && !strings.Contains(number, "-") {
				all = append(all, strings.TrimSuffix(line, "\n"))
			}
		}
	}
	return all
}

func TestW33_SearchPagesShowEveryMatchOnce(t *testing.T) {
	var data strings.Builder
	var want []string
	for i := range 3000 {
		if i%7 == 0 {
			want = append(want, fmt.Sprintf("%d: the needle of line %d", i, i))
			fmt.Fprintf(&data, "the needle of line %d\n", i)
		} else {
			fmt.Fprintf(&data, "line %d\r\n", i)
		}
	}
	for _, selector := range []string{
		`{"type":"search","query":"NEEDLE"}`, `{"type":"search","query":"needle","context":3}`, `{"type":"search","query":"n[e]+dle","regexp":true,"context":1}`,
	} {
		if got := matches(t, data.String(), selector, 1500); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s shows %d matches, want %d: %.300q", selector, len(got), len(want), got)
		}
	}
}

// TestW33_SearchInLongText finds every match in a text without lines, plain, in
// one JSON string and across the pieces that are read at once.
func TestW33_SearchInLongText(t *testing.T) {
	var text strings.Builder
	const count = 300
	for i := range count {
		text.WriteString(strings.Repeat("é-", 137*i%5000+210))
		fmt.Fprintf(&text, "Needle %d!", i)
	}
	quoted, _ := json.Marshal(map[string]string{"text": text.String() + "\n"})
	for name, data := range map[string]string{"plain": text.String(), "JSON": string(quoted)} {
		for _, selector := range []string{`{"type":"search","query":"needle "}`, `{"type":"search","query":"needle \\d+!","regexp":true}`} {
			got := matches(t, data, selector, 4000)
			if len(got) != count {
				t.Errorf("%s, %s: %d matches, want %d", name, selector, len(got), count)
				continue
			}
			for i, line := range got {
				if !strings.Contains(line, fmt.Sprintf("Needle %d!", i)) || len(line) > 500 {
					t.Errorf("%s: match %d is %q", name, i, line)
				}
			}
		}
	}
}

// TestW33_HostileSearchesEnd holds that searches end soon, whatever is searched
// for in whatever.
func TestW33_HostileSearchesEnd(t *testing.T) {
	const size = 1 << 20
	texts := map[string]string{
		"one line":          strings.Repeat("a", size),
		"lines":             strings.Repeat(strings.Repeat("a", 99)+"\n", size/100),
		"empty lines":       strings.Repeat("\n", size),
		"JSON strings":      "[" + strings.Repeat(`"a\u0061",`, size/10) + "1]",
		"deep JSON":         strings.Repeat(`{"a":[`, 4000) + `"a"` + strings.Repeat("]}", 4000),
		"continuations":     strings.Repeat("a", 9000) + strings.Repeat("\x80", size) + "a",
		"a key of any size": `{"` + strings.Repeat("a", size) + `":{"` + strings.Repeat("b", 1000) + `":"aaa"}}`,
	}
	for name, text := range texts {
		for _, selector := range []string{
			`{"type":"search","query":"a"}`, `{"type":"search","query":"a","context":20}`, `{"type":"search","query":"aaaab"}`,
			`{"type":"search","query":"(a|aa)+$","regexp":true}`, `{"type":"search","query":"","regexp":true,"start":5}`,
			`{"type":"search","query":"a{0,400}b","regexp":true}`, `{"type":"search","query":"x*","regexp":true}`, `{"type":"search","query":"ä"}`,
		} {
			if strings.Contains(selector, `"query":""`) {
				refused(t, text, "", selector)
				continue
			}
			p := look(t, text, "", selector)
			if p.Text == "" && p.Note == "" {
				t.Errorf("%s in %s shows nothing and does not say why", selector, name)
			}
		}
	}
}
