package clean_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

func ExampleContent() {
	fmt.Printf("%q\n", clean.Content("total 8\r\n\x1b[34msrc\x1b[0m\r\n\u202egnp.exe"))
	fmt.Println(clean.Content(`{"id": 9007199254740993, "log": "\u001b[31mred\u001b[0m", "é": "\u00e9"}`))
	// Output:
	// "total 8\r\nsrc\r\ngnp.exe"
	// {"id": 9007199254740993, "log": "red", "é": "\u00e9"}
}

// legitimate texts come through Content as they are, to the byte.
var legitimate = []string{
	"", " ", "\n\n", "plain", "trailing blanks  \n\n\n  \tindented\t\n",
	"CRLF\r\nfile\r\n", "old Mac\rfile\r", "page\fbreak\n\f\n",
	"\ufeffa file that begins with a byte order mark\n\ufeffand another", "soft\u00adhyphen", "a\u00a0b\u2009c\u3000d\u2028e\u2029f",
	"👨\u200d👩\u200d👧\u200d👦 ❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈 👩🏽\u200d🚀 1\ufe0f\u20e3 ☎\ufe0e 🇩🇪",
	"می\u200cخواهم \u200fعربي\u200f (test) \u061c12", "שלום\u200e!", "क\u094d\u200dष क\u094d\u200cष", "ภาษา\u200bไทย", "葛\U000e0100城市 辻\ufe00",
	"ᠮᠣᠩ\u180eᠭᠣᠯ\u180b", "\u115f\u1160 \u3164", "∩\ufe00 f\u2061(x)\u2062y", "a\u034fb", "word\u2060joiner",
	"\ue000\uf8ff\U000f0001 icons", "\u0378 unassigned", "\ufffd replaced", "⠓⠑⠇⠇⠕\u2800\u2800\u2800⠺", "e\u0301\u0301\u0301", "\U0001d173\U0001d174",
	`C:\users\u001b \b \\u200b "quoted"`, `\`, `\u`, `\u12`, `{"not": json \u001b`, "[link](x) \\u001b", `{"a":"\\u001b \\b"}`,
	`{"z": 9007199254740993, "a": 1.0,  "b": [1e2, -0, 0.10],` + "\r\n\t" + `"é": "\u00e9\/\r\n\f\ud83d\ude00 👨` + "\u200d" + `👩 \u200d\ufe0f"}`,
	`["\ud83d", "\udc41", "\u2066".x]`, `["\ud83d", "\udc41"]`,
}

func TestContentKeeps(t *testing.T) {
	for _, text := range legitimate {
		if got := clean.Content(text); got != text {
			t.Errorf("Content(%+q) = %+q", text, got)
		}
		if raw := []byte(text); json.Valid(raw) {
			if got := clean.ContentJSON(raw); string(got) != text || len(raw) > 0 && &got[0] != &raw[0] && !strings.Contains(text, `\ud83d"`) {
				t.Errorf("ContentJSON(%s) = %s", text, got)
			}
		}
	}
}

