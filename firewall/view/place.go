package view

import (
	"strconv"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A place is a position in a JSON document: the steps that lead to it from the root.
type place struct {
	steps []step
}

// A step is a member or an element.
type step struct {
	key   []byte // as spelled, in quotes; nil in an array
	index int
}

// maxPath bounds the length of shown paths, in bytes.
const maxPath = 300

// path returns the place as a JSON path. Names have no brackets where that is possible. A path that is too long ends
// with an ellipsis.
func (p *place) path() string {
	b := []byte{'$'}
	for _, s := range p.steps {
		if len(b)+len(s.key) > maxPath {
			return string(b) + "…"
		}
		b = s.append(b)
	}
	return string(b)
}

func (s step) append(b []byte) []byte {
	if s.key == nil {
		b = strconv.AppendInt(append(b, '['), int64(s.index), 10)
		return append(b, ']')
	}
	return appendMember(b, string(inner(s.key)))
}

// appendMember appends the path segment of a member.
func appendMember(b []byte, name string) []byte {
	if isIdentifier(name) {
		return append(append(b, '.'), name...)
	}
	return append(appendQuoted(append(b, '['), name), ']')
}

func isIdentifier(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// walk calls visit for each key and each scalar of a valid document, until visit returns false. The place is valid
// during the call only. Walk reads the document once, without recursion.
func walk(doc []byte, visit func(at *place, token []byte, key bool) bool) {
	at := &place{}
	key := false // the next string in this object is a key
	for i := 0; i < len(doc); {
		var last *step
		if n := len(at.steps); n > 0 {
			last = &at.steps[n-1]
		}
		switch doc[i] {
		case ' ', '\n', '\t', '\r', ':':
		case ',':
			last.index++
			key = last.key != nil
		case '[':
			at.steps = append(at.steps, step{})
			key = false
		case '{':
			at.steps = append(at.steps, step{key: []byte{}})
			key = true
		case ']', '}':
			at.steps = at.steps[:len(at.steps)-1]
			key = false
		default:
			end := strictjson.Skip(doc, i)
			if key {
				last.key = doc[i:end]
			}
			if !visit(at, doc[i:end], key) {
				return
			}
			i, key = end, false
			continue
		}
		i++
	}
}
