package view

import (
	"bytes"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// compactJSON returns the JSON document in data if it has next to no line ends.
func compactJSON(data []byte) (doc []byte, ok bool) {
	if !looksLikeJSON(data) || bytes.Count(data, []byte{'\n'}) > len(data)/1000 {
		return nil, false
	}
	doc = document(data)
	return doc, strictjson.Valid(doc)
}

// looksLikeJSON reports whether data begins like an array or an object.
func looksLikeJSON(data []byte) bool {
	kind := strictjson.KindOf(document(data))
	return kind == strictjson.Array || kind == strictjson.Object
}

// document returns data without a byte order mark and without surrounding white space.
func document(data []byte) []byte {
	return strictjson.Trim(bytes.TrimPrefix(data, []byte("\ufeff")))
}

// searchJSON finds keys, strings, numbers and literals in a valid document, and shows them with their paths.
func (l *look) searchJSON(doc []byte, h *hits) (err error) {
	n := 0
	walk(doc, func(at *place, token []byte, key bool) bool {
		if n++; n%4096 == 0 {
			err = l.ctx.Err()
		}
		h.token(at, token, key)
		return err == nil && !h.exhausted()
	})
	return err
}

// token looks for matches in a key or a scalar.
func (h *hits) token(at *place, token []byte, key bool) {
	text := token
	if token[0] == '"' {
		text = inner(token)
	}
	if len(text) > longLine {
		h.long(at.path()+": ", text) // the path is computed for matches only
		return
	}
	if from, _ := h.find(text); from < 0 {
		return
	}
	if h.due() {
		h.show("", at.path()+shownToken(text, key)+"\n")
	}
	h.count++
}

func shownToken(text []byte, key bool) string {
	if key {
		return " (key)"
	}
	return ": " + snippet(text, 0, longLine)
}

// inner returns the value of a quoted string. Without escapes it is a slice of quoted.
func inner(quoted []byte) []byte {
	if part := quoted[1 : len(quoted)-1]; bytes.IndexByte(part, '\\') < 0 {
		return part
	}
	return []byte(strictjson.Text(quoted))
}
