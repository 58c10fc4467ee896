package check

import (
	"strings"
	"testing"
)

func TestGoodID(t *testing.T) {
	for id, want := range map[string]bool{
		`"a"`: true, `""`: true, `"\u001b"`: true, `0`: true, `-1`: true,
		`9007199254740991`: true, `-9007199254740991`: true, `9007199254740992`: false, `-9007199254740992`: false,
		`null`: false, `true`: false, `{}`: false, `[]`: false, `1.5`: false, `1.0`: false, `1e3`: false, `-0`: false,
		`"\ud800"`: false, "\"\xff\"": false, `"` + strings.Repeat("x", 5000) + `"`: false,
	} {
		if got := goodID(id); got != want {
			t.Errorf("%.40s: %t, want %t", id, got, want)
		}
	}
}

func TestSameID(t *testing.T) {
	for _, tt := range []struct {
		sent, got string
		want      bool
	}{
		{`1`, `1`, true}, {`1`, `2`, false}, {`1`, `"1"`, false}, {`1`, `1.0`, false},
		{`"a"`, `"\u0061"`, true}, {`"\/"`, `"/"`, true}, {`"<"`, `"\u003c"`, true}, {`"a"`, `"b"`, false},
		{`1.0`, `1`, true}, {`1e3`, `1000`, true}, {`1.5`, `1`, false}, {`1e-400`, `0`, false}, {`-0`, `0`, true},
		{`1e999999999`, `1e999999999`, true}, {`1e999999999`, `1e999999998`, false}, {`1.5`, `"1.5"`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`{"a": 1}`, `{"a":1}`, true}, {`[]`, `[]`, true}, {`[1]`, `[]`, false},
		{`"x"`, `"` + strings.Repeat("x", 5000) + `"`, false}, {`1`, `"` + strings.Repeat("x", 5000) + `"`, false},
		{`"` + strings.Repeat("\xff", 100) + `"`, `"` + strings.Repeat(`\ufffd`, 100) + `"`, true},
	} {
		if got := sameID(tt.sent, tt.got); got != tt.want {
			t.Errorf("%s and %s: %t, want %t", tt.sent, tt.got, got, tt.want)
		}
	}
}

func TestRouted(t *testing.T) {
	for data, want := range map[string][2]string{
		`{"method":"tools/call","params":{"name":"n","uri":"u"}}`:     {"tools/call", "n"},
		`{"method":"resources/read","params":{"name":"n","uri":"u"}}`: {"resources/read", "u"},
		`{"method":"prompts/get","params":[]}`:                        {"prompts/get", ""},
		`{"method":"ping","params":{"name":"n"}}`:                     {"ping", ""},
		`{"method":1}`: {}, `{`: {}, `[]`: {}, `null`: {},
	} {
		method, name := (&message{data: []byte(data)}).routed()
		if got := [2]string{method, name}; got != want {
			t.Errorf("%s: %q, want %q", data, got, want)
		}
	}
}
