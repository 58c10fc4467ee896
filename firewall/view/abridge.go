package view

import (
	"fmt"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A detail says how much of a value its abridged form shows.
type detail struct {
	text  int // characters of a string, digits of a number
	items int // elements of an array, members of an object
	depth int // levels of arrays and objects
}

// details are ordered from much to little.
var details = []detail{{2000, 100, 8}, {400, 40, 6}, {100, 20, 4}, {40, 8, 3}, {20, 4, 2}, {12, 1, 1}}

// abridge returns a shorter form of a valid value, as clean JSON of at most room characters. A cut string ends with an
// ellipsis. A cut array or object ends with the number of omitted items.
func abridge(raw []byte, room int) []byte {
	for _, d := range details {
		a := abridger{room: room}
		a.value(raw, d)
		if a.room >= 0 {
			return a.buf
		}
	}
	return []byte(`"…"`)
}

// An abridger writes one abridged value until its room is used up.
type abridger struct {
	buf  []byte
	room int // characters left; negative if they were not enough
}

func (a *abridger) add(b []byte) {
	a.room -= rawCost(b)
	if a.room >= 0 {
		a.buf = append(a.buf, b...)
	}
}

func (a *abridger) value(raw []byte, d detail) {
	switch strictjson.KindOf(raw) {
	case strictjson.String:
		a.add(abridgedString(raw, d.text))
	case strictjson.Array, strictjson.Object:
		a.list(raw, d)
	default:
		if len(raw) > d.text {
			raw = appendQuoted(nil, string(raw[:d.text])+"…")
		}
		a.add(raw)
	}
}

// list writes an array or an object.
func (a *abridger) list(raw []byte, d detail) {
	if d.depth == 0 {
		a.add(appendQuoted(nil, describe(raw)))
		return
	}
	most, n, more := d.items, 0, `"… %d more"`
	d.depth--
	item := func(key, value []byte) (goOn bool) {
		if n++; n > most {
			return true
		}
		if n > 1 {
			a.add([]byte{','})
		}
		if key != nil {
			a.add(append(abridgedString(key, d.text), ':'))
		}
		a.value(value, d)
		return a.room >= 0
	}
	a.add(raw[:1])
	for _, e := range strictjson.Elements(raw) {
		if !item(nil, e) {
			return
		}
	}
	for key, value := range strictjson.RawMembers(raw) {
		if more = `"…":"%d more"`; !item(key, value) {
			return
		}
	}
	if n > most {
		a.add(fmt.Appendf([]byte{','}, more, n-most))
	}
	a.add(raw[len(raw)-1:])
}

// abridgedString returns a quoted string cut to most characters. A cut string ends with an ellipsis.
func abridgedString(quoted []byte, most int) []byte {
	short := quoted
	if len(quoted) > 16*most { // do not read more than that
		short = append(prefix(quoted, 16*most), '"')
	}
	text := clean.Text(clean.Unquote(short))
	if len(short) == len(quoted) && utf8.RuneCountInString(text) <= most {
		return clean.AppendJSONString(nil, quoted)
	}
	n := 0
	for i := range text {
		if n++; n == most {
			text = text[:i]
			break
		}
	}
	return clean.AppendQuoted(nil, text+"…")
}

// prefix returns at most most bytes of the beginning of a quoted string, without the closing quote. It splits no escape
// and no character.
func prefix(quoted []byte, most int) []byte {
	i := 1
	for i < len(quoted)-1 {
		_, n := utf8.DecodeRune(quoted[i:])
		if quoted[i] == '\\' {
			n = 2
			if quoted[i+1] == 'u' {
				n = 6
			}
		}
		if i+n > most {
			break
		}
		i += n
	}
	return quoted[:i:i]
}
