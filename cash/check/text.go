package check

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A payload replaces a value or a member's name in a message.
type payload struct {
	name string // what it is, for evidence
	raw  string // as sent; may be invalid JSON
}

func (p payload) isText() bool { return p.raw[0] == '"' }

// texts returns texts that have broken servers, logs, terminals, browsers and models. big is the length of the
// longest one in bytes.
func texts(big int) []payload {
	var list []payload
	add := func(name, text string) {
		list = append(list, payload{name, quoted(text)})
		if escaped := escapedQuoted(text); escaped != quoted(text) && len(text) < 1000 {
			list = append(list, payload{name + ", escaped", escaped})
		}
	}
	for _, r := range loneRunes {
		add(fmt.Sprintf("U+%04X", r), string(r))
		add(fmt.Sprintf("U+%04X in a word", r), "a"+string(r)+"b")
	}
	for _, t := range namedTexts {
		add(t.name, t.raw)
	}
	for _, p := range dirty {
		list = append(list, payload{p.name, `"` + p.raw + `"`})
	}
	return append(list, payload{fmt.Sprintf("%d bytes of x", big), quoted(strings.Repeat("x", big))})
}

// loneRunes are characters that cause trouble by themselves.
var loneRunes = []rune{
	0x00, 0x01, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1B, 0x1F, 0x7F, // controls
	0x80, 0x85, 0x9B, 0x9F, // more controls
	0xAD, 0xFEFF, 0x200B, 0x2028, 0x2029, 0x202E, 0x2066, 0x2069, // invisible ones, bidi controls
	0xE0041, 0xE007F, 0xFE0F, // tags, a variation selector
	0xE000, 0xF8FF, 0x100000, 0x10FFFF, // private use
	0xFDD0, 0xFFFE, 0xFFFF, 0x1FFFE, // noncharacters
	0xFFFD, 0x17F, 0x130, 0x3A9, // the replacement character, and letters with odd case folding
}

