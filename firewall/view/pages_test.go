package view_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// pieces are what hostile and ordinary texts consist of.
var pieces = []string{
	"a", "word ", "\n", "\r\n", "\r", "\t", "é", "日本", "😀", "👩\u200d👧", "\x1b[31m", "\x1b]0;title\a", "\x1b", "\u009b1m",
	"<b>", "&", `"`, `\`, "\u2028", "\u200b", "\u202e", "\xff", "\u0085", "ℹ️", "1\ufe0f\u20e3", ",", strings.Repeat("long ", 30),
}

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// TestW33_TextPagesJoin holds that the pages of head, tail and lines together are
// the text, cleaned.
func TestW33_TextPagesJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 15 {
		text := randomText(r, r.IntN(600))
		want := clean.Text(text)
		for _, selector := range []string{
			`{"type":"head"}`, `{"type":"head","chars":100}`, `{"type":"head","chars":1}`,
			`{"type":"tail"}`, `{"type":"tail","chars":77}`,
		} {
			var got []string
			for _, p := range pages(t, text, "text/plain", selector, 1000) {
				got = append(got, p.Text)
			}
			if strings.HasPrefix(selector, `{"type":"tail"`) {
				slices.Reverse(got)
			}
			if s := strings.Join(got, ""); s != want {
				t.Fatalf("%s: the pages of %q\n got %q\nwant %q", selector, text, s, want)
			}
		}
	}
}

func TestW33_LinePagesJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		text := randomText(r, r.IntN(2000))
		for i, line := range strings.SplitAfter(text, "\n") { // no line is too long for a page
			if len(line) > 250 {
				text = strings.Replace(text, line, fmt.Sprintln("line", i), 1)
			}
		}
		for _, selector := range []string{`{"type":"lines"}`, `{"type":"lines","start":0,"end":1}`, `{"type":"lines","end":7}`} {
			var b strings.Builder
			for _, p := range pages(t, text, "text/plain", selector, 2000) {
				b.WriteString(p.Text)
			}
			if got, want := b.String(), clean.Text(text); got != want {
				t.Fatalf("%s: the pages of %q\n got %q\nwant %q", selector, text, got, want)
			}
		}
	}
}

func TestW33_BytePagesJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	data := make([]byte, 10_000)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	for _, selector := range []string{`{"type":"bytes"}`, `{"type":"bytes","end":100}`, `{"type":"bytes","start":0,"end":5000}`} {
		var got []byte
		for _, p := range pages(t, string(data), "image/png", selector, 1000) {
			part, err := base64.StdEncoding.DecodeString(p.Text)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, part...)
		}
		if string(got) != string(data) {
			t.Errorf("%s: the pages are %d bytes that differ from the %d stored", selector, len(got), len(data))
		}
	}
}

// randomJSON writes a value that takes few characters.
func randomJSON(r *rand.Rand, depth int) string {
	switch n := r.IntN(9); {
	case n < 3 || depth == 0 && n > 6:
		return fmt.Sprint(r.Int64())
	case n < 5:
		return []string{`"plain"`, `"caf\u00e9 <é>"`, `"a\"\\b\n"`, `"😀\ud83d\ude00"`, `""`}[r.IntN(5)]
	case n < 7:
		return []string{"true", "null", "1.50", "-0", "1e400"}[r.IntN(5)]
	case n == 7:
		return fmt.Sprintf("[ %s ,%s]", randomJSON(r, depth-1), randomJSON(r, depth-1))
	}
	return fmt.Sprintf(`{"z":%s, "a" : %s}`, randomJSON(r, depth-1), randomJSON(r, depth-1))
}

// TestW33_RowPagesJoin holds that the pages of rows, path and elements are the
// elements of the array in order, each with its spelling.
func TestW33_RowPagesJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 60 {
		var want []string
		for range r.IntN(200) {
			want = append(want, compact(t, randomJSON(r, 3)))
		}
		array := "[" + strings.Join(want, " , ") + "]"
		for selector, doc := range map[string]string{
			`{"type":"rows"}`:                       array,
			`{"type":"rows","start":0,"end":3}`:     array,
			`{"type":"rows","end":30}`:              `{"n":1,"in":{"list":` + array + `}}`,
			`{"type":"rows","path":"$.list"}`:       `{"n":[1],"list":` + array + `}`,
			`{"type":"path","path":"$[*]"}`:         array,
			`{"type":"path","path":"$..list.*"}`:    `{"x":{"list":` + array + `}}`,
			`{"type":"path","path":"$[*]","end":5}`: array,
		} {
			if len(want) == 0 && strings.Contains(doc, "in") {
				continue // an empty array is not the largest
			}
			var got []string
			for _, p := range pages(t, doc, "application/json", selector, 1500) {
				for _, e := range elements(t, p.Data) {
					got = append(got, string(e))
				}
			}
			if !strings.Contains(doc, `"x"`) && !slices.Equal(got, want) {
				t.Fatalf("%s of %s\n got %s\nwant %s", selector, doc, got, want)
			}
			if len(got) < len(want) {
				t.Fatalf("%s of %s: %d nodes, want %d", selector, doc, len(got), len(want))
			}
		}
	}
}

func compact(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	quoted := false
	for i := range len(s) {
		if s[i] == '"' && (i == 0 || s[i-1] != '\\' || i > 1 && s[i-2] == '\\') {
			quoted = !quoted
		}
		if quoted || s[i] != ' ' {
			b.WriteByte(s[i])
		}
	}
	if !json.Valid([]byte(b.String())) {
		t.Fatalf("%s compacted to %s", s, b.String())
	}
	return b.String()
}

// TestW33_RecordPagesJoin holds that the pages of a table are its records, each
// page with the header.
func TestW33_RecordPagesJoin(t *testing.T) {
	var data strings.Builder
	data.WriteString("id,name,note\n")
	var want []string
	for i := range 700 {
		fmt.Fprintf(&data, "%d,\"name, %d\",\"a \"\"b\"\"\nc\"\n", i, i)
		want = append(want, fmt.Sprintf(`["%d","name, %d","a \"b\"\nc"]`, i, i))
	}
	for _, selector := range []string{`{"type":"rows"}`, `{"type":"rows","end":9}`} {
		var got []string
		for _, p := range pages(t, data.String(), "text/csv", selector, 1000) {
			var table struct {
				Columns []string          `json:"columns"`
				Rows    []json.RawMessage `json:"rows"`
			}
			if err := json.Unmarshal(p.Data, &table); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(table.Columns, []string{"id", "name", "note"}) {
				t.Fatalf("columns %q", table.Columns)
			}
			for _, row := range table.Rows {
				got = append(got, string(row))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %d rows, want %d: %.300s", selector, len(got), len(want), got)
		}
	}
}
