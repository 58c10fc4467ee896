package strictjson_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

func TestCheckAccepts(t *testing.T) {
	for name, doc := range map[string]string{
		"null":                   `null`,
		"white space":            " \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } } \n",
		"numbers":                `[0,-0,1.5,-1.5e+10,1E-2,1e999999999,9007199254740993]`,
		"escapes":                `"\"\\\/\b\f\n\r\t\u0041\ud83d\ude00"`,
		"unicode":                `{"schlüssel":"値","😀":"\u0000"}`,
		"same key elsewhere":     `{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":1}}`,
		"keys that differ":       `{"a":1,"A":2,"":3,"a ":4}`,
		"depth 64":               strings.Repeat("[", 64) + strings.Repeat("]", 64),
		"objects of depth 64":    strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64),
		"many keys, then nested": `{` + members("k", 40) + `,"n":{` + members("k", 40) + `}}`,
		"noncharacter":           "\"\uffff\"",
	} {
		t.Run(name, func(t *testing.T) {
			if err := strictjson.Check([]byte(doc)); err != nil {
				t.Errorf("Check(%.80s) = %v, want nil", doc, err)
			}
		})
	}
}

func TestCheckRefuses(t *testing.T) {
	for _, test := range []struct {
		name, doc, want string
	}{
		{"empty", ``, `empty input at byte 0`},
		{"blank", " \n", `empty input at byte 2`},
		{"duplicate", `{"a":1,"a":2}`, `duplicate key "a" at byte 7`},
		{"duplicate after unescaping", `{"a":1,"\u0061":2}`, `duplicate key "a" at byte 7`},
		{"duplicate escaped first", `{"\u0061":1,"a":2}`, `duplicate key "a" at byte 12`},
		{"duplicate of two spellings", `{"\/":1,"\u002f":2}`, `duplicate key "/" at byte 8`},
		{"duplicate pair of surrogates", `{"\ud83d\ude00":1,"😀":2}`, `duplicate key "😀" at byte 18`},
		{"duplicate empty key", `{"":1,"":2}`, `duplicate key "" at byte 6`},
		{"duplicate below", `[{"x":{"b":1,"c":2,"b":3}}]`, `duplicate key "b" at byte 19`},
		{"duplicate after a nested object", `{"a":{"b":1},"a":2}`, `duplicate key "a" at byte 13`},
		{"duplicate as 17th key", `{` + members("k", 16) + `,"k3":0}`, `duplicate key "k3" at byte 119`},
		{"duplicate as 41st key", `{` + members("k", 40) + `,"k39":0}`, `duplicate key "k39" at byte 311`},
		{"duplicate escaped in a large object", `{` + members("k", 40) + `,"\u006b7":0}`, `duplicate key "k7" at byte 311`},
		{"duplicate of an escaped one in a large object", `{"\u006b99":0,` + members("k", 40) + `,"k99":0}`, `duplicate key "k99" at byte 324`},
		{"long key is cut", `{"` + strings.Repeat("é", 70) + `":1,"` + strings.Repeat("é", 70) + `":1}`,
			`duplicate key "` + strings.Repeat("é", 64) + `"... at byte 146`},
		{"control characters in a key are escaped", `{"\u001b[1m":1,"\u001b[1m":1}`, `duplicate key "\x1b[1m" at byte 15`},
		{"invalid UTF-8", "[\"a\xff\"]", `invalid UTF-8 at byte 3`},
		{"invalid UTF-8 in a key", "{\"\xc3\x28\":1}", `invalid UTF-8 at byte 2`},
		{"surrogate as UTF-8", "\"\xed\xa0\x80\"", `invalid UTF-8 at byte 1`},
		{"overlong UTF-8", "\"\xc0\x80\"", `invalid UTF-8 at byte 1`},
		{"lone high surrogate", `"\ud800"`, `escape of a lone surrogate at byte 1`},
		{"lone low surrogate", `"x\udc00"`, `escape of a lone surrogate at byte 2`},
		{"two high surrogates", `"\ud800\ud800"`, `escape of a lone surrogate at byte 1`},
		{"surrogates in the wrong order", `"\udc00\ud800"`, `escape of a lone surrogate at byte 1`},
		{"high surrogate before other escape", `"\ud800\n00000"`, `escape of a lone surrogate at byte 1`},
		{"unknown escape", `"\x41"`, `unknown escape sequence at byte 1`},
		{"short escape", `"\u12"`, `\u without four hexadecimal digits at byte 1`},
		{"bad hexadecimal", `"\u12g4"`, `\u without four hexadecimal digits at byte 1`},
		{"cut escape", `"\`, `unfinished escape sequence at byte 1`},
		{"control character", "\"a\nb\"", `control character in a string, which must be written as an escape at byte 2`},
		{"cut string", `"abc`, `unexpected end of input at byte 4`},
		{"trailing document", `{} {}`, `data after the JSON document at byte 3`},
		{"trailing bracket", `[]]`, `data after the JSON document at byte 2`},
		{"byte order mark", "\ufeff{}", `expected a JSON value at byte 0`},
		{"single quotes", `{'a':1}`, `expected a key in double quotes at byte 1`},
		{"bare key", `{a:1}`, `expected a key in double quotes at byte 1`},
		{"comma at the end of an object", `{"a":1,}`, `expected a key in double quotes at byte 7`},
		{"comma at the end of an array", `[1,]`, `expected a JSON value at byte 3`},
		{"no comma in an array", `[1 2]`, `expected ',' or ']' after an array element at byte 3`},
		{"no comma in an object", `{"a":1 "b":2}`, `expected ',' or '}' after an object member at byte 7`},
		{"no colon", `{"a" 1}`, `expected ':' after an object key at byte 5`},
		{"mismatched brackets", `{"a":[1}`, `expected ',' or ']' after an array element at byte 7`},
		{"cut object", `{"a":1`, `unexpected end of input at byte 6`},
		{"cut after brace", `{`, `unexpected end of input at byte 1`},
		{"cut after colon", `{"a":`, `unexpected end of input at byte 5`},
		{"cut array", `[1,`, `unexpected end of input at byte 3`},
		{"comment", `/* */ 1`, `expected a JSON value at byte 0`},
		{"wrong word", `nul1`, `expected a JSON value at byte 0`},
		{"cut word", `tru`, `unexpected end of input at byte 3`},
		{"long word", `nullx`, `data after the JSON document at byte 4`},
		{"NaN", `NaN`, `expected a JSON value at byte 0`},
		{"plus", `+1`, `expected a JSON value at byte 0`},
		{"leading zero", `01`, `number with a leading zero at byte 1`},
		{"hexadecimal", `0x10`, `data after the JSON document at byte 1`},
		{"bare minus", `[-]`, `expected a digit at byte 2`},
		{"bare fraction", `.5`, `expected a JSON value at byte 0`},
		{"no fraction digits", `1.`, `unexpected end of input at byte 2`},
		{"no exponent digits", `[1e+]`, `expected a digit at byte 4`},
		{"other white space", "\u00a01", `expected a JSON value at byte 0`},
		{"NUL after the document", "1\x00", `data after the JSON document at byte 1`},
		{"depth 65", strings.Repeat("[", 65) + strings.Repeat("]", 65), `arrays and objects nested deeper than 64 at byte 64`},
		{"mixed depth 65", strings.Repeat(`[{"a":`, 33), `arrays and objects nested deeper than 64 at byte 192`},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := strictjson.Check([]byte(test.doc))
			var e *strictjson.Error
			if !errors.As(err, &e) {
				t.Fatalf("Check(%.80s) = %v, want an *Error", test.doc, err)
			}
			if got := err.Error(); got != test.want {
				t.Errorf("Check(%.80s)\n got %s\nwant %s", test.doc, got, test.want)
			}
		})
	}
}