func TestContent(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"escape sequences", "a\x1b[31mred\x1b[0m\u009b1m\nb\x1b]0;t\a\x1b[2Jc\x1b(Bd\x1b", "ared\nbcd"},
		{"link of a terminal", "\x1b]8;;https://evil.example\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"sequence without end", "a\x1b]0;rest\r\nof it", "a0;rest\r\nof it"},
		{"behind a backslash", "\\\x1b[31mred \\\u202e\\\x00", `\red \\`},
		{"control", "a\x00b\x01c\ad\be\vf\x1ag\x7fh\u0080i\u0085j\u009fk", "abcdefghijk"},
		{"direction", "a\u202ab\u202bc\u202cd\u202de\u202ef\u2066g\u2067h\u2068i\u2069j\u206ak\u206fl", "abcdefghijkl"},
		{"tags", "a\U000e0001b\U000e0041c\U000e007fd\U000e0000e\U000e0fff", "abcde"},
		{"annotations", "a\ufff9b\ufffac\ufffbd", "abcd"},
		{"bits in joiners", "a\u200b\u200c\u200d\u2060\ufeff\u200bb", "a\u200b\u200cb"},
		{"bytes in selectors", "😀\ufe0f\U000e0158\U000e0159\U000e015ab\ufe00\ufe01\ufe02", "😀\ufe0f\U000e0158b\ufe00\ufe01"},
		{"bits around what is dropped", "\u200b\u202e\u200b\x1b[1m\u200b\x00\u200bb", "\u200b\u200bb"},
		{"not UTF-8", "a\xffb\xed\xa0\x80c\xc3", "abc"},
		{"halves around what is dropped", "a\xe2\x1b[m\x80\x00\xaeb", "ab"},
		{"JSON", ` {"a\u202e": "\u001b[31m\u00e9\u001b[0m\r\f\/", "b":[1.50, "\udb40\udc41\b", "\/"]}` + "\n", ` {"a": "é\r\f/", "b":[1.50, "", "\/"]}` + "\n"},
		{"JSON with C1", "[\"\u009d0;a\",\"\u009c\",\"\u0085\"]", `["0;a","",""]`},
		{"JSON with selectors", `["a\ufe00\ufe01\ufe02","\ufe00\ufe01","\udb40\udd00\udb40\udd01\udb40\udd02"]`, "[\"a\ufe00\ufe01\",\"\\ufe00\\ufe01\",\"\U000e0100\U000e0101\"]"},
		{"JSON behind what is dropped", "\a{\"a\":\"\\u0007\"}", `{"a":""}`},
		{"no JSON", "{\x00\"a\":\"\\u0007\"} and more", `{"a":"\u0007"} and more`},
		{"a string is no object", `"\u0007` + "\u202e\"", `"\u0007"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := clean.Content(test.text); got != test.want {
				t.Errorf("Content(%+q) = %+q, want %+q", test.text, got, test.want)
			}
		})
	}
}

// What Content keeps of characters that do not show is just what Unicode lets be
// ignored, as far as this Go release knows of it.
func TestContentClasses(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if 0xd800 <= r && r < 0xe000 || r == '\x1b' {
			continue
		}
		one, many := clean.Content("x"+string(r)+"x"), clean.Content("x"+strings.Repeat(string(r), 5)+"x")
		ignorable := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
			unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) && !(0x13430 <= r && r <= 0x1343f)
		want := 5
		switch {
		case unicode.Is(unicode.Cc, r) && !strings.ContainsRune("\t\n\f\r", r), ignorable && one == "xx":
			want = 0
		case ignorable:
			want = 2
		}
		if got := (len(many) - 2) / utf8.RuneLen(r); got != want || want > 0 && one != "x"+string(r)+"x" {
			t.Errorf("of five %U %d are kept, of one %+q; want %d", r, got, one, want)
		}
	}
}

func TestContentAllocates(t *testing.T) {
	for _, text := range legitimate {
		if strings.Contains(text, `\`) && !strings.HasPrefix(text, `{"z"`) {
			continue
		}
		raw := []byte(text)
		if n := testing.AllocsPerRun(10, func() {
			clean.Content(text)
			clean.ContentJSON(raw)
		}); n > 0 {
			t.Errorf("%v allocations for %+q", n, text)
		}
	}
}

func TestContentLinear(t *testing.T) {
	for _, s := range []string{"\x1b]", "\u009d", "\x1b[1", "\x1b", "\u200b", "\x1bP\x1b", `\u001b`, `\`, "\xe2\x80", "["} {
		text := strings.Repeat(s, 4<<20/len(s))
		clean.Content(text)
		clean.Content("[" + text)
		clean.Content(`["` + text + `"]`)
	}
}

// subsequence reports whether all of part stands in whole, in that order.
func subsequence(part, whole string) bool {
	rest := []rune(whole)
	for _, r := range part {
		for len(rest) > 0 && rest[0] != r {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return false
		}
		rest = rest[1:]
	}
	return true
}

// FuzzContent holds that nothing that steers is left, that nothing is invented, and
// that what is clean stays what it is.
func FuzzContent(f *testing.F) {
	for _, s := range legitimate {
		f.Add(s)
	}
	for _, s := range []string{"\x1b[1mx\x1b]0;t\a", `{"a":"\u001b[31m\u00e9"}`, "\a[\"\\udb40\\udc41\"]", "\\\x1b[m", "\xe2\x1b[m\x80\xae", "\u200b\u200b\u200b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := clean.Content(text)
		if again := clean.Content(got); again != got {
			t.Fatalf("not stable: %+q becomes %+q", got, again)
		}
		wantHarmless(t, got)
		var was, is any
		if !json.Valid([]byte(text)) || strings.IndexAny(strings.TrimSpace(text), "{[") != 0 {
			if !json.Valid([]byte(got)) && !subsequence(got, text) {
				t.Fatalf("%+q becomes %+q", text, got)
			}
			return
		}
		if json.Unmarshal([]byte(text), &was) != nil || json.Unmarshal([]byte(got), &is) != nil {
			t.Fatalf("the JSON %+q becomes %+q", text, got)
		}
		eachText(is, func(s string) { wantHarmless(t, s) })
		if raw := string(clean.ContentJSON([]byte(text))); raw != got {
			t.Fatalf("as JSON %+q becomes %+q, and %+q", text, got, raw)
		}
	})
}

// eachText visits the strings of a JSON value.
func eachText(v any, visit func(string)) {
	switch v := v.(type) {
	case string:
		visit(v)
	case []any:
		for _, e := range v {
			eachText(e, visit)
		}
	case map[string]any:
		for k, e := range v {
			visit(k)
			eachText(e, visit)
		}
	}
}

func wantHarmless(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Fatalf("not UTF-8: %q", text)
	}
	side := 0
	for _, r := range text {
		bidi := 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x206f
		if unicode.IsControl(r) && !strings.ContainsRune("\t\n\f\r", r) || bidi || 0xe0000 <= r && r < 0xe0100 {
			t.Fatalf("%U is in %+q", r, text)
		}
		if unicode.In(r, unicode.Variation_Selector) || 0x200b <= r && r <= 0x200f || r == 0xfeff {
			side++
		} else {
			side = 0
		}
		if side > 2 {
			t.Fatalf("three side by side in %+q", text)
		}
	}
}

func BenchmarkContent(b *testing.B) {
	for name, text := range map[string]string{
		"order":  `{"order_id":"ORD-1091","status":"confirmed","items":[{"product_id":"P-7","quantity":3,"unit_price":12.5}],"total":37.5}`,
		"file":   strings.Repeat("the quick brown fox jumps over the lazy dog\r\n", 1500),
		"arabic": strings.Repeat("می\u200cخواهم عربي ", 3000),
		"colour": strings.Repeat("\x1b[32mok\x1b[0m  github.com/cash-mcp/go-sdk 0.012s\n", 1500),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				clean.Content(text)
			}
		})
	}
}
