package strictjson

import (
	"encoding/json"
	"slices"
	"strings"
)

// Canonical returns data in a form that is independent of white space, the order of members and the spelling of
// strings. Numbers keep their spelling. Check must have accepted data.
func Canonical(data []byte) []byte {
	return CanonicalNumbers(data, func(dst, number []byte) []byte { return append(dst, number...) })
}

// CanonicalNumbers is [Canonical] with numbers as appendNumber spells them.
func CanonicalNumbers(data []byte, appendNumber func(dst, number []byte) []byte) []byte {
	return appendCanonical(make([]byte, 0, len(data)), Trim(data), appendNumber)
}

func appendCanonical(dst, data []byte, appendNumber func(dst, number []byte) []byte) []byte {
	switch KindOf(data) {
	case Object:
		return appendObject(dst, data, appendNumber)
	case Array:
		dst = append(dst, '[')
		for i, e := range Elements(data) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendCanonical(dst, e, appendNumber)
		}
		return append(dst, ']')
	case String:
		return AppendText(dst, Text(data))
	case Number:
		return appendNumber(dst, data)
	}
	return append(dst, data...)
}

func appendObject(dst, data []byte, appendNumber func(dst, number []byte) []byte) []byte {
	type member struct {
		key   string
		value []byte
	}
	var members []member
	for key, value := range Members(data) {
		members = append(members, member{key, value})
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendText(dst, m.key), ':')
		dst = appendCanonical(dst, m.value, appendNumber)
	}
	return append(dst, '}')
}

// AppendText appends a text as [Canonical] spells it, which is the way of [json.Marshal].
func AppendText(dst []byte, text string) []byte {
	own, from := append(dst, '"'), 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			own = append(append(own, text[from:i]...), '\\')
			from = i
		case !plain[c] || c == '<' || c == '>' || c == '&':
			return appendMarshaled(dst, text)
		}
	}
	return append(append(own, text[from:]...), '"')
}

func appendMarshaled(dst []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // cannot happen: strings have a JSON form
	}
	return append(dst, quoted...)
}
