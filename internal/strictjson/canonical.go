package strictjson

import (
	"encoding/json"
	"slices"
)

// Canonical returns data in a form that is independent of white space, the order of members and the spelling of
// strings. Numbers keep their spelling. Check must have accepted data.
func Canonical(data []byte) []byte {
	return appendCanonical(make([]byte, 0, len(data)), Trim(data))
}

func appendCanonical(dst, data []byte) []byte {
	switch KindOf(data) {
	case Object:
		return appendObject(dst, data)
	case Array:
		dst = append(dst, '[')
		for i, e := range Elements(data) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendCanonical(dst, e)
		}
		return append(dst, ']')
	case String:
		return appendText(dst, Text(data))
	}
	return append(dst, data...)
}

func appendObject(dst, data []byte) []byte {
	type member struct {
		key   string
		value []byte
	}
	var members []member
	for key, value := range Members(data) {
		members = append(members, member{key, value})
	}
	slices.SortFunc(members, func(a, b member) int {
		if a.key < b.key {
			return -1
		}
		return 1 // keys differ
	})
	dst = append(dst, '{')
	for i, m := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, m.key), ':')
		dst = appendCanonical(dst, m.value)
	}
	return append(dst, '}')
}

func appendText(dst []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // cannot happen: strings have a JSON form
	}
	return append(dst, quoted...)
}
