package disclosure_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
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
	f.Add("{[(`\u202e注文。顧客_idで。")
	f.Add("``a`b`` `c` /o/{pageSize}, 例如：größe_max。This cannot be undone.")
	f.Add("# Warning\n- limit: x\nWhen not to use:\n1. y\nArgs:\n z\n\nDEPRECATED: use `deep_one` instead")
	f.Fuzz(func(t *testing.T, description string) {
		fn := withDescription(t, description)
		got := disclosure.Minimal(fn)
		holdsMinimal(t, fn, got)
		if strings.Contains(strings.ToLower(got), " an example ") {
			t.Errorf("%q: %q", description, got)
		}
		if again := disclosure.Minimal(fn); again != got {
			t.Errorf("%q: %q, then %q", description, got, again)
		}
	})
}

// FuzzSentenceEnd: sentences are parts of the text, of which none is empty, and together the whole.
func FuzzSentenceEnd(f *testing.F) {
	for _, seed := range []string{"One. Two! Three?", "z. B. eins。二！ 三", "U.S. e.g. v1.2 (no. 3). 4. x", "．５．a", "...\"') a", "\xff. \xff", "Plan B. هل؟ نعم।"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rest := text
		for rest != "" {
			n := disclosure.SentenceEnd(rest)
			if n <= 0 || n > len(rest) {
				t.Fatalf("%q: %d of %q", text, n, rest)
			}
			if utf8.ValidString(rest) && !utf8.ValidString(rest[:n]) {
				t.Errorf("%q: %q is half a character", text, rest[:n])
			}
			if again := disclosure.SentenceEnd(rest[:n]); again > n {
				t.Errorf("%q: %d, then %d", rest, n, again)
			}
			rest = rest[n:]
		}
	})
}
