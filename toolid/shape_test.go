package toolid_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/cash-mcp/go-sdk/toolid"
)

// shapeHash is the hash over a shape that is written out.
func shapeHash(name, shape string) string {
	sum := sha256.Sum256([]byte(name + "\n" + shape))
	return hex.EncodeToString(sum[:])[:8]
}

func TestShape(t *testing.T) {
	const none = `{"properties":[],"required":[]}`
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for _, tt := range []struct{ name, schema, shape string }{
		{"missing", ``, none},
		{"nothing, in all its forms", ` -0.0e7 `, none},
		{"a number that underflows", `1e-999`, none},
		{"members that are nothing", `{"properties":0,"required":false}`, none},
		{"empty, with blanks", "{\"properties\":[ ],\"required\":{\n}}", none},
		{"blanks", "\t{ \"required\" : [ \"b\" , \"a\" ] , \"properties\" : { \"b\" : 1 , \"a\" : [ ] } }\n", `{"properties":["a","b"],"required":["a","b"]}`},
		{"repeated in required", `{"required":["b","a","b"]}`, `{"properties":[],"required":["a","b","b"]}`},
		{"last properties", `{"properties":{"a":1},"properties":{"b":1}}`, `{"properties":["b"],"required":[]}`},
		{"last properties are nothing", `{"properties":{"a":1},"properties":null}`, none},
		{"repeated property", `{"properties":{"a":1,"b":1,"a":2,"\u0061":3}}`, `{"properties":["a","b"],"required":[]}`},
		{"escaped keywords", `{"\u0070roperties":{"a":1},"re\u0071uired":["a"]}`, `{"properties":["a"],"required":["a"]}`},
		{"other case", `{"Properties":{"a":1},"REQUIRED":["a"]}`, none},
		{"nested", `{"a":{"properties":{"x":1},"required":["x"]},"b":[{"properties":{"y":1}}]}`, none},
		{"brackets in texts", `{"a":"}]\"","properties":{"]}":"{[","\\":1}}`, `{"properties":["\\","]}"],"required":[]}`},
		{"code points, not UTF-16", `{"properties":{"😀":1,"ﬀ":1,"a":1}}`, `{"properties":["a","\ufb00","\ud83d\ude00"],"required":[]}`},
		{"pair in escapes", `{"properties":{"\ud83d\ude00":1,"😀":2}}`, `{"properties":["\ud83d\ude00"],"required":[]}`},
		{"half a pair", `{"properties":{"\ud800":1,"\uD83D\uDE00":1,"\uDE00\uD83D":1,"\uffff":1}}`,
			`{"properties":["\ud800","\ude00\ud83d","\uffff","\ud83d\ude00"],"required":[]}`},
		{"half a pair before text", `{"properties":{"\ud83d\u0041":1,"\ud83d\\ude00":1,"\ud83dA":1}}`,
			`{"properties":["\ud83dA","\ud83d\\ude00"],"required":[]}`},
		{"replacement characters", `{"properties":{"\ufffd":1,"�":1}}`, `{"properties":["\ufffd"],"required":[]}`},
		{"short escapes", `{"properties":{"\"\\\/\b\f\n\r\t\u001f\u007f":1}}`, `{"properties":["\"\\/\b\f\n\r\t\u001f\u007f"],"required":[]}`},
		{"deep", `{"x":` + deep + `,"properties":{"a":` + deep + `}}`, `{"properties":["a"],"required":[]}`},
	} {
		got, err := toolid.Hash("svc.op", json.RawMessage(tt.schema))
		if want := shapeHash("svc.op", tt.shape); err != nil || got != want {
			t.Errorf("W3: %s: %s, %v; want %s", tt.name, got, err, want)
		}
	}
}

func TestShapeErrors(t *testing.T) {
	for _, tt := range []struct{ schema, problem string }{
		{`{`, "unexpected end of JSON input"},
		{` `, "unexpected end of JSON input"},
		{`{} {}`, "after top-level value"},
		{"\ufeff{}", "invalid character"},
		{`{"properties":NaN}`, "invalid character"},
		{"{\"properties\":{\"\xff\":1}}", "not valid UTF-8"},
		{strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), "max depth"},
		{strings.Repeat(`{"a":`, 1_000_000), "max depth"},
		{`true`, "not an object"},
		{`1e999`, "not an object"},
		{`"x"`, "not an object"},
		{`[0]`, "not an object"},
		{`{"properties":["a"]}`, "properties is not an object"},
		{`{"properties":true}`, "properties is not an object"},
		{`{"properties":1}`, "properties is not an object"},
		{`{"required":"ab"}`, "required is not an array"},
		{`{"required":true}`, "required is not an array"},
		{`{"required":{"a":1}}`, "required is not an array"},
		{`{"required":["a",1]}`, "something other than strings"},
		{`{"required":[null]}`, "something other than strings"},
	} {
		_, err := toolid.FromTool("svc.op", json.RawMessage(tt.schema), "")
		if err == nil || !strings.Contains(err.Error(), tt.problem) || len(err.Error()) > 600 {
			t.Errorf("W3: schema %.40s: %v; want it to say %q", tt.schema, err, tt.problem)
		}
	}
}

