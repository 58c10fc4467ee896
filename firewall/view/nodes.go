package view

import (
	"errors"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

const notJSON = `this artifact is not JSON: {"type":"lines","start":0,"end":50} shows text, and rows a table`

// nodes shows the nodes that a JSON path selects.
func (l *look) nodes() (*Page, error) {
	path, err := parsePath(l.path)
	if err != nil {
		return nil, err
	}
	doc, ok := l.document()
	if !ok {
		return nil, selectorErrorf(notJSON)
	}
	list := l.list('[')
	list.hint = deeper
	err = path.evaluate(l.ctx, doc, func(node []byte) bool {
		if list.take() {
			list.add(nil, node, node)
		}
		return true
	})
	if err != nil {
		return nil, pathError(err)
	}
	if list.count == 0 {
		list.note = `nothing stands at path: {"type":"json_keys"} lists the keys of the document`
	}
	return list.page(']', "nodes", "")
}

// pathError turns an error of an evaluation into one for the model.
func pathError(err error) error {
	if errors.Is(err, errPathWork) {
		return selectorErrorf("path takes too long on this artifact: name members and indexes instead of .., * and filters")
	}
	return err
}

// jsonKeys shows members of an object or of the objects in an array. Without keys it lists the keys that exist.
func (l *look) jsonKeys() (*Page, error) {
	doc, ok := l.document()
	if !ok {
		return nil, selectorErrorf(notJSON)
	}
	if l.path != "" {
		var err error
		if doc, err = l.node(doc); err != nil {
			return nil, err
		}
	}
	switch kind := strictjson.KindOf(doc); {
	case kind == strictjson.Object && l.keys != nil:
		return l.members(doc)
	case kind == strictjson.Array && l.keys != nil:
		return l.elements(doc, l.keys, "elements")
	case kind == strictjson.Object:
		return l.types(doc)
	case kind == strictjson.Array:
		return l.elementTypes(doc)
	}
	return nil, selectorErrorf(`there are no keys: what stands there is neither an object nor an array; {"type":"head"} shows the artifact`)
}

// members shows the requested members of an object.
func (l *look) members(object []byte) (*Page, error) {
	wanted, n := project(object, l.keys)
	if n == 0 {
		return nil, selectorErrorf(`the object has none of these keys: {"type":"json_keys"} lists those of the document, with a path those of a part`)
	}
	origin := map[string][]byte{}
	for key, value := range strictjson.RawMembers(object) {
		origin[string(inner(key))] = value
	}
	list := l.list('{')
	list.hint = deeper
	for key, value := range strictjson.RawMembers(wanted) {
		if list.take() {
			list.add(key, value, origin[string(inner(key))])
		}
	}
	if n < len(l.keys) && list.note == "" {
		list.note = `some of the keys are not there: {"type":"json_keys"} lists those that are`
	}
	return list.page('}', "keys", of(l.path))
}

// types shows the keys of an object with the types of their values.
func (l *look) types(object []byte) (*Page, error) {
	list := l.list('{')
	for key, value := range strictjson.RawMembers(object) {
		if list.take() {
			list.add(key, appendQuoted(nil, describe(value)), key)
		}
	}
	return list.page('}', "keys", of(l.path))
}

// elementTypes shows the keys of the objects in an array with the types of their
// values.
func (l *look) elementTypes(array []byte) (*Page, error) {
	list := l.list('{')
	fields := fieldsOf(array, len(array))
	for _, f := range fields.list {
		if list.take() {
			list.add(f.key, appendQuoted(nil, f.String()), f.key)
		}
	}
	if fields.more {
		list.note = "there are more keys than are counted"
	}
	return list.page('}', "keys", of(l.path)+" in "+plural(fields.total, "element"))
}
