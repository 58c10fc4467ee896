package check

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// brokenJSON are texts that are not JSON, or only loosely.
func brokenJSON(b *maker) iter.Seq[*message] {
	id := b.id()
	ping := b.ping(id)
	texts := []payload{
		{"the first half", ping[:len(ping)/2]},
		{"without the last brace", ping[:len(ping)-1]},
		{"a brace", "{"},
		{"a closing brace", "}"},
		{"a bracket", "["},
		{"a quote", `"`},
		{"a word", "ping"},
		{"a brace too many", ping + "}"},
		{"a word after it", ping + " x"},
		{"a comma after it", ping + ","},
		{"a comma at the end", strings.TrimSuffix(ping, "}") + ",}"},
		{"single quotes", strings.ReplaceAll(ping, `"`, `'`)},
		{"a comment", "/* x */" + ping},
		{"NaN as a member", strings.TrimSuffix(ping, "}") + `,"x":NaN}`},
		{"a number like 01", strings.TrimSuffix(ping, "}") + `,"x":01}`},
		{"a number like +1", strings.TrimSuffix(ping, "}") + `,"x":+1}`},
		{"an escape that is none", strings.TrimSuffix(ping, "}") + `,"x":"\x"}`},
		{"an escape without its end", strings.TrimSuffix(ping, "}") + `,"x":"\u00"}`},
		{"ESC in a text", strings.TrimSuffix(ping, "}") + ",\"x\":\"\x1b\"}"},
		{"NUL in a text", strings.TrimSuffix(ping, "}") + ",\"x\":\"\x00\"}"},
		{"NUL after it", ping + "\x00"},
		{"UTF-16", utf16Bytes(ping)},
		{"a byte order mark before it", "\ufeff" + ping},
		{"a byte ff before it", "\xff" + ping},
		{"a byte ff in the method", strings.Replace(ping, pingMethod(b.version), "pi\xffng", 1)},
		{"a record separator before it", "\x1e" + ping},
		{"the header of a framed message", "Content-Length: 10"},
		{"a form", "jsonrpc=2.0&method=ping&id=1"},
		{"HTTP", "POST / HTTP/1.1"},
	}
	var list []*message
	for _, p := range texts {
		list = append(list, newBroken(p.raw, p.name, id))
	}
	other := b.id()
	two := newBroken(ping+b.ping(other), "two messages in one", id, other)
	two.most = 2
	blank := newBroken("", "nothing")
	if !b.web { // an empty line
		blank.kind, blank.least = quiet, 0
	}
	return slices.Values(append(list, two, blank, newRequest(id, " \t"+ping+" \t\r", "blanks around it")))
}

func utf16Bytes(ascii string) string {
	var b strings.Builder
	for i := range len(ascii) {
		b.WriteByte(0)
		b.WriteByte(ascii[i])
	}
	return b.String()
}

// envelopes are JSON texts around the borders of a valid message.
func envelopes(b *maker) iter.Seq[*message] {
	id := b.id()
	ping := b.ping(id)
	with := func(member string) string { return strings.TrimSuffix(ping, "}") + "," + member + "}" }
	without := func(part string) string { return strings.Replace(ping, part, "", 1) }
	method := fmt.Sprintf(`"method":%q`, pingMethod(b.version))
	var list []*message
	for _, p := range []payload{
		{"null", "null"}, {"true", "true"}, {"a number", "1"}, {"a text", `"ping"`}, {"an empty object", "{}"},
		{"only an id", `{"id":` + id + `}`},
		{"only a version", `{"jsonrpc":"2.0"}`},
		{"no version", without(`"jsonrpc":"2.0",`)},
		{"version 1.0", strings.Replace(ping, "2.0", "1.0", 1)},
		{"a version that is a number", strings.Replace(ping, `"2.0"`, "2.0", 1)},
		{"a method that is null", strings.Replace(ping, method, `"method":null`, 1)},
		{"a method that is a number", strings.Replace(ping, method, `"method":1`, 1)},
	} {
		list = append(list, newBroken(p.raw, p.name, id))
	}
	for _, p := range []payload{ // ambiguous: they may be taken for something else
		{"no method", without(method + ",")},
		{"names in capitals", strings.ToUpper(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)},
		{"a result besides the method", with(`"result":{}`)},
		{"an error besides the method", with(`"error":{"code":1,"message":"m"}`)},
		{"a result and an error", `{"jsonrpc":"2.0","id":` + id + `,"result":{},"error":{"code":1,"message":"m"}}`},
		{"an error that is a text", `{"jsonrpc":"2.0","id":` + id + `,"error":"m"}`},
		{"a response without an id", `{"jsonrpc":"2.0","result":{}}`},
		{"a method without a name", strings.Replace(ping, method, `"method":""`, 1)},
	} {
		m := newBroken(p.raw, p.name, id)
		m.least = 0
		list = append(list, m)
	}
	list = append(list,
		newRequest(id, with(`"x":{"y":"z"}`), "a member that is not known"),
		newRequest(id, with(`"extra":null`), "a member that is null"))
	return slices.Values(list)
}

// twice are messages with a repeated member.
func twice(b *maker) iter.Seq[*message] {
	id, other := b.id(), b.id()
	ping := b.ping(id)
	var list []*message
	for _, p := range []payload{
		{"id", `"id":` + other},
		{"id, escaped", `"i\u0064":` + other},
		{"jsonrpc", `"jsonrpc":"2.0"`},
		{"jsonrpc of 1.0", `"jsonrpc":"1.0"`},
		{"method", `"method":"tools/list"`},
		{"method, escaped", `"metho\u0064":"tools/list"`},
		{"params", `"params":{}`},
		{"params that are null", `"params":null`},
	} {
		list = append(list, newBroken(strings.TrimSuffix(ping, "}")+","+p.raw+"}", "again "+p.name, id, other))
	}
	return slices.Values(list)
}