// TestLargeSchema holds that a schema of a megabyte is no matter, whatever it
// is made of.
func TestLargeSchema(t *testing.T) {
	const size = 1 << 20
	var many strings.Builder
	for i := 0; many.Len() < size; i++ {
		fmt.Fprintf(&many, `"%x":{},`, i*2654435761)
	}
	for name, schema := range map[string]string{
		"names":   `{"properties":{` + many.String() + `"z":{}}}`,
		"same":    `{"properties":{` + strings.Repeat(`"a":{},`, size/7) + `"a":{}}}`,
		"escapes": `{"properties":{"` + strings.Repeat(`\ud800`, size/6) + `":{}}}`,
		"quotes":  `{"properties":{"` + strings.Repeat(`\"`, size/2) + `":{}}}`,
		"digits":  `{"properties":{"a":` + strings.Repeat("9", size) + `}}`,
		"text":    `{"description":"` + strings.Repeat("x", size) + `"}`,
	} {
		if _, err := toolid.Hash("svc.op", json.RawMessage(schema)); err != nil {
			t.Errorf("W3: %s: %v", name, err)
		}
	}
}

// slowHash computes the hash with encoding/json, in another way than Hash.
func slowHash(name string, schema []byte) (string, error) {
	list := func(names []string) string {
		slices.SortFunc(names, func(a, b string) int { return slices.Compare([]rune(a), []rune(b)) })
		var b strings.Builder
		for i, n := range names {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteByte('"')
			for _, u := range utf16.Encode([]rune(n)) {
				switch short := strings.IndexByte("\"\\\n\r\t\b\f", byte(u)); {
				case u < 128 && short >= 0:
					b.WriteString(`\` + `"\nrtbf`[short:short+1])
				case u < ' ' || u > '~':
					fmt.Fprintf(&b, `\u%04x`, u)
				default:
					b.WriteByte(byte(u))
				}
			}
			b.WriteByte('"')
		}
		return "[" + b.String() + "]"
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(schema, &top); err != nil {
		return "", err
	}
	var properties map[string]json.RawMessage
	var required []string
	if p := top["properties"]; p != nil {
		if err := json.Unmarshal(p, &properties); err != nil {
			return "", err
		}
	}
	if r := top["required"]; r != nil {
		var members []*string
		if err := json.Unmarshal(r, &members); err != nil {
			return "", err
		}
		for _, m := range members {
			if m == nil {
				return "", errors.New("null in required")
			}
			required = append(required, *m)
		}
	}
	shape := `{"properties":` + list(slices.Collect(maps.Keys(properties))) + `,"required":` + list(required) + `}`
	return shapeHash(name, shape), nil
}

// FuzzHash holds Hash to encoding/json, where that can tell: it has no half
// surrogate pairs, and takes only null for nothing.
func FuzzHash(f *testing.F) {
	for _, v := range vectors[struct {
		Name   string          `json:"upstream_name"`
		Schema json.RawMessage `json:"input_schema"`
	}](f, "tool_id") {
		f.Add(v.Name, []byte(v.Schema))
	}
	f.Add("a", []byte(` {"properties":{"\"\u00e9\\":1},"required":["x","x"]}`))
	f.Fuzz(func(t *testing.T, name string, schema []byte) {
		got, err := toolid.Hash(name, schema)
		if bytes.Contains(schema, []byte(`\u`)) {
			return
		}
		want, slowErr := slowHash(name, schema)
		if slowErr == nil && err == nil && got != want {
			t.Fatalf("Hash(%q, %s) = %s; want %s", name, schema, got, want)
		}
		if slowErr == nil && err != nil && !strings.Contains(err.Error(), "UTF-8") {
			t.Fatalf("Hash(%q, %s): %v", name, schema, err)
		}
	})
}
