package strictjson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// members returns n members with the names prefix0, prefix1 and so on, without
// braces.
func members(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%s%d":1`, prefix, i)
	}
	return b.String()
}

func TestKindOf(t *testing.T) {
	for doc, want := range map[string]string{
		" null": "null", "true": "boolean", "false": "boolean", "\n-1": "number", "0": "number",
		`""`: "string", " [1]": "array", "{}": "object", "": "null",
	} {
		if got := strictjson.KindOf([]byte(doc)).String(); got != want {
			t.Errorf("KindOf(%q) = %s, want %s", doc, got, want)
		}
	}
	if got := strictjson.Kind(9).String(); got != "unknown" {
		t.Errorf("Kind(9) = %s", got)
	}
}

func TestMembers(t *testing.T) {
	doc := ` { "a" : 1 ,"b\n":[ {"x":"}"} ] , "":"\"," ,"d":{ } ,"e":-1.5e3}`
	want := []string{"a=1", "b\n=[ {\"x\":\"}\"} ]", `="\","`, "d={ }", "e=-1.5e3"}
	var got []string
	for k, v := range strictjson.Members([]byte(doc)) {
		got = append(got, k+"="+string(v))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for k, v := range strictjson.Members([]byte(doc)) {
		if k != "a" || string(v) != "1" {
			t.Errorf("first member is %q: %s", k, v)
		}
		break
	}
	for _, other := range []string{"null", "[1]", `"{}"`, "1", "{}", " { } ", ""} {
		for k := range strictjson.Members([]byte(other)) {
			t.Errorf("%q has member %q", other, k)
		}
	}
}

func TestElements(t *testing.T) {
	var got []string
	for i, v := range strictjson.Elements([]byte(` [ 1 ,"]", [ 2 ,3] ,{"a":[]}, null ] `)) {
		got = append(got, fmt.Sprint(i, "=", string(v)))
	}
	want := []string{"0=1", `1="]"`, "2=[ 2 ,3]", `3={"a":[]}`, "4=null"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, other := range []string{"null", `{"a":1}`, `"[1]"`, "[]", " [ ] ", ""} {
		for i := range strictjson.Elements([]byte(other)) {
			t.Errorf("%q has element %d", other, i)
		}
	}
}

func TestText(t *testing.T) {
	for doc, want := range map[string]string{
		` "plain" `: "plain", `"\"\\\/\b\f\n\r\t"`: "\"\\/\b\f\n\r\t", `"\u00E9\ud83d\ude00é"`: "é😀é",
		`1`: "", `null`: "", `["a"]`: "", ``: "", `"`: "",
	} {
		if got := strictjson.Text([]byte(doc)); got != want {
			t.Errorf("Text(%s) = %q, want %q", doc, got, want)
		}
	}
}

func TestTrim(t *testing.T) {
	for doc, want := range map[string]string{" \n{ } \t\r": "{ }", "1": "1", "  ": "", "": ""} {
		if got := strictjson.Trim([]byte(doc)); string(got) != want {
			t.Errorf("Trim(%q) = %q, want %q", doc, got, want)
		}
	}
}

// rebuild writes doc again from what the readers say about it.
func rebuild(out *bytes.Buffer, doc []byte) {
	switch strictjson.KindOf(doc) {
	case strictjson.Object:
		out.WriteByte('{')
		first := true
		for k, v := range strictjson.Members(doc) {
			if !first {
				out.WriteByte(',')
			}
			first = false
			key, _ := json.Marshal(k)
			out.Write(key)
			out.WriteByte(':')
			rebuild(out, v)
		}
		out.WriteByte('}')
	case strictjson.Array:
		out.WriteByte('[')
		for i, v := range strictjson.Elements(doc) {
			if i > 0 {
				out.WriteByte(',')
			}
			rebuild(out, v)
		}
		out.WriteByte(']')
	case strictjson.String:
		text, _ := json.Marshal(strictjson.Text(doc))
		out.Write(text)
	default:
		out.Write(strictjson.Trim(doc))
	}
}

func TestHasHugeNumber(t *testing.T) {
	for data, want := range map[string]bool{
		`[1, -1.5e308, 1e-999, "1e999", {"1e999": 0}]`: false, strings.Repeat("9", 300): false,
		`{"a": [1e309]}`: true, `-1E999`: true, strings.Repeat("9", 310): true, `["\"", 1e400]`: true,
	} {
		if got := strictjson.HasHugeNumber([]byte(data)); got != want {
			t.Errorf("%s: %v", data, got)
		}
	}
}

// TestDecode compares with encoding/json.
func TestDecode(t *testing.T) {
	for _, text := range []string{
		`null`, `true`, `false`, ` 0 `, `-1.5e3`, `9007199254740993`, `""`, `"a\u0041\n\ud83d\ude00"`, `[]`, `[ 1 , "a" , [ null ] ]`, `{}`,
		` { "a" : { "b\"" : [ 1 , 2 ] } , "\u0061b" : "" } `,
	} {
		var want any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if got := strictjson.Decode([]byte(text)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %#v, want %#v", text, got, want)
		}
	}
	if got := strictjson.Decode([]byte(`1e400`)); got != nil {
		t.Errorf("a number that no float64 holds is %v", got)
	}
}
