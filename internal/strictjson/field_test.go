package strictjson_test

import (
	"encoding/json"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

func TestTake(t *testing.T) {
	text, flag, number, object := "before", true, 7, json.RawMessage("{}")
	for _, other := range []string{`null`, `1.5`, `1e400`, `9007199254740993e3`, `[]`} {
		if strictjson.Take(&text, []byte(other)) || strictjson.Take(&flag, []byte(other)) ||
			strictjson.Take(&number, []byte(other)) || strictjson.Take(&object, []byte(other)) {
			t.Errorf("%s is taken", other)
		}
	}
	if text != "before" || !flag || number != 7 || string(object) != "{}" {
		t.Errorf("a value of another type changes a field: %q, %v, %d, %s", text, flag, number, object)
	}
	data := []byte(` { "a" : 1 } `)
	if !strictjson.Take(&text, []byte(` "\u0041" `)) || !strictjson.Take(&flag, []byte(" false ")) ||
		!strictjson.Take(&number, []byte(" -1.0e1 ")) || !strictjson.Take(&object, data) {
		t.Error("a value of the field's type is not taken")
	}
	data[3] = 'x'
	if text != "A" || flag || number != -10 || string(object) != ` { "a" : 1 } ` {
		t.Errorf("got %q, %v, %d, %s", text, flag, number, object)
	}
}

func TestSet(t *testing.T) {
	text, flag, number, object := "before", true, 7, json.RawMessage("{}")
	for _, err := range []error{
		strictjson.Set(&text, "a", []byte("null")), strictjson.Set(&text, "a", nil), strictjson.Set(&flag, "a", []byte(" null")),
	} {
		if err != nil || text != "before" || !flag {
			t.Errorf("null is not absent: %v", err)
		}
	}
	for want, err := range map[string]error{
		"a: want a string, got type number":       strictjson.Set(&text, "a", []byte("1")),
		"a: want a boolean, got type string":      strictjson.Set(&flag, "a", []byte(`"true"`)),
		"a: want a whole number, got type number": strictjson.Set(&number, "a", []byte("1.5")),
		"a: want an object, got type array":       strictjson.Set(&object, "a", []byte("[]")),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestMember(t *testing.T) {
	object := []byte(`{"a" : "first", "\u0062": [1, 2] , "c\\": 3, "a": "second"}`)
	for name, want := range map[string]string{"a": `"first"`, "b": "[1, 2]", `c\`: "3", `c\\`: "", `\u0062`: "", "": ""} {
		if got := strictjson.Member(object, name); string(got) != want || (got == nil) != (want == "") {
			t.Errorf("member %q: got %q, want %q", name, got, want)
		}
	}
	for _, other := range []string{"", "null", "[]", `"a"`} {
		if got := strictjson.Member([]byte(other), "a"); got != nil {
			t.Errorf("%q has a member: %s", other, got)
		}
	}
	if n := testing.AllocsPerRun(100, func() { strictjson.Member(object, "c") }); n > 1 { // the key with an escape
		t.Errorf("%v allocations", n)
	}
}

func TestUnquote(t *testing.T) {
	for quoted, want := range map[string]string{
		`""`: "", `"é"`: "é", `"a\n\"\/\u00e9"`: "a\n\"/é", `"\ud83d\ude00"`: "😀",
		`"\ud83dx"`: "\xed\xa0\xbdx", `"\ude00\ud83d"`: "\xed\xb8\x80\xed\xa0\xbd", `"x\uD800\\"`: "x\xed\xa0\x80\\",
	} {
		if got := strictjson.Unquote([]byte(quoted)); string(got) != want {
			t.Errorf("%s: got %q, want %q", quoted, got, want)
		}
	}
}

func TestAppendEscape(t *testing.T) {
	for r, want := range map[rune]string{0x7f: `\u007f`, 0x200b: `\u200b`, 0xd800: `\ud800`, 0xe0001: `\udb40\udc01`} {
		if got := strictjson.AppendEscape([]byte("x"), r); string(got) != "x"+want {
			t.Errorf("%U: got %s, want %s", r, got, want)
		}
	}
}