func TestCheckDepth(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	for _, test := range []struct {
		depth, bound int
		ok           bool
	}{
		{1, 0, false}, {0, 0, false}, {1, 1, true}, {2, 1, false}, {1, -5, false},
		{1000, 1000, true}, {10_000, 1 << 40, true}, {10_001, 1 << 40, false},
	} {
		doc := nested(test.depth)
		if err := strictjson.CheckDepth(doc, test.bound); (err == nil) != test.ok {
			t.Errorf("CheckDepth(%d brackets, %d) = %v, want accepted: %t", test.depth, test.bound, err, test.ok)
		}
	}
	if err := strictjson.CheckDepth([]byte("7"), 0); err != nil {
		t.Errorf("a scalar with bound 0: %v", err)
	}
}

// TestCheckLinear runs inputs that are quadratic for a careless scanner: each
// takes milliseconds when linear and minutes when not.
func TestCheckLinear(t *testing.T) {
	const size = 10 << 20
	long := strings.Repeat("x", size/20)
	for _, test := range []struct {
		name, doc string
		ok        bool
	}{
		{"100,000 keys", `{` + members("k", 100_000) + `}`, true},
		{"100,000 escaped keys", `{` + members(`\u006b`, 100_000) + `}`, true},
		{"100,000 keys, last a duplicate", `{` + members("k", 100_000) + `,"k0":1}`, false},
		{"100,000 objects of 17 keys", `[` + strings.Repeat(`{`+members("k", 17)+`},`, 100_000) + `0]`, true},
		{"long keys", `{` + members(long, 18) + `}`, true},
		{"long string", `"` + strings.Repeat("y", size) + `"`, true},
		{"long escapes", `"` + strings.Repeat(`\u00e9`, size/6) + `"`, true},
		{"long number", strings.Repeat("9", size), true},
		{"white space", strings.Repeat(" ", size) + "1" + strings.Repeat(" ", size), true},
		{"brackets", strings.Repeat("[", size), false},
		{"braces", strings.Repeat(`{"":`, size/4), false},
		{"empty arrays", "[" + strings.Repeat("[],", size/3) + "[]]", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := strictjson.Check([]byte(test.doc)); (err == nil) != test.ok {
				t.Errorf("error %v, want accepted: %t", err, test.ok)
			}
		})
	}
}

func TestCheckDoesNotAllocate(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		if err := strictjson.Check(order); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations for an ordinary document, want 0", n)
	}
}
