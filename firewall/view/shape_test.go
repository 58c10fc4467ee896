package view_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/firewall/view"
)

func TestW31_Shape(t *testing.T) {
	for _, test := range []struct{ doc, text, facts, list string }{
		{`{"total":2,"items":[{"id":1,"name":"x","in":{"a":[]}},{"id":"2","name":null}],"page":{"next":"abc","n":1}}`,
			"object with 3 keys: total, items, page\n$.total: 2\n$.items: array of 2 objects: id string or number, name string or null, in object\n" +
				"$.page: object with 2 keys: next, n\n$.items[0]: {\"id\":1,\"name\":\"x\",\"in\":{\"a\":[]}}",
			"JSON: object with 3 keys; $.items: array of 2 objects", "$.items"},
		{`[1,2,3]`, "array of 3 numbers\n$[0]: 1", "JSON: array of 3 numbers", "$"},
		{`[]`, "array of 0 items", "JSON: array of 0 items", "$"},
		{`{}`, "object with 0 keys", "JSON: object with 0 keys", ""},
		{`"text"`, "string of 4 characters", "JSON: string of 4 characters", ""},
		{` null `, "null", "JSON: null", ""},
		{`{"a":{"b":{"c d":["x","y"]}}}`, "object with 1 key: a\n$.a: object with 1 key: b\n$.a.b[\"c d\"][0]: \"x\"",
			`JSON: object with 1 key; $.a.b["c d"]: array of 2 strings`, `$.a.b["c d"]`},
		{`{"\u200bk\u001b[1m":[null,"x"]}`, "object with 1 key: k\n$.k: array of 2 items\n$[\"\\u200bk\\u001b[1m\"][0]: null",
			`JSON: object with 1 key; $["\u200bk\u001b[1m"]: array of 2 items`, `$["\u200bk\u001b[1m"]`},
	} {
		got, ok := view.NewSurvey([]byte(test.doc), "").Outline(500)
		if facts := strings.Join(got.Facts, "; "); !ok || got.Text != test.text || facts != test.facts || got.List != test.list {
			t.Errorf("%s\n got %t %s\n  list %s, facts %s\nwant %s\n  list %s, facts %s", test.doc, ok, got.Text, got.List, facts, test.text, test.list, test.facts)
		}
	}
	for _, data := range []string{"", "text", "{", "[1]]", "\x00", "a,b\n1,2"} {
		if got, ok := view.NewSurvey([]byte(data), "").Outline(500); ok {
			t.Errorf("Shape(%q) = %+v, want none", data, got)
		}
	}
}

// TestW31_ShapeIsBounded holds that a shape has its limit, whatever the document.
func TestW31_ShapeIsBounded(t *testing.T) {
	long := strings.Repeat("é<\u202e", 100_000)
	quoted, _ := json.Marshal(long)
	var keys strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&keys, `"key %d":%s,`, i, string(quoted[:21])+`"`)
	}
	for name, doc := range map[string]string{
		"a long string":  `[` + string(quoted) + `]`,
		"a long key":     `{` + string(quoted) + `:{"a":[1,2,3]}}`,
		"many keys":      `{` + keys.String() + `"n":[{` + keys.String() + `"n":1}]}`,
		"a deep one":     strings.Repeat(`{"a":`, 5000) + "[1]" + strings.Repeat("}", 5000),
		"many arrays":    `{"a":[` + strings.Repeat("[],", 100_000) + "1]}",
		"long and plain": `{"text":"` + strings.Repeat("word ", 10_000) + `"}`,
	} {
		for _, limit := range []int{0, 1, 50, 500, 5000} {
			got, ok := view.NewSurvey([]byte(doc), "").Outline(limit)
			if !ok {
				t.Fatalf("%s is JSON", name)
			}
			if n := utf8.RuneCountInString(got.Text); n > max(limit, 1) {
				t.Errorf("%s: %d characters of text, want at most %d: %.200s", name, n, limit, got.Text)
			}
			if n := len(got.List) + len(strings.Join(got.Facts, "")); n > 1500 {
				t.Errorf("%s: list and facts take %d bytes", name, n)
			}
			if strings.ContainsRune(got.Text+strings.Join(got.Facts, ""), '\u202e') {
				t.Errorf("%s: the shape is not clean", name)
			}
		}
	}
}