// namedTexts are payloads with one oddity each.
var namedTexts = []payload{
	{"nothing", ""},
	{"a blank", " "},
	{"all C0 controls", "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f"},
	{"bidi", "\u202aabc\u202e\u2066\u2069\u200f\u05d0\u061c"},
	{"Arabic and Hebrew", "مرحبا שלום"},
	{"tag characters", "hi\U000e0049\U000e0067\U000e006e\U000e006f\U000e0072\U000e0065\U000e007f"},
	{"emoji with joiners", "👩‍👩‍👧‍👦🏳️‍🌈🇩🇪"},
	{"1,000 combining marks", "e" + strings.Repeat("\u0301", 1000)},
	{"lookalikes", "раypal ⅰ ﬁ Å K ſ"},
	{"HTML", `<script>alert("1")</script><img src=x onerror=alert(1)>`},
	{"XML", `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>]]>`},
	{"Markdown", "# Title\n[a](javascript:alert(1)) `code` ![x](http://127.0.0.1/)"},
	{"ANSI", "\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b[2J"},
	{"SQL", `'; DROP TABLE orders; --`},
	{"shell", "$(id) `id` ; rm -rf / | cat & \\\n"},
	{"path traversal", "../../../../etc/passwd"},
	{"path traversal, encoded", "..%2f..%2f..%2fetc%2fpasswd%00.json"},
	{"path traversal, Windows", `..\..\C:\boot.ini`},
	{"file URI", "file:///etc/passwd"},
	{"skill URI", "skill://x/../../\x1b?a=%zz#%"},
	{"cash URI", "cash://server/x?functions=\x00,\xf4\x8f\xbf\xbf&%00"},
	{"resource URI", "resource:///tool_descriptions?tools=\x1b,,a b"},
	{"URI with a broken escape", "x://%zz"},
	{"URI with a NUL", "http://a/%00"},
	{"URI with a broken host", "http://[::1:80:x/"},
	{"URI with a colon first", "://"},
	{"data URI", "data:text/html;base64,PHNjcmlwdD4="},
	{"JSON", `{"jsonrpc":"2.0","id":7,"result":{}}`},
	{"the end of an envelope", `"},"id":7,"x":{"y":"`},
	{"half JSON", `{"a":[1,2,{"b":"`},
	{"JSON in JSON in JSON", `"\"\\\"\\\\\\\"x\\\\\\\"\\\"\""`},
	{"backslashes", `\\\\\\\`},
	{"an escape", `\u001b\x1b\n`},
	{"format verbs", `%s %x %!q %d %v %n %s%s%s%s %1000000d`},
	{"a template", `{{.}}{{printf "%s" .}}${7*7}#{7*7}<%= 7 %>`},
	{"lines", "a\nb\rc\r\nd\n\n"},
	{"an event", "x\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"3\",\"result\":{}}\n\nid: 3\nevent: close\n\n"},
	{"a header", "a\r\nSet-Cookie: a=b\r\n\r\nHTTP/1.1 200 OK\r\n"},
	{"an encoded word", "=?base64?AAAA?="},
	{"a number", "9007199254740993"},
	{"a large number", "1e400"},
	{"a negative number", "-0"},
	{"a word of JavaScript", "__proto__"},
	{"a word of JSON", "null"},
	{"an own key", "io.modelcontextprotocol/protocolVersion"},
	{"dots", "...a..b."},
	{"slashes", "///a//b/"},
	{"commas", ",,,a,,"},
	{"a name of 300 characters", strings.Repeat("n", 300)},
	{"30,000 newlines", strings.Repeat("\n", 30_000)},
	{"100,000 quotes", strings.Repeat(`"`, 100_000)},
}

// dirty are string contents that are not valid Unicode.
var dirty = []payload{
	{"a lone high surrogate", `a\ud800b`},
	{"a lone low surrogate", `\udc00`},
	{"surrogates in the wrong order", `\udc00\ud800`},
	{"a surrogate and an escape", `\ud800\u0041`},
	{"a byte ff", "a\xffb"},
	{"a byte of a longer character", "\xc3"},
	{"an overlong NUL", "\xc0\x80"},
	{"a surrogate in UTF-8", "\xed\xa0\x80"},
	{"a character beyond Unicode", "\xf4\x90\x80\x80"},
}

// quoted returns text as JSON with as few escapes as possible.
func quoted(text string) string {
	return string(strictjson.MustMarshal(text))
}

// escapedQuoted returns text as JSON in ASCII.
func escapedQuoted(text string) string {
	var b []byte
	for _, r := range quoted(text) {
		switch {
		case r < 0x80 && r != 0x7f:
			b = append(b, byte(r))
		default:
			b = strictjson.AppendEscape(b, r)
		}
	}
	return string(b)
}

// values are values of the wrong type, and odd ones of the right type.
var values = []payload{
	{"null", "null"},
	{"true", "true"},
	{"false", "false"},
	{"0", "0"},
	{"-1", "-1"},
	{"1.5", "1.5"},
	{"1e400", "1e400"},
	{"1e-400", "1e-400"},
	{"2^53+1", "9007199254740993"},
	{"2^63", "9223372036854775808"},
	{"a number of 1,000 digits", strings.Repeat("9", 1000)},
	{"an array", "[]"},
	{"an array of texts", `["a","b"]`},
	{"an array of null", `[null]`},
	{"an object", "{}"},
	{"an object with a text", `{"a":"b"}`},
	{"an object with equal members", `{"a":1,"a":2}`},
	{"an object with many members", "{" + manyMembers(1000) + "}"},
	{"30 levels", strings.Repeat("[", 30) + strings.Repeat("]", 30)},
	{"3,000 levels", strings.Repeat(`{"a":`, 3000) + "1" + strings.Repeat("}", 3000)},
}

// manyMembers returns n members of an object, without braces.
func manyMembers(n int) string {
	b := make([]byte, 0, 16*n)
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `"m`...), int64(i), 10)
		b = strconv.AppendInt(append(b, `":`...), int64(i), 10)
	}
	return string(b)
}
