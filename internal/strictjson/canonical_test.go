package strictjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		` { "b" : [ 1.0 , 1 ] , "a" : null } `:      `{"a":null,"b":[1.0,1]}`,
		`{"\u0061":"\u00e9\n","A":{"z":1,"y":{}}}`:  `{"A":{"y":{},"z":1},"a":"é\n"}`,
		`9007199254740993`:                          `9007199254740993`,
		`[]`:                                        `[]`,
		`{"a b":true,"a":false,"aa":[[],[{}],"x"]}`: `{"a":false,"a b":true,"aa":[[],[{}],"x"]}`,
	} {
		if got := string(strictjson.Canonical([]byte(in))); got != want {
			t.Errorf("Canonical(%s) = %s, want %s", in, got, want)
		}
	}
}

// TestAppendText holds that a text is appended as encoding/json spells it.
func TestAppendText(t *testing.T) {
	texts := []string{"", `{"a":"b\\"}`, `"`, `a\`, "a\"b<", "\u2028\u2029é", "\xff\"", strings.Repeat(`"`, 100)}
	for c := range 256 {
		texts = append(texts, "a"+string([]byte{byte(c)})+`"b`, string(rune(c)))
	}
	for _, text := range texts {
		want, _ := json.Marshal(text)
		dst := make([]byte, 1, 300)
		if got := strictjson.AppendText(dst, text); string(got[1:]) != string(want) || got[0] != 0 {
			t.Errorf("%q is %s, want %s", text, got[1:], want)
		}
	}
}

// FuzzCanonical holds that a canonical form means the same, is its own
// canonical form, and does not depend on white space.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"b":1,"a":[1,2,{"d":"\u00e9","c":null}]}`, `" \ud83d\ude00 "`, `[1.50,-0,1e9]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if strictjson.Check(data) != nil {
			return
		}
		c := strictjson.Canonical(data)
		if err := strictjson.Check(c); err != nil {
			t.Fatalf("Canonical(%s) = %s: %v", data, c, err)
		}
		if again := strictjson.Canonical(c); !bytes.Equal(again, c) {
			t.Fatalf("%s becomes %s", c, again)
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, data, " ", "\t"); err != nil {
			t.Fatal(err)
		}
		if other := strictjson.Canonical(indented.Bytes()); !bytes.Equal(other, c) {
			t.Fatalf("with white space %s, without %s", other, c)
		}
	})
}