// TestW33_SuggestionsWork holds that every suggested view shows something.
func TestW33_SuggestionsWork(t *testing.T) {
	for _, test := range []struct{ data, media, types string }{
		{`{"n":1,"items":[{"a":{},"id":1},{"id":2}]}`, "application/json", "rows json_keys json_keys path"},
		{`[{"it's":"x"}]`, "", "rows json_keys path"},
		{`[1,2]`, "application/json", "rows"},
		{`{"a":{"b c":["x"]}}`, "application/json", "rows json_keys"},
		{`{"a":1}`, "application/json", "json_keys head"},
		{`{}`, "application/json", "json_keys head"},
		{`[]`, "application/json", "head"},
		{"a,b\n1,2\n3,4\n", "text/plain", "rows lines tail"},
		{"one\ntwo\n", "text/plain", "lines tail"},
		{"one", "text/plain", "head tail"},
		{"7", "application/json", "head tail"},
		{"\x00\x01", "image/png", "bytes"},
		{"", "text/plain", ""},
	} {
		var types []string
		for _, v := range view.NewSurvey([]byte(test.data), test.media).Suggest() {
			var selector struct{ Type string }
			if err := json.Unmarshal(v.Selector, &selector); err != nil {
				t.Fatal(err)
			}
			types = append(types, selector.Type)
			if v.Label == "" {
				t.Errorf("%q: view %+v", test.data, v)
			}
			if p := look(t, test.data, test.media, string(v.Selector)); p.Text == "" && len(p.Data) < 2 {
				t.Errorf("%q: %s shows nothing", test.data, v.Selector)
			}
		}
		if got := strings.Join(types, " "); got != test.types {
			t.Errorf("%q: types %q, want %q", test.data, got, test.types)
		}
	}
}

// FuzzLook holds that a page is bounded, clean and JSON, whatever is looked at
// and however, that Next can be followed, and that nothing panics.
func FuzzLook(f *testing.F) {
	datas := []string{
		"one\ntwo\r\nthree", `{"items":[{"id":1,"name":"x"},{"id":2}],"n":{"a":"\u200b"}}`, `[1,[2,[3]],"\ud800"]`, "a,b\n\"1\"\"\",2\n\"x", "\x1b]0;t\a\x1b[31mred",
		"\x00\xff\xfe", "", "\ufeff{\"a\":1}", strings.Repeat(`[{"k":"`, 40), "a\tb\n1\t2\n", "{\"\xed\":[{\"\xed\":1}]}", strings.Repeat("<long>", 3000), `{"a":"` + strings.Repeat("<", 3000) + `"}`,
	}
	selectors := []string{
		`{"type":"head","chars":7,"start":1}`, `{"type":"tail","chars":7}`, `{"type":"lines","start":1}`, `{"type":"rows","columns":["id"]}`, `{"type":"rows","end":1}`,
		`{"type":"json_keys"}`, `{"type":"json_keys","keys":["n","items"]}`, `{"type":"path","path":"$..*"}`, `{"type":"path","path":"$[?@.id>1 || match(@,'.*')][::-1]"}`,
		`{"type":"search","query":"t","context":1}`, `{"type":"search","query":"[a-t]+","regexp":true}`, `{"type":"bytes","end":2}`, `{"type":"path","path":"$['a']['b',1:2]"}`,
	}
	for i, data := range datas {
		for j, selector := range selectors {
			f.Add([]byte(data), "text/csv", selector, 1000*(i%3)+j)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, media, selector string, limit int) {
		limit = max(1000, min(limit, 5000))
		for range 3 {
			p, err := view.Look(context.Background(), data, media, json.RawMessage(selector), &view.Options{Limit: limit})
			var wrong *view.SelectorError
			if errors.As(err, &wrong) {
				checkMessage(t, wrong.Message)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			checkPage(t, p, limit)
			if p.Next == nil {
				break
			}
			if selector = string(p.Next); !json.Valid(p.Next) {
				t.Fatalf("next is %s", selector)
			}
		}
		for _, v := range view.NewSurvey(data, media).Suggest() {
			p, err := view.Look(context.Background(), data, media, v.Selector, &view.Options{Limit: limit})
			if err != nil {
				t.Fatalf("suggested %s: %v", v.Selector, err)
			}
			checkPage(t, p, limit)
		}
		view.NewSurvey(data, "").Outline(limit)
	})
}

func TestOutlineManyMembers(t *testing.T) {
	for _, n := range []int{1000, 1001, 3000} {
		var doc strings.Builder
		for i := range n {
			fmt.Fprintf(&doc, `,"k%d":%d`, i, i)
		}
		got, _ := view.NewSurvey([]byte("{"+doc.String()[1:]+"}"), "").Outline(1 << 20)
		lines := strings.Split(got.Text, "\n")
		if want := fmt.Sprintf("object with %d keys", n); !strings.HasPrefix(lines[0], want) || lines[1000] != "$.k999: 999" {
			t.Errorf("%d members: %q, then %q", n, lines[0], lines[1000])
		}
		if more := lines[1001:]; n == 1000 && len(more) > 0 || n > 1000 && (len(more) != 1 || more[0] != "…") {
			t.Errorf("%d members: after 1,000 lines there is %q", n, more)
		}
	}
}
