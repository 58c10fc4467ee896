package check

import (
	"strings"
	"testing"
)

func TestParseAnswer(t *testing.T) {
	for raw, bad := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                              "",
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`: "",
		`{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}`:           "",
		`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`:    "",
		`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`:                    "",
		`{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`:                   "exactly one",
		`{"jsonrpc":"2.0","id":1}`:                                          "exactly one",
		`{"jsonrpc":"2.0","id":1,"result":[]}`:                              "not an object",
		`{"jsonrpc":"2.0","id":null,"result":{}}`:                           "no id",
		`{"jsonrpc":"2.0","id":1,"error":"m"}`:                              "not an object",
		`{"jsonrpc":"1.0","id":1,"result":{}}`:                              "jsonrpc",
		`{"id":1,"result":{}}`:                                              "jsonrpc",
		`{"jsonrpc":"2.0","id":1,"id":2,"result":{}}`:                       "strict JSON",
		`{"jsonrpc":"2.0","id":1,"result":{"a":"\ud800"}}`:                  "strict JSON",
		`listening on :8080`:                                                "strict JSON",
		`[]`:                                                                "an object",
		``:                                                                  "strict JSON",
		`{"jsonrpc":"2.0","method":1}`:                                      "method",
	} {
		a := parseAnswer([]byte(raw))
		if bad == "" && a.bad != "" || !strings.Contains(a.bad, bad) {
			t.Errorf("%s: %q, want %q", raw, a.bad, bad)
		}
	}
}

func TestFailureWrong(t *testing.T) {
	for raw, want := range map[string]string{
		`{"code":-32600,"message":"no such tool: \"x\""}`:                         "",
		`{"code":0,"message":"m"}`:                                                "code",
		`{"code":1.5,"message":"m"}`:                                              "code",
		`{"code":"1","message":"m"}`:                                              "code",
		`{"message":"m"}`:                                                         "code",
		`{"code":1,"message":null}`:                                               "string",
		`{"code":1,"message":"a\nb"}`:                                             "U+000A",
		`{"code":1,"message":"a\u009bb"}`:                                         "U+009B",
		`{"code":1,"message":"` + strings.Repeat("x", maxErrorText) + `"}`:        "",
		`{"code":1,"message":"` + strings.Repeat("\u00e9", maxErrorText+1) + `"}`: "too long",
	} {
		got := parseAnswer([]byte(`{"jsonrpc":"2.0","id":1,"error":` + raw + `}`)).failure.wrong()
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%.60s: %q, want %q", raw, got, want)
		}
	}
}

func TestLeaks(t *testing.T) {
	for text, want := range map[string]string{
		"unmarshaling into a *mcp.CallToolParams":      "*mcp.CallToolParams",
		"json: cannot unmarshal into Go struct field":  "Go struct",
		"of type map[string]interface {}":              "map[string]",
		"bad id %!s(int=1)":                            "%!",
		"/src/server.go:12":                            "server.go",
		"goroutine 1 [running]":                        "goroutine",
		"no function crm.Get; try help()":              "",
		"the path mcp.example is unknown":              "",
		"unknown tool: io.modelcontextprotocol/x":      "",
		"golang is a word, and so is panic, in a text": "",
	} {
		if got := leaks(text, nil); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if got := leaks(text, []byte(text)); got != "" {
			t.Errorf("%s: %q though it was sent", text, got)
		}
	}
}

// FuzzParseAnswer holds that whatever a server sends is read or called bad.
func FuzzParseAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`,
		`[{"jsonrpc":"2.0","method":"m"}]`, `null`, `{"error":null}`, `{"result":`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	m := newRequest(`"c"`, `{}`, "a request")
	f.Fuzz(func(t *testing.T, raw []byte) {
		o := new(outcome)
		o.receive(raw, m)
		if n := len(o.answers) + len(o.others); n == 0 && len(received(raw)) > 0 {
			t.Errorf("%q is nothing", raw)
		}
		for _, a := range append(o.answers, o.others...) {
			if a.failure != nil {
				a.failure.wrong()
			}
			if a.bad == "" && a.method == "" && a.id == "" && a.failure == nil {
				t.Errorf("%q is an answer to nothing", a.raw)
			}
		}
		newJudge(&ledger{prefix: "fuzz"}).look(m, o)
	})
}
