package clean_test

import (
	"encoding/json"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

func TestJSON(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"a": [1.50, "x"],` + "\n" + `"b":null}`, `{"a": [1.50, "x"],` + "\n" + `"b":null}`},
		{`{"a":"Lists\u001b[31m files.\u200b"}`, `{"a":"Lists files."}`},
		{"{\"k\u202ee\":\"é\"}", `{"ke":"é"}`},
		{`{"a":"\u00e9 \"q\" \\ \n"}`, `{"a":"\u00e9 \"q\" \\ \n"}`},
		{`"\u001b]0;t\u0007 \"q\" \\ \n\t"`, `" \"q\" \\ \n\t"`},
		{`"\ud83d"`, `""`},
		{`12345678901234567890`, `12345678901234567890`},
	} {
		if got := string(clean.JSON([]byte(tt.in))); got != tt.want {
			t.Errorf("JSON(%s) = %s; want %s", tt.in, got, tt.want)
		}
	}
}

// FuzzJSON holds that a cleaned document is valid, is its own cleaned form, and has
// the strings that Text makes of them.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a":"\u200b"}`, "[\"\x1b[1m\",1e5]", `"\ud800\""`, ` {"\\":[{}]} `, "\"\u009b1m\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return
		}
		got := clean.JSON(raw)
		if !json.Valid(got) || string(clean.JSON(got)) != string(got) {
			t.Fatalf("JSON(%q) = %q", raw, got)
		}
		var s, was string
		if json.Unmarshal(raw, &was) == nil && json.Unmarshal(got, &s) == nil && s != clean.Text(was) {
			t.Fatalf("JSON(%q) = %q; want %q", raw, got, clean.Text(was))
		}
	})
}
