package schema

import (
	"bytes"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// canonical writes the canonical spelling of the value at i into scratch. Values that are equal in JSON Schema have the
// same spelling: 1.0 is 1, and members are unordered. It returns the index after the value, or false when the budget is
// spent.
func (v *run) canonical(i int) (int, bool) {
	end := strictjson.Skip(v.data, i)
	if !v.spend(1 + (end-i)/8) {
		return end, false
	}
	v.scratch = appendCanonical(v.scratch[:0], v.data[i:end])
	return end, true
}

// appendCanonical appends the canonical spelling of a value.
func appendCanonical(dst, value []byte) []byte {
	switch strictjson.KindOf(value) {
	case strictjson.String:
		return appendText(dst, value)
	case strictjson.Number:
		return parseDecimal(value).append(dst)
	case strictjson.Array:
		dst = append(dst, '[')
		for _, elem := range strictjson.Elements(value) {
			dst = append(appendCanonical(dst, elem), ',')
		}
		return append(dst, ']')
	case strictjson.Object:
		return appendObject(dst, value)
	}
	return append(dst, value...)
}

// appendObject appends the members sorted by their canonical keys.
func appendObject(dst, value []byte) []byte {
	type member struct{ key, value []byte }
	var members []member
	for key, val := range strictjson.RawMembers(value) {
		members = append(members, member{appendText(nil, key), val})
	}
	slices.SortFunc(members, func(a, b member) int { return bytes.Compare(a.key, b.key) })
	dst = append(dst, '{')
	for _, m := range members {
		dst = append(append(dst, m.key...), ':')
		dst = append(appendCanonical(dst, m.value), ',')
	}
	return append(dst, '}')
}

// appendText appends a string with as few escapes as possible.
func appendText(dst, quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return append(dst, quoted...)
	}
	dst = append(dst, '"')
	text := strictjson.Text(quoted)
	for i := range len(text) {
		if text[i] == '"' || text[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, text[i])
	}
	return append(dst, '"')
}
