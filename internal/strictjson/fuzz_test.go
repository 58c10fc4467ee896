package strictjson_test

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

var seeds = []string{
	`{"a":1,"a":2}`, `{"a":{"b":[1,2,{"c":null}]},"d":"\ud83d\ude00"}`, `"\ud800"`, `"\ud800\ud800\udc00"`, "\"\xff\"",
	`[[[[[]]]]]`, ` 1 2`, ``, `{"\u0061":1,"a":2}`, `-0.0e-0`, `{"":"","\u0000":0}`, `[01]`, `{"a":[}]`, `"\\ud800"`,
	strings.Repeat("[", 65) + strings.Repeat("]", 65), `{` + members("k", 20) + `,"k1":1}`, `"\uD83D\u0020"`,
}

// FuzzCheck holds Check to encoding/json: what it accepts is valid there, and
// what it refuses is invalid there or breaks a rule of our own, which a slow
// reading confirms. Accepted documents mean the same to both.
func FuzzCheck(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := strictjson.Check(data)
		valid := json.Valid(data)
		switch {
		case err == nil && !valid:
			t.Fatalf("accepted, but not JSON: %q", data)
		case err == nil:
			if broken := ownRule(data); broken != "" {
				t.Fatalf("accepted in spite of %s: %q", broken, data)
			}
			sameMeaning(t, data)
		case valid && ownRule(data) == "":
			t.Fatalf("refused for no reason (%v): %q", err, data)
		}
		if e, ok := err.(*strictjson.Error); ok && (e.Offset < 0 || e.Offset > len(data) || e.Reason == "") {
			t.Fatalf("offset %d or reason %q is wrong for %q", e.Offset, e.Reason, data)
		}
		for range strictjson.Members(data) { // must not panic, whatever data is
		}
		for range strictjson.Elements(data) {
		}
		strictjson.Text(data)
	})
}

// sameMeaning compares the readers with encoding/json.
func sameMeaning(t *testing.T, data []byte) {
	t.Helper()
	var out bytes.Buffer
	rebuild(&out, data)
	if got, want := decode(out.Bytes()), decode(data); !reflect.DeepEqual(got, want) {
		t.Fatalf("%q read back as %q", data, out.Bytes())
	}
}

func decode(data []byte) any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return err
	}
	return v
}

// ownRule names the rule beyond RFC 8259's grammar that valid JSON breaks, or
// returns "".
func ownRule(data []byte) string {
	if !utf8.Valid(data) {
		return "invalid UTF-8"
	}
	if hasLoneSurrogate(data) {
		return "a lone surrogate"
	}
	return tokenRule(json.NewDecoder(bytes.NewReader(data)))
}

var escapes = regexp.MustCompile(`\\(u[0-9a-fA-F]{4}|[^u])`)

// hasLoneSurrogate looks at neighbouring escapes only.
func hasLoneSurrogate(data []byte) bool {
	highEnd := -1 // end of a high surrogate that waits for its low one
	for _, m := range escapes.FindAllIndex(data, -1) {
		var code uint64
		if data[m[0]+1] == 'u' {
			code, _ = strconv.ParseUint(string(data[m[0]+2:m[1]]), 16, 32)
		}
		isLow := code >= 0xDC00 && code <= 0xDFFF
		isPair := highEnd == m[0] && isLow
		if highEnd >= 0 && !isPair || isLow && !isPair {
			return true
		}
		highEnd = -1
		if code >= 0xD800 && code <= 0xDBFF {
			highEnd = m[1]
		}
	}
	return highEnd >= 0
}

// tokenRule walks the tokens of encoding/json for duplicates and depth.
func tokenRule(d *json.Decoder) string {
	d.UseNumber()
	type level struct {
		keys  map[string]bool // nil for arrays
		value bool            // a key was read, its value comes next
	}
	var stack []level
	for {
		token, err := d.Token()
		if err == io.EOF {
			return ""
		}
		if err != nil {
			return "" // the caller has seen that it is valid
		}
		delim, isDelim := token.(json.Delim)
		if isDelim && (delim == '}' || delim == ']') {
			stack = stack[:len(stack)-1]
			continue
		}
		if n := len(stack); n > 0 && stack[n-1].keys != nil {
			if top := &stack[n-1]; !top.value {
				key := token.(string)
				if top.keys[key] {
					return "a duplicate key"
				}
				top.keys[key], top.value = true, true
				continue
			}
			stack[n-1].value = false
		}
		if isDelim {
			var l level
			if delim == '{' {
				l.keys = map[string]bool{}
			}
			if stack = append(stack, l); len(stack) > strictjson.MaxDepth {
				return "depth"
			}
		}
	}
}
