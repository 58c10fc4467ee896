package cashtext

import (
	"encoding/json"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// JSON rewrites a page of help in JSON (format="json"):
//   - paths in members named namespace: of the page, its lists, its example and its error;
//   - invocations in all texts;
//   - if From is the root, a function without a namespace gets To, on its own page and in search results;
//   - of a member schema, only the descriptions ([Mount.Schema]).
//
// All else stays byte for byte, including the order of keys and the spelling of numbers. It returns false for
// anything but a JSON object, for duplicate keys, and for more than 65 levels.
func (m Mount) JSON(page string) (string, bool) {
	w := jsonPage{mount: m, data: []byte(page)}
	if strictjson.CheckDepth(w.data, maxLevels) != nil || strictjson.KindOf(w.data) != strictjson.Object {
		return "", false
	}
	w.page()
	return apply(page, w.edits), true
}

// maxLevels bounds the nesting of a page. A schema in it has the usual bound itself.
const maxLevels = strictjson.MaxDepth + 1

// Schema rewrites the descriptions in a JSON Schema, which is strict JSON. All else is data and stays.
func (m Mount) Schema(schema json.RawMessage) json.RawMessage {
	w := jsonPage{mount: m, data: schema}
	w.schema(schema)
	return json.RawMessage(apply(string(schema), w.edits))
}

// schema rewrites the descriptions in a schema, or in a list of schemas.
func (w *jsonPage) schema(value []byte) {
	for _, v := range strictjson.Elements(value) {
		w.schema(v)
	}
	for raw, v := range strictjson.RawMembers(value) {
		key := strictjson.Text(raw)
		switch schemas, named := schema.Holds(key); {
		case key == "description" && strictjson.KindOf(v) == strictjson.String:
			w.texts(key, v)
		case schemas:
			w.schema(v)
		case named:
			for _, one := range strictjson.RawMembers(v) {
				w.schema(one)
			}
		}
	}
}

type jsonPage struct {
	mount Mount
	data  []byte
	edits []edit
}

// places are the members of a page whose objects carry a namespace. An object in an example may also be arguments
// of the function.
var places = map[string]bool{
	"namespaces": true, "functions": true, "skills": true, "example": true, "examples": true, "error": true,
}

func isExample(key string) bool { return strings.HasPrefix(key, "example") }

func (w *jsonPage) page() {
	page := members(w.data)
	_, whole := page["namespaces"]
	search := page["namespace"] == nil && !whole
	if search && page["parameters"] != nil {
		w.place(w.data)
	}
	for raw, value := range strictjson.RawMembers(w.data) {
		key := memberKey(raw)
		switch kind := strictjson.KindOf(value); {
		case key == "namespace":
			w.path(value)
		case key == "schema" && kind == strictjson.Object:
			w.schema(value)
		case !places[key]:
			w.texts(key, value)
		case kind == strictjson.Object:
			w.object(value, isExample(key))
		case kind == strictjson.Array:
			w.array(value, key, search && key == "functions")
		default:
			w.texts(key, value)
		}
	}
}

// array rewrites the objects of a list. Search results get a namespace if they have none.
func (w *jsonPage) array(list []byte, key string, search bool) {
	for _, value := range strictjson.Elements(list) {
		if strictjson.KindOf(value) != strictjson.Object {
			w.texts(key, value)
			continue
		}
		if search && members(value)["namespace"] == nil {
			w.place(value)
		}
		w.object(value, isExample(key))
	}
}

// object rewrites an object with a namespace. An example is rewritten only if it is an invocation.
func (w *jsonPage) object(object []byte, example bool) {
	if m := members(object); example && m["function"] == nil && m["skillname"] == nil {
		w.texts("", object)
		return
	}
	for raw, value := range strictjson.RawMembers(object) {
		if key := memberKey(raw); key == "namespace" {
			w.path(value)
		} else {
			w.texts(key, value)
		}
	}
}

// place adds a namespace to a named object.
func (w *jsonPage) place(object []byte) {
	if members(object)["name"] == nil || !w.mount.atRoot() {
		return
	}
	at := strictjson.SkipSpace(w.data, w.offset(object)) + 1
	w.edits = append(w.edits, edit{at, at, `"namespace":` + string(strictjson.MustMarshal(w.mount.To)) + `,`})
}

// path rewrites a path; null is the root.
func (w *jsonPage) path(value []byte) {
	kind, old := strictjson.KindOf(value), strictjson.Text(value)
	path, ok := w.mount.path(old)
	if ok && path != old && (kind == strictjson.String || kind == strictjson.Null) {
		w.replace(value, path)
	}
}

// prosaic are the members of a page, at any depth, that hold prose. Other texts may be data.
var prosaic = map[string]bool{
	"description": true, "returns": true, "note": true, "reason": true, "summary": true, "about": true, "text": true,
	"safety": true, "message": true, "hint": true, "error": true,
}

// texts rewrites all texts in the value of a member. The caller has bounded its depth.
func (w *jsonPage) texts(key string, value []byte) {
	switch strictjson.KindOf(value) {
	case strictjson.String:
		m := w.mount
		m.quiet = !prosaic[key]
		text := strictjson.Text(value)
		if moved := m.Text(text); moved != text {
			w.replace(value, moved)
		}
	case strictjson.Array:
		for _, v := range strictjson.Elements(value) {
			w.texts(key, v)
		}
	case strictjson.Object:
		for raw, v := range strictjson.RawMembers(value) {
			w.texts(memberKey(raw), v)
		}
	}
}

func (w *jsonPage) replace(value []byte, text string) {
	at := w.offset(value)
	w.edits = append(w.edits, edit{at, at + len(value), string(strictjson.MustMarshal(text))})
}

// offset returns the position of a part in the page. Parts share the page's array, and so its end.
func (w *jsonPage) offset(part []byte) int { return cap(w.data) - cap(part) }

// members returns the members of an object by canonical key; of duplicates the first.
func members(object []byte) map[string][]byte {
	m := make(map[string][]byte)
	for raw, value := range strictjson.RawMembers(object) {
		if key := memberKey(raw); m[key] == nil {
			m[key] = value
		}
	}
	return m
}

// memberKey returns the canonical form of a quoted key; if it cannot be one, the key itself.
func memberKey(raw []byte) string {
	key := strictjson.Text(raw)
	if c, ok := canonicalLabel(key); ok {
		return c
	}
	return key
}
