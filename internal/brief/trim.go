package brief

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A Level is a level of detail.
type Level struct {
	text     int  // characters of a text, with its mark
	elements bool // elements of arrays are trimmed
}

// The levels.
var (
	Standard = Level{text: 500}
	Minimal  = Level{text: 160, elements: true}
)

const (
	maxDepth   = 20
	maxOmitted = 20
	maxName    = 64 // characters of a name in a path
)

// Trim returns a value at a level, and the paths of the members that were left out, in order; the last one is "…" if
// there are more. data is a value that strictjson.CheckDepth accepts. A value without changes is returned as it is.
func Trim(data []byte, level Level) (short []byte, omitted []string) {
	value := strictjson.Trim(data)
	if kind := strictjson.KindOf(value); kind != strictjson.Array && kind != strictjson.Object || isText(value) {
		return data, nil
	}
	t := trimmer{Level: level}
	t.value(value, 0)
	if !t.changed {
		return data, nil
	}
	return t.out, t.omitted
}

// isText reports whether a value is an object whose only member is a text.
func isText(value []byte) bool {
	n, text := 0, false
	for _, v := range strictjson.RawMembers(value) {
		if n++; n > 1 {
			return false
		}
		text = v[0] == '"'
	}
	return text
}

// A trimmer writes one value.
type trimmer struct {
	Level
	out     []byte
	changed bool
	path    []byte // of the value that is written
	omitted []string
}

func (t *trimmer) value(v []byte, depth int) {
	switch {
	case depth >= maxDepth:
		t.out = append(t.out, v...)
	case v[0] == '"':
		t.string(v)
	case v[0] == '{':
		t.object(v, depth, false)
	case v[0] == '[':
		t.array(v, depth)
	default:
		t.out = append(t.out, v...)
	}
}

func (t *trimmer) array(v []byte, depth int) {
	end := len(t.path)
	t.path = append(t.path, "[]"...)
	t.out = append(t.out, '[')
	for i, e := range strictjson.Elements(v) {
		if i > 0 {
			t.out = append(t.out, ',')
		}
		if e[0] == '{' && depth+1 < maxDepth {
			t.object(e, depth+1, t.elements && identified(e))
		} else {
			t.value(e, depth+1)
		}
	}
	t.out = append(t.out, ']')
	t.path = t.path[:end]
}

// object writes an object. trim leaves out what the level does not show of an element.
func (t *trimmer) object(v []byte, depth int, trim bool) {
	t.out = append(t.out, '{')
	start := len(t.out)
	for key, value := range strictjson.RawMembers(v) {
		c := classOf(key[1 : len(key)-1])
		nested := value[0] == '{' || value[0] == '['
		if trim && c != marked && (c == other || nested) {
			t.omit(key)
			continue
		}
		if len(t.out) > start {
			t.out = append(t.out, ',')
		}
		t.out = append(append(t.out, key...), ':')
		if c == marked || c == id && !nested {
			t.out = append(t.out, value...)
			continue
		}
		end := len(t.path)
		if nested {
			t.enter(key)
		}
		t.value(value, depth+1)
		t.path = t.path[:end]
	}
	t.out = append(t.out, '}')
}

// identified reports whether an element has an id or a name.
func identified(element []byte) bool {
	for key, value := range strictjson.RawMembers(element) {
		if c := classOf(key[1 : len(key)-1]); c != id && c != named {
			continue
		}
		if c := value[0]; c == '-' || '0' <= c && c <= '9' || c == '"' && len(value) > 2 {
			return true
		}
	}
	return false
}

// string writes a text, or its beginning and its length.
func (t *trimmer) string(v []byte) {
	if len(v)-2 <= t.text {
		t.out = append(t.out, v...)
		return
	}
	text := strictjson.Text(v)
	n := utf8.RuneCountInString(text)
	if n <= t.text {
		t.out = append(t.out, v...)
		return
	}
	mark := fmt.Sprintf(" (%d characters)", n)
	t.out = appendText(t.out, Excerpt(text, t.text-len(mark))+mark)
	t.changed = true
}

// appendText appends a text as a JSON string with as few escapes as possible, so that it is not longer than it came.
func appendText(dst []byte, text string) []byte {
	const short = "\b\f\n\r\t\"\\"
	dst = append(dst, '"')
	for i := range len(text) {
		c := text[i]
		switch at := strings.IndexByte(short, c); {
		case at >= 0:
			dst = append(dst, '\\', `bfnrt"\`[at])
		case c < ' ':
			dst = strictjson.AppendEscape(dst, rune(c))
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// omit notes that a member is left out.
func (t *trimmer) omit(key []byte) {
	t.changed = true
	end := len(t.path)
	t.enter(key)
	path := t.path
	t.path = t.path[:end]
	switch {
	case slices.ContainsFunc(t.omitted, func(known string) bool { return known == string(path) }):
	case len(t.omitted) < maxOmitted:
		t.omitted = append(t.omitted, string(path))
	case len(t.omitted) == maxOmitted:
		t.omitted = append(t.omitted, "…")
	}
}

// enter appends a member to the path. A name that is no word is written as in JSON.
func (t *trimmer) enter(key []byte) {
	name := strictjson.Unquote(key)
	if len(name) > maxName || len(name) == 0 || bytes.ContainsFunc(name, notInWord) {
		t.path = append(t.path, '[')
		t.path = clean.AppendQuoted(t.path, clean.Line(string(name), maxName))
		t.path = append(t.path, ']')
		return
	}
	if len(t.path) > 0 {
		t.path = append(t.path, '.')
	}
	t.path = append(t.path, name...)
}

func notInWord(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' || r == '$' || r == '@')
}
