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
	canonical string // empty if key is not a label
	value     []byte
}

// readArguments reads a JSON object strictly. Two keys with the same canonical
// form are an error that names both: neither is ever picked (R24).
func readArguments(data json.RawMessage) ([]argument, error) {
	if err := strictjson.Check(data); err != nil {
		return nil, invalidArguments("The arguments are not valid JSON: " + err.Error() + ".")
	}
	switch kind := strictjson.KindOf(data); kind {
	case strictjson.Object:
	case strictjson.String:
		return nil, invalidArguments("The arguments must be a JSON object, not a string that contains one. Pass the object itself.")
	default:
		return nil, invalidArguments(fmt.Sprintf("The arguments must be a JSON object, not %s.", article(kind.String())))
	}
	return splitArguments(data, make([]argument, 0, 8))
}

func splitArguments(data []byte, args []argument) ([]argument, error) {
	var seen map[string]string // only for objects too large to compare pairwise
	for key, value := range strictjson.Members(data) {
		c, _ := Canonical(key)
		args = append(args, argument{key, c, value})
		if c == "" {
			continue
		}
		if len(args) <= 16 {
			for _, a := range args[:len(args)-1] {
				if a.canonical == c {
					return nil, sameKey(a.key, key)
				}
			}
			continue
		}
		if seen == nil {
			seen = make(map[string]string, 32)
			for _, a := range args[:len(args)-1] {
				if a.canonical != "" {
					seen[a.canonical] = a.key
				}
			}
		}
		if other, dup := seen[c]; dup {
			return nil, sameKey(other, key)
		}
		seen[c] = key
	}
	return args, nil
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

// normalized spells the keys of args as f declares them, takes out what is
// reserved, and returns data itself if that changes nothing.
func (f *Function) normalized(data []byte, args []argument, reserved []string) ([]byte, []json.RawMessage) {
	var taken []json.RawMessage
	same := true
	for i := range args {
		a := &args[i]
		declared := f.names.declared(a)
		if declared == "" {
			for j, name := range reserved {
				if a.canonical == name {
					if taken == nil {
						taken = make([]json.RawMessage, len(reserved))
					}
					taken[j] = a.value
					a.value, same = nil, false
				}
			}
			continue
		}
		if declared != a.key {
			a.key, same = declared, false
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

// paramNames finds declared parameters.
type paramNames struct {
	exact     map[string]struct{}
	canonical map[string]string
}

// declared returns the declared spelling of a's key, or "".
func (p *paramNames) declared(a *argument) string {
	if _, ok := p.exact[a.key]; ok {
		return a.key
	}
	if a.canonical == "" {
		return ""
	}
	return p.canonical[a.canonical]
}

func newParamNames(params []Param) *paramNames {
	p := &paramNames{make(map[string]struct{}, len(params)), make(map[string]string, len(params))}
	for _, param := range params {
		p.exact[param.Name] = struct{}{}
		if c, ok := Canonical(param.Name); ok {
			p.canonical[c] = param.Name
		}
	}
	return p
}
