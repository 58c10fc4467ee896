package schema

import (
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A tree is a parsed schema document, in which references find their targets.
type tree struct {
	kind    strictjson.Kind
	raw     []byte
	text    string         // of a string, unescaped
	members []branch       // of an object, in document order
	index   map[string]int // of members, when they are many
	elems   []*tree        // of an array

	parent *tree
	token  string    // name or index in parent
	res    *resource // the resource that a subschema belongs to; nil until indexed
}

// A branch is a member of an object.
type branch struct {
	name  string
	value *tree
}

// manyMembers is the number of members from which a map is faster.
const manyMembers = 8

// grow parses raw, which strictjson.Check has accepted, so the recursion is bounded.
func grow(raw []byte, parent *tree, token string) *tree {
	t := &tree{kind: strictjson.KindOf(raw), raw: strictjson.Trim(raw), parent: parent, token: token}
	switch t.kind {
	case strictjson.String:
		t.text = strictjson.Text(raw)
	case strictjson.Array:
		for i, elem := range strictjson.Elements(raw) {
			t.elems = append(t.elems, grow(elem, t, strconv.Itoa(i)))
		}
	case strictjson.Object:
		for name, value := range strictjson.Members(raw) {
			t.members = append(t.members, branch{name, grow(value, t, name)})
		}
		t.buildIndex()
	}
	return t
}

func (t *tree) buildIndex() {
	if len(t.members) < manyMembers {
		return
	}
	t.index = make(map[string]int, len(t.members))
	for i, m := range t.members {
		t.index[m.name] = i
	}
}

// get returns the value of a member, or nil.
func (t *tree) get(name string) *tree {
	if t.index != nil {
		if i, ok := t.index[name]; ok {
			return t.members[i].value
		}
		return nil
	}
	for _, m := range t.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// values returns the values of the objects under the given keywords of t.
func (t *tree) values(keywords []string) []*tree {
	var all []*tree
	for _, kw := range keywords {
		if m := t.get(kw); m != nil {
			for _, b := range m.members {
				all = append(all, b.value)
			}
		}
	}
	return all
}

// at resolves a JSON Pointer (RFC 6901), and returns nil if there is no target.
func (t *tree) at(pointer string) *tree {
	if pointer == "" {
		return t
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if t.kind == strictjson.Array {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(t.elems) || strconv.Itoa(i) != token {
				return nil
			}
			t = t.elems[i]
		} else if t = t.get(token); t == nil {
			return nil
		}
	}
	return t
}

// pointer returns the JSON Pointer of t in its document.
func (t *tree) pointer() string {
	if t.parent == nil {
		return ""
	}
	return t.parent.pointer() + "/" + escapePointer(t.token)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func escapePointer(token string) string {
	return pointerEscapes.Replace(token)
}
