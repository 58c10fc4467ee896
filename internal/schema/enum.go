package schema

import (
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// An enumRule is the list of allowed values of enum, or the one of const.
type enumRule struct {
	keyword string
	kinds   typeSet             // types of the values
	few     []string            // canonical spellings
	many    map[string]struct{} // the same, if there are many
	texts   []string            // the values as text, strings without quotes
}

// enum compiles the keyword enum.
func (c *compiler) enum(n *node, v *tree) error {
	if v.kind != strictjson.Array {
		return c.bad(v, "a list of values")
	}
	if len(v.elems) > maxEnum {
		return fmt.Errorf("%s: has more than %d values", place(v), maxEnum)
	}
	n.enum = newEnumRule("enum", v.elems)
	return nil
}

// constant compiles the keyword const.
func (c *compiler) constant(n *node, v *tree) error {
	n.constant = newEnumRule("const", []*tree{v})
	return nil
}

func newEnumRule(keyword string, values []*tree) *enumRule {
	r := &enumRule{keyword: keyword}
	for _, v := range values {
		spelling := string(appendCanonical(nil, v.raw))
		r.kinds |= typeOf(v.kind)
		r.few = append(r.few, spelling)
		r.texts = append(r.texts, valueText(v))
	}
	if len(r.few) > manyMembers {
		r.many = make(map[string]struct{}, len(r.few))
		for _, spelling := range r.few {
			r.many[spelling] = struct{}{}
		}
		r.few = nil
	}
	return r
}

// has reports whether the list has a value with this canonical spelling.
func (r *enumRule) has(spelling []byte) bool {
	if r.many != nil {
		_, found := r.many[string(spelling)]
		return found
	}
	for _, s := range r.few {
		if s == string(spelling) {
			return true
		}
	}
	return false
}

// valueText returns a value of the schema as text for a reader.
func valueText(v *tree) string {
	if v.kind == strictjson.String && v.text != "" {
		return v.text
	}
	return string(v.raw)
}

// String lists at most maxListed values, each cleaned and cut.
func (r *enumRule) String() string {
	shown := make([]string, min(len(r.texts), maxListed))
	for i := range shown {
		shown[i] = clean(r.texts[i], maxValue)
	}
	text := strings.Join(shown, ", ")
	if more := len(r.texts) - len(shown); more > 0 {
		text += " and " + plural(more, "more", "more")
	}
	return text
}

// enums checks enum and const.
func (v *run) enums(n *node, kind strictjson.Kind, i int) bool {
	return v.listed(n.enum, kind, i) && v.listed(n.constant, kind, i)
}

// listed checks one list of values.
func (v *run) listed(r *enumRule, kind strictjson.Kind, i int) bool {
	if r == nil {
		return true
	}
	if r.kinds&typeOf(kind) != 0 {
		if _, ok := v.canonical(i); !ok {
			return false
		}
		if r.has(v.scratch) {
			return true
		}
	}
	return v.fail(r.keyword, func() string {
		if len(r.texts) == 0 {
			return "not allowed here; leave it out"
		}
		if len(r.texts) == 1 {
			return "must be " + r.String()
		}
		return "must be one of " + r.String()
	})
}
