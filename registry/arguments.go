package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// argument is one top-level member of a call's arguments.
type argument struct {
	key       string // as sent
	canonical string // empty if key is not a label, or if the parameter matches its exact spelling only
	declared  string // the parameter's spelling; empty if the function has no such parameter
	value     []byte // nil after it was taken out
}

// checkObject refuses data that is not a JSON object in strict JSON.
func checkObject(data json.RawMessage) error {
	if err := strictjson.Check(data); err != nil {
		return unreadable(err)
	}
	switch kind := strictjson.KindOf(data); kind {
	case strictjson.Object:
		return nil
	case strictjson.String:
		return invalidArguments("The arguments must be a JSON object, not a string that contains one. Pass the object itself.")
	default:
		return invalidArguments(fmt.Sprintf("The arguments must be a JSON object, not %s.", article(kind.String())))
	}
}

// readArguments reads a JSON object strictly and appends its members to args. params are the
// parameters of the function. Two keys with the same canonical form are an error that names both.
// Neither value is ever picked (R24).
func readArguments(args []argument, data json.RawMessage, params *params) ([]argument, error) {
	if err := checkObject(data); err != nil {
		return nil, err
	}
	for key, value := range strictjson.RawMembers(data) {
		args = append(args, params.match(key, value))
	}
	return args, checkDistinct(args)
}

// smallObject is the most keys that are compared pairwise.
const smallObject = 16

// checkDistinct refuses two keys with the same canonical form.
func checkDistinct(args []argument) error {
	if len(args) > smallObject {
		return checkDistinctMany(args)
	}
	for i, a := range args {
		for _, b := range args[:i] {
			if a.canonical == b.canonical && a.canonical != "" {
				return sameKey(b.key, a.key)
			}
		}
	}
	return nil
}

func checkDistinctMany(args []argument) error {
	seen := make(map[string]string, len(args))
	for _, a := range args {
		if a.canonical == "" {
			continue
		}
		if other, dup := seen[a.canonical]; dup {
			return sameKey(other, a.key)
		}
		seen[a.canonical] = a.key
	}
	return nil
}

func sameKey(a, b string) error {
	return invalidArguments(fmt.Sprintf("The argument names %s and %s are the same name: case and underscores carry no meaning. Pass one of them.",
		quoteName(a), quoteName(b)))
}

func invalidArguments(msg string) *Error {
	return &Error{Kind: InvalidArguments, Message: msg}
}

func article(word string) string {
	switch {
	case word == "null":
		return word
	case strings.ContainsRune("aeio", rune(word[0])):
		return "an " + word
	}
	return "a " + word
}

// normalized spells the keys of args as the function declares them and takes the reserved arguments
// out. It returns data itself if nothing changed.
func normalized(data []byte, args []argument, reserved []Reserved) ([]byte, []json.RawMessage) {
	var taken []json.RawMessage
	same := true
	for i := range args {
		a := &args[i]
		if a.declared != "" {
			same = same && a.declared == a.key
			a.key = a.declared
			continue
		}
		for j, r := range reserved {
			if a.canonical == r.Name && (r.Takes == nil || r.Takes(a.value)) {
				if taken == nil {
					taken = make([]json.RawMessage, len(reserved))
				}
				taken[j] = a.value
				a.value, same = nil, false
			}
		}
	}
	if same {
		return data, nil
	}
	return encodeArguments(args, len(data)), taken
}

func encodeArguments(args []argument, size int) []byte {
	var b bytes.Buffer
	b.Grow(size + 64)
	b.WriteByte('{')
	for _, a := range args {
		if a.value == nil {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		if a.canonical != "" { // letters, digits and underscores need no escapes
			b.WriteByte('"')
			b.WriteString(a.key)
			b.WriteByte('"')
		} else {
			key, _ := json.Marshal(a.key)
			b.Write(key)
		}
		b.WriteByte(':')
		b.Write(a.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}
