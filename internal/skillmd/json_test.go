package skillmd_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
)

// Plain scalars have the types of YAML 1.2's core schema; all else is a text as written.
func TestFrontMatterAsJSON(t *testing.T) {
	for _, test := range []struct{ yaml, json string }{
		{"a: x", `{"a":"x"}`},
		{"a: 1\nb: -7\nc: +5\nd: 007\ne: 0o17\nf: 0x1F", `{"a":1,"b":-7,"c":5,"d":7,"e":15,"f":31}`},
		{"a: 1.0\nb: 1.50\nc: .5\nd: 5.\ne: +1.e3\nf: 01.5\ng: 1e3", `{"a":1.0,"b":1.50,"c":0.5,"d":5,"e":1e3,"f":1.5,"g":1e3}`},
		{"a: 9007199254740993\nb: 1e400", `{"a":9007199254740993,"b":1e400}`},
		{"a: .inf\nb: .nan\nc: 1_000\nd: 0b1\ne: 12:30", `{"a":".inf","b":".nan","c":"1_000","d":"0b1","e":"12:30"}`},
		{"a: true\nb: False\nc: yes\nd: off\ne: n", `{"a":true,"b":false,"c":"yes","d":"off","e":"n"}`},
		{"a: null\nb: ~\nc:\nd: Null", `{"a":null,"b":null,"c":null,"d":null}`},
		{`a: "1"` + "\nb: 'true'\nc: \"\"\nd: !!str 5", `{"a":"1","b":"true","c":"","d":"5"}`},
		{"a: 2026-01-02\nb: 2026-01-02T03:04:05Z", `{"a":"2026-01-02","b":"2026-01-02T03:04:05Z"}`},
		{"a: |\n  x\n  y\nb: >\n  x\n  y", `{"a":"x\ny\n","b":"x y\n"}`},
		{"z: {b: [1, x, {}], a: []}\na: é<&", `{"z":{"b":[1,"x",{}],"a":[]},"a":"é<&"}`},
		{"a: " + strings.Repeat("1", 65), `{"a":"` + strings.Repeat("1", 65) + `"}`},
	} {
		lines, fields, err := skillmd.FrontMatter([]byte("---\n" + test.yaml + "\n---\nBody\n"))
		if err != nil || lines != test.yaml+"\n" || !json.Valid(fields) {
			t.Errorf("%q: %q %s %v", test.yaml, lines, fields, err)
			continue
		}
		want := strings.NewReplacer("<", `\u003c`, "&", `\u0026`).Replace(test.json)
		if string(fields) != want {
			t.Errorf("%q gives %s, want %s", test.yaml, fields, want)
		}
	}
}

// A text without front matter has no fields, and what Parse refuses is refused here.
func TestFrontMatterOfOthers(t *testing.T) {
	for _, text := range []string{"", "Body\n", "---\n---\nBody\n", "---\nnull\n---\n", "---\n# nothing\n---\n"} {
		if _, fields, err := skillmd.FrontMatter([]byte(text)); err != nil || fields != nil {
			t.Errorf("%q: %s %v", text, fields, err)
		}
	}
	for _, text := range []string{"---\na: 1\n", "---\n- a\n---\n", "---\na: &x 1\nb: *x\n---\n", "---\na: 1\na: 2\n---\n", "---\n\xff: 1\n---\n"} {
		if _, fields, err := skillmd.FrontMatter([]byte(text)); err == nil {
			t.Errorf("%q: %s", text, fields)
		}
	}
	lines, fields, err := skillmd.FrontMatter([]byte("\ufeff---\r\na: 1\r\n---\r\nBody\r\n"))
	if err != nil || lines != "a: 1\n" || string(fields) != `{"a":1}` {
		t.Errorf("%q %s %v", lines, fields, err)
	}
}

// The JSON of any front matter that is accepted is valid.
func FuzzFrontMatter(f *testing.F) {
	f.Add("a: 1\nb: [x, {c: 0x1}]\nd: .5e-3")
	f.Fuzz(func(t *testing.T, head string) {
		if _, fields, err := skillmd.FrontMatter([]byte("---\n" + head + "\n---\n")); err == nil && fields != nil && !json.Valid(fields) {
			t.Errorf("%q gives %s", head, fields)
		}
	})
}
