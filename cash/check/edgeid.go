package check

import (
	"iter"
	"slices"
	"strings"
)

// edgeIDs are ids that are just allowed, or just not.
func edgeIDs(b *maker) iter.Seq[*message] {
	ids := []payload{
		{"2^53-1", "9007199254740991"}, {"-(2^53-1)", "-9007199254740991"},
		{"2^53+1", "9007199254740993"}, {"-(2^53+1)", "-9007199254740993"}, {"2^53", "9007199254740992"},
		{"2^63-1", "9223372036854775807"}, {"2^63", "9223372036854775808"}, {"2^64", "18446744073709551616"},
		{"-1", "-1"}, {"0", "0"}, {"-0", "-0"}, {"1.0", "1.0"}, {"1.5", "1.5"}, {"0.1", "0.1"}, {"1e3", "1e3"},
		{"1e400", "1e400"}, {"1e999999999", "1e999999999"}, {"1e-400", "1e-400"},
		{"null", "null"}, {"true", "true"}, {"{}", "{}"}, {"[]", "[]"}, {"[1]", "[1]"}, {`{"id":1}`, `{"id":1}`},
		{"an empty text", `""`}, {"a blank", `" "`}, {"null as text", `"null"`}, {"1 as text", `"1"`},
		{"a text with an escape", `"\u0061"`}, {"a text with a slash", `"\/"`}, {"ESC", `"\u001b"`}, {"an escaped quote", `"\""`},
		{"a lone surrogate", `"\ud800"`}, {"HTML", `"<a href=x>&amp;"`}, {"U+2028", `"\u2028"`},
		{"4,000 bytes", quoted(strings.Repeat("i", 4000))}, {"100,000 bytes", quoted(strings.Repeat("i", 100_000))},
		{"10,000 digits", strings.Repeat("7", 10_000)},
	}
	var list []*message
	for _, p := range ids {
		m := newRequest(p.raw, b.ping(p.raw), p.name+" as id")
		m.setID(p.raw)
		list = append(list, m.weigh())
	}
	return slices.Values(list)
}

// reusedID are requests that share an id.
func reusedID(b *maker) iter.Seq[*message] {
	id := b.id()
	data := plainRequest(b.version, id, "tools/list", "")
	m := newRequest(id, data, "one id").doubtful()
	return slices.Values([]*message{m, m})
}
