package disclosure_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"tools=a,b", "tools=a%2Cb&tools=c", "x=1", "tools=%ZZ,+ ,", "&&=&tools#"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		names := disclosure.ParseTools(query)
		for i, name := range names {
			if name == "" || name != strings.TrimSpace(name) || strings.Contains(name, ",") || slices.Contains(names[:i], name) {
				t.Errorf("%q: %q", query, names)
			}
		}
		if twice := disclosure.ParseTools(query + "&" + query); !strings.Contains(query, "#") && !slices.Equal(names, twice) {
			t.Errorf("%q: %q, twice %q", query, names, twice)
		}
	})
}

// FuzzFetch: whatever is asked for, the answer is one object with clean text.
func FuzzFetch(f *testing.F) {
	srv := disclosure.NewServer(shop(), &disclosure.Options{FetchesPerMinute: -1})
	c := connect(f, srv, nil)
	for _, seed := range []string{"?tools=ping", "?tools=error,\u202eping", "?", "#", "?tools=\x00,a\"b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		if query != "" && query[0] != '?' && query[0] != '#' || !utf8.ValidString(query) {
			return
		}
		c := &client{Client: c.Client, t: t}
		text := c.read(uri + query)
		if err := strictjson.Check([]byte(text)); err != nil || strictjson.KindOf([]byte(text)) != strictjson.Object {
			t.Errorf("%q: %v: %s", query, err, text)
		}
		var v map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		for key := range v {
			if strings.ContainsFunc(key, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
				t.Errorf("%q: the key %q", query, key)
			}
		}
	})
}

func FuzzDescription(f *testing.F) {
	f.Add(full)
	f.Add(`{"examples":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if disclosure.ParseDescription("ping", []byte(text)) == nil && !json.Valid([]byte(text)) {
			t.Errorf("%q is taken", text)
		}
	})
}

func FuzzTakeGrant(f *testing.F) {
	f.Add(`{"_grant":"g","a":[1,{"_grant":2}]}`, true)
	f.Add(`"{\"_grant\":\"g\"}"`, true)
	f.Fuzz(func(t *testing.T, args string, repair bool) {
		rest, grant := disclosure.TakeGrant(json.RawMessage(args), repair)
		again, more := disclosure.TakeGrant(rest, repair)
		valid := strictjson.Check([]byte(args)) == nil
		if string(again) != string(rest) || more != "" || !valid && (grant != "" || string(rest) != args) || valid && strictjson.Check(rest) != nil {
			t.Errorf("%q: %q %q, %q %q", args, rest, grant, again, more)
		}
	})
}

func FuzzMinimal(f *testing.F) {
	f.Add("Create an order, e.g. `x` for customer_id. More.")
	f.Add("[A](b) customer_id.x-customer_id(y) <example>z https://a.b **c**")
	f.Add("{[(`\u202e注文。")
	f.Fuzz(func(t *testing.T, description string) {
		fn, err := registry.RawFunc("create", description, json.RawMessage(`{"type":"object","properties":{"customer_id":{}}}`),
			func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil })
		if err != nil {
			t.Fatal(err)
		}
		got := disclosure.Minimal(fn.In("orders"))
		switch {
		case got == "" || utf8.RuneCountInString(got) > 160 || !utf8.ValidString(got):
			t.Errorf("%q: %q", description, got)
		case slices.Contains(strings.FieldsFunc(got, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "customer_id"):
			t.Errorf("%q names a parameter: %q", description, got)
		case strings.ContainsAny(got, "`{}[]\n\r\t") || strings.Contains(got, "example"):
			t.Errorf("%q: %q", description, got)
		}
	})
}
