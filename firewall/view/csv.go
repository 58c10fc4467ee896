package view

import (
	"bytes"
	"strings"
)

// A table is text in rows and columns, such as CSV. The reader is lenient: rows may differ in length, and a quote may
// stay open. A quote opens a field only at its beginning and closes it only at its end; any other quote is a character.
type table struct {
	data  []byte
	comma byte
	// loose means that an unclosed quote was found. From there on quotes are characters. Otherwise each would be
	// searched for its end again.
	loose bool
}

// newTable returns the table in data. The first record is the header. It reports false if the media type is not that of
// a table and the first lines differ in the number of commas, semicolons or tabs.
func newTable(data []byte, mediaType string) (*table, bool) {
	if len(data) == 0 || Binary(data) {
		return nil, false
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	kind := strings.ToLower(mediaType)
	if strings.Contains(kind, "tab-separated") || strings.Contains(kind, "tsv") {
		return &table{data: data, comma: '\t'}, true
	}
	comma, regular := separator(data)
	return &table{data: data, comma: comma}, regular || strings.Contains(kind, "csv") || strings.Contains(kind, "comma-separated")
}

// separator guesses the separator of fields, and reports whether the first two records agree.
func separator(data []byte) (comma byte, regular bool) {
	comma, most := byte(','), 1
	for _, c := range []byte(",;\t|") {
		t := table{data: data[:min(len(data), 1<<16)], comma: c}
		first, at := t.record(0)
		second, _ := t.record(at)
		if n := len(first); n > most {
			comma, most, regular = c, n, n == len(second)
		}
	}
	return comma, regular
}

// maxColumns bounds the fields of a record. The last field holds the rest of the record, unparsed.
const maxColumns = 10_000

// record reads the record that begins at at, and returns its fields and where the next one begins. A field without
// quotes is a slice of the data. Empty lines are not records.
func (t *table) record(at int) (fields [][]byte, next int) {
	at = t.blank(at)
	for at < len(t.data) {
		if len(fields) == maxColumns-1 {
			end := t.rest(at)
			return append(fields, bytes.TrimRight(t.data[at:end], "\r\n")), end
		}
		var field []byte
		field, at = t.field(at)
		fields = append(fields, field)
		if at == len(t.data) || t.data[at] == '\n' {
			return fields, min(at+1, len(t.data))
		}
		if at++; at == len(t.data) { // a comma at the very end
			return append(fields, nil), at
		}
	}
	return fields, at
}

// skip returns where the record after the one at at begins.
func (t *table) skip(at int) int {
	return t.rest(t.blank(at))
}

// rest returns where the next record begins, from inside a record.
func (t *table) rest(at int) int {
	for at < len(t.data) {
		if at = t.fieldEnd(at); at == len(t.data) {
			return at
		}
		at++
		if t.data[at-1] == '\n' {
			return at
		}
	}
	return at
}

// blank skips empty lines.
func (t *table) blank(at int) int {
	for at < len(t.data) && (t.data[at] == '\n' || t.data[at] == '\r' && at+1 < len(t.data) && t.data[at+1] == '\n') {
		at++
	}
	return at
}

// field reads the field that begins at at. It ends at a comma, at a line feed or at the end of the data.
func (t *table) field(at int) (field []byte, end int) {
	end = t.fieldEnd(at)
	field = t.data[at:end]
	if end == len(t.data) || t.data[end] == '\n' {
		field = bytes.TrimSuffix(field, []byte{'\r'})
	}
	if n := len(field); !t.loose && n >= 2 && field[0] == '"' && field[n-1] == '"' {
		field = bytes.ReplaceAll(field[1:n-1], []byte(`""`), []byte{'"'})
	}
	return field, end
}

// fieldEnd returns where the field that begins at at ends.
func (t *table) fieldEnd(at int) int {
	if t.data[at] == '"' && !t.loose {
		if end, ok := t.quotedEnd(at + 1); ok {
			return end
		}
		t.loose = true
	}
	for at < len(t.data) && t.data[at] != t.comma && t.data[at] != '\n' {
		at++
	}
	return at
}

// quotedEnd returns the end of a quoted field whose text begins at at, and reports whether a quote closes it.
func (t *table) quotedEnd(at int) (end int, ok bool) {
	for at < len(t.data) {
		i := bytes.IndexByte(t.data[at:], '"')
		if i < 0 {
			return 0, false
		}
		at += i + 1
		rest := t.data[at:]
		switch {
		case len(rest) > 0 && rest[0] == '"':
			at++
		case len(rest) == 0, rest[0] == t.comma, rest[0] == '\n':
			return at, true
		case rest[0] == '\r' && (len(rest) == 1 || rest[1] == '\n'):
			return at + 1, true
		}
	}
	return 0, false
}

// looksLikeTable reports whether the first three or more lines of text have the same number of separators outside of
// quotes, at least one.
func looksLikeTable(text []byte, separator byte) bool {
	first, n, lines, quoted := 0, 0, 0, false
	for i := 0; i < min(len(text), 1<<14) && lines < 10; i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',' && separator == ',' && i+1 < len(text) && text[i+1] == ' ':
			return false // sentences look like that
		case c == separator:
			n++
		case c == '\n':
			if lines == 0 {
				first = n
			}
			if n == 0 || n != first {
				return false
			}
			lines, n = lines+1, 0
		}
	}
	return lines >= 3
}
