package strictjson_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

func TestScan(t *testing.T) {
	for _, tt := range []struct {
		name, doc string
		want      string // empty is accepted
		bound     bool
	}{
		{"duplicate keys", `{"a":1,"a":2}`, "", false},
		{"bytes that are not UTF-8", "[\"\xff\"]", "", false},
		{"lone surrogates", `["\ud800","\udc00\ud800","\ud800\u0041"]`, "", false},
		{"values at the bound", `[1,{"a":2,"b":[3]},4]`, "", false},
		{"one value more", `[1,{"a":2,"b":[3]},4,5]`, "more than 7 values at byte 21", true},
		{"empty objects", `[` + strings.Repeat(`{},`, 100) + `{}]`, "more than 7 values at byte 19", true},
		{"depth", `[[[[[0]]]]]`, "arrays and objects nested deeper than 4 at byte 4", true},
		{"grammar", `{"a":1,}`, "expected a key in double quotes at byte 7", false},
		{"a bad escape", `"\x"`, "unknown escape sequence at byte 1", false},
		{"half an escape", `"\u00g0"`, `\u without four hexadecimal digits at byte 1`, false},
		{"a control character", "\"\x1b\"", "control character in a string, which must be written as an escape at byte 1", false},
		{"two documents", `1 2`, "data after the JSON document at byte 2", false},
		{"nothing", ``, "empty input at byte 0", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := strictjson.Scan([]byte(tt.doc), 4, 7)
			var e *strictjson.Error
			switch {
			case tt.want == "" && err != nil, tt.want != "" && (err == nil || err.Error() != tt.want):
				t.Errorf("got %v, want %q", err, tt.want)
			case errors.As(err, &e) && e.Bound != tt.bound:
				t.Errorf("Bound is %v", e.Bound)
			}
		})
	}
}

func TestScanDoesNotAllocate(t *testing.T) {
	doc := []byte(`{` + members("k", 1000) + `,"\u0061":"` + strings.Repeat(`\ud800`, 100) + `"}`)
	if n := testing.AllocsPerRun(10, func() {
		if err := strictjson.Scan(doc, 10, 10_000); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestValid(t *testing.T) {
	docs := []string{"\"12345678\x1f\"", "\"1234567\xff\"", `"1234567\"89012345"`, `"12345678\ud80089"`, `"12345678`, `"1234567é`}
	for _, depth := range []int{10_000, 10_001} {
		docs = append(docs, strings.Repeat("[", depth)+strings.Repeat("]", depth))
	}
	for n := range 24 { // each place in a word
		for c := range 256 {
			docs = append(docs, `["`+strings.Repeat("x", n)+string([]byte{byte(c)})+`0123456789"]`)
		}
	}
	for _, doc := range docs {
		if got, want := strictjson.Valid([]byte(doc)), json.Valid([]byte(doc)); got != want {
			t.Errorf("Valid(%.40q) = %v, want %v", doc, got, want)
		}
	}
}

func TestCheckExcept(t *testing.T) {
	for doc, want := range map[string]string{
		`{"name":"x","arguments":{"a":1,"a":"\ud800"},"_meta":{}}`:                           "",
		"{\"\\u0061rguments\":{\"a\":\"\xff\"}}":                                             "",
		`{"arguments":{},"name":"\ud800"}`:                                                   "escape of a lone surrogate at byte 24",
		`{"arguments":{"a":1,"a":1},"_meta":{"a":1,"a":1}}`:                                  `duplicate key "a" at byte 42`,
		`{"arguments":{},"arguments":{}}`:                                                    `duplicate key "arguments" at byte 16`,
		`{"_meta":{"arguments":{"a":1,"a":1}}}`:                                              `duplicate key "a" at byte 29`,
		`{"arguments":[1,2,3,4,5,6],"_meta":{"a":1,"b":2}}`:                                  "",
		`{"arguments":[1,]}`:                                                                 "expected a JSON value at byte 16",
		`{"arguments":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `,"_meta":1}`:  "",
		`{"arguments":[[]],"_meta":` + strings.Repeat("[", 8) + strings.Repeat("]", 8) + `}`: "arrays and objects nested deeper than 8 at byte 33",
	} {
		if err := strictjson.CheckExcept([]byte(doc), 8, 10, "arguments"); err == nil != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", doc, err, want)
		}
	}
}

// FuzzScan holds Scan to encoding/json, which has the same grammar, and to Check.
func FuzzScan(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := strictjson.Valid(data), json.Valid(data); got != want {
			t.Fatalf("Valid is %v, want %v: %q", got, want, data)
		}
		err := strictjson.Scan(data, 100, len(data)+1)
		var e *strictjson.Error
		if errors.As(err, &e) && e.Bound {
			return
		}
		if valid := json.Valid(data); valid != (err == nil) {
			t.Fatalf("%v, but valid is %v: %q", err, valid, data)
		}
		if err != nil && strictjson.Check(data) == nil {
			t.Fatalf("Check takes what Scan does not (%v): %q", err, data)
		}
	})
}
