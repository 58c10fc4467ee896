package check

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// TestForms: the forms are sound before anything is put into them, and their
// slots are where they should be.
func TestForms(t *testing.T) {
	k := &known{calls: []string{`"name":"a\"b","arguments":{"n":[1,{"x":true}]}`}, resources: []string{"x://\x1b"}, prompts: []string{`"name":"p"`},
		extension: true, skills: []string{"skill://a/b/SKILL.md"}}
	for _, version := range []string{"2025-11-25", sessionless} {
		for _, f := range forms(version, k) {
			if err := strictjson.Check([]byte(f.doc)); err != nil {
				t.Fatalf("%s: %v", f.doc, err)
			}
			for _, s := range f.slots {
				part := f.doc[s.start:s.end]
				if !json.Valid([]byte(part)) || s.text != (part[0] == '"') {
					t.Errorf("%s: slot %s is %q", f.doc, s.path, part)
				}
				if rest := strings.TrimSpace(f.doc[s.end:]); s.key != (rest[0] == ':') {
					t.Errorf("%s: slot %s is a name: %t", f.doc, s.path, s.key)
				}
			}
		}
	}
}

func TestSlots(t *testing.T) {
	var got []string
	for _, s := range slotsOf(` { "a" : {"b":[1, "x,\"}" ,{}]} ,"c":null}`) {
		name := s.path
		if s.key {
			name += ":"
		}
		got = append(got, name)
	}
	if want := "a: a.b: a.b[] a.b[] a.b[] a.b a c: c"; strings.Join(got, " ") != want {
		t.Errorf("slots %q, want %q", got, want)
	}
}

// TestProductEven: of any stretch, all payloads and places come equally often,
// and no pair twice.
func TestProductEven(t *testing.T) {
	payloads := append(texts(1000), values...)
	p := newProduct(forms(sessionless, new(known)), payloads, 1)
	seen := make(map[string]int)
	const n = 5000
	for range n {
		m := p.next()
		seen[m.about]++
		if m.kind == request && (m.least != 1 || len(m.ids) != 1) {
			t.Fatalf("%s: %+v", m.about, m)
		}
	}
	if len(seen) < n*9/10 { // places that come more often meet a payload again
		t.Errorf("%d of %d messages differ", len(seen), n)
	}
	again := newProduct(forms(sessionless, new(known)), payloads, 1)
	if got, want := string(again.next().data), string(newProduct(forms(sessionless, new(known)), payloads, 1).next().data); got != want {
		t.Errorf("one seed gives %s and %s", got, want)
	}
}

// TestFill: what may be answered follows from what is odd.
func TestFill(t *testing.T) {
	f := newForm(request, `{"jsonrpc":"2.0","id":"?","method":"m","params":{"a":"b"}}`)
	note := newForm(quiet, `{"jsonrpc":"2.0","method":"m","params":{"a":"b"}}`)
	for _, tt := range []struct {
		form        form
		path        string
		key         bool
		payload     string
		want        string
		kind        kind
		null        bool
		least, most int
	}{
		{f, "params.a", false, `"\u001b"`, `{"jsonrpc":"2.0","id":"c","method":"m","params":{"a":"\u001b"}}`, request, false, 1, 1},
		{f, "params.a", true, `1`, `{"jsonrpc":"2.0","id":"c","method":"m","params":{"1":"b"}}`, request, false, 1, 1},
		{f, "params", false, `null`, `{"jsonrpc":"2.0","id":"c","method":"m","params":null}`, request, false, 1, 1},
		{f, "params.a", false, `"\ud800"`, `{"jsonrpc":"2.0","id":"c","method":"m","params":{"a":"\ud800"}}`, request, true, 1, 1},
		{f, "id", false, `1.5`, `{"jsonrpc":"2.0","id":1.5,"method":"m","params":{"a":"b"}}`, oddRequest, true, 1, 1},
		{f, "id", false, `"x"`, `{"jsonrpc":"2.0","id":"x","method":"m","params":{"a":"b"}}`, request, false, 1, 1},
		{f, "id", true, `"x"`, `{"jsonrpc":"2.0","x":"c","method":"m","params":{"a":"b"}}`, quiet, true, 0, 1},
		{f, "jsonrpc", false, `"x"`, `{"jsonrpc":"x","id":"c","method":"m","params":{"a":"b"}}`, unreadable, true, 1, 1},
		{f, "method", false, `1`, `{"jsonrpc":"2.0","id":"c","method":1,"params":{"a":"b"}}`, unreadable, true, 1, 1},
		{f, "method", true, `"x"`, `{"jsonrpc":"2.0","id":"c","x":"m","params":{"a":"b"}}`, unreadable, true, 0, 1},
		{note, "params.a", false, `"x"`, `{"jsonrpc":"2.0","method":"m","params":{"a":"x"}}`, quiet, false, 0, 0},
		{note, "params", false, `1`, `{"jsonrpc":"2.0","method":"m","params":1}`, quiet, true, 0, 1},
	} {
		for _, s := range tt.form.slots {
			if s.path != tt.path || s.key != tt.key {
				continue
			}
			m := tt.form.fill(s, payload{"p", tt.payload}, `"c"`)
			if string(m.data) != tt.want || m.kind != tt.kind || m.mayRefuse != tt.null || m.least != tt.least || m.most != tt.most {
				t.Errorf("%s: %s, %+v", tt.path, m.data, m)
			}
		}
	}
}

func TestExcerpt(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1bb\u2028\xffc": "a<U+001B>b<U+2028><ff>c",
		"":                  "",
		`{"a":"\u001b"}`:    `{"a":"\u001b"}`,
	} {
		if got := excerpt([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for _, unit := range []string{"x", "\u00e9", "\xff", "\x00"} {
		got := excerpt([]byte(strings.Repeat(unit, 100_000)))
		if len(got) > maxExcerpt || !utf8.ValidString(got) || !strings.Contains(got, "bytes...") {
			t.Errorf("%q: %q", unit, got)
		}
	}
}
