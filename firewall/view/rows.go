package view

import (
	"math"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// rows shows elements of an array or records of a table.
func (l *look) rows() (*Page, error) {
	doc, ok := l.document()
	if l.path == "" && !(ok && looksLikeJSON(doc)) {
		if t, ok := newTable(l.data, l.media); ok {
			return l.records(t)
		}
	}
	if !ok {
		return nil, selectorErrorf(`this artifact is no list of rows, neither JSON nor a table: {"type":"lines","start":0,"end":50} shows text`)
	}
	array, err := l.array(doc)
	if err != nil {
		return nil, err
	}
	return l.elements(array, l.columns, "rows")
}

// document returns the JSON document in the data, and whether there is one.
func (l *look) document() (doc []byte, ok bool) {
	doc = document(l.data)
	return doc, strictjson.Valid(doc)
}

// array returns the array whose rows are requested. If no path was given, it sets the path to the array found, so that
// the next page shows the same array.
func (l *look) array(doc []byte) ([]byte, error) {
	if l.path != "" {
		found, err := l.node(doc)
		if err == nil && strictjson.KindOf(found) != strictjson.Array {
			err = selectorErrorf(`what stands at path is no array: {"type":"json_keys"} lists the keys of the document, and without path rows are those of its largest array`)
		}
		return found, err
	}
	if doc[0] == '[' {
		return doc, nil
	}
	a := largestArray(doc)
	if a.raw == nil {
		return nil, selectorErrorf(`there is no array in the document: {"type":"json_keys"} lists its keys`)
	}
	l.path = a.path
	return a.raw, nil
}

// node returns the value at the path, which selects one node. If a key occurs twice, it returns the largest array, as
// largestArray does, or else the largest value.
func (l *look) node(doc []byte) ([]byte, error) {
	path, err := parsePath(l.path)
	if err != nil {
		return nil, err
	}
	var found []byte
	n := 0
	one := path.singular()
	err = path.evaluate(l.ctx, doc, func(node []byte) bool {
		if n++; n == 1 || rank(node) > rank(found) {
			found = node
		}
		return one || n < 2
	})
	switch {
	case err != nil:
		return nil, pathError(err)
	case n == 0:
		return nil, selectorErrorf(`nothing stands at path: {"type":"json_keys"} lists the keys of the document`)
	case n > 1 && !one:
		return nil, selectorErrorf(`path leads to more than one value: {"type":"path"} with that path lists them all`)
	}
	return found, nil
}

// rank orders the values of a duplicate key.
func rank(value []byte) int {
	if value[0] == '[' {
		return math.MaxInt/2 + len(value)
	}
	return len(value)
}

// elements shows elements of an array. Of objects it shows the members in keys, or all if keys is nil.
func (l *look) elements(array []byte, keys []string, what string) (*Page, error) {
	list := l.list('[')
	list.hint = deeper
	named := 0
	var err error
	for i, row := range strictjson.Elements(array) {
		if i%4096 == 0 {
			if err = l.ctx.Err(); err != nil {
				return nil, err
			}
		}
		if !list.take() {
			continue
		}
		shown, n := project(row, keys)
		named += n
		list.add(nil, shown, row)
	}
	if keys != nil && named == 0 && list.note == "" {
		list.note = `none of these has a member of such a name: {"type":"json_keys"} lists the names`
	}
	return list.page(']', what, of(l.path))
}

// of returns a phrase that names the path of the shown items.
func of(path string) string {
	if path == "" || textCost([]byte(path), maxShown) > maxShown {
		return ""
	}
	return " of " + clean.Line(path, maxShown)
}

// project returns the object row reduced to the members in keys, in that order, and their number. If keys is nil or row
// is not an object, it returns row.
func project(row []byte, keys []string) (shown []byte, n int) {
	if keys == nil || row[0] != '{' {
		return row, 0
	}
	values := map[string][]byte{}
	for _, key := range keys {
		values[key] = nil
	}
	for key, value := range strictjson.RawMembers(row) {
		name := string(inner(key))
		if _, wanted := values[name]; wanted {
			values[name] = value
		}
	}
	shown = []byte{'{'}
	for _, key := range keys {
		value := values[key]
		if value == nil {
			continue
		}
		values[key] = nil // a repeated key is shown once
		if n++; n > 1 {
			shown = append(shown, ',')
		}
		shown = append(append(appendQuoted(shown, key), ':'), value...)
	}
	return append(shown, '}'), n
}
