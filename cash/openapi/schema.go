package openapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// Limits of one schema.
const (
	maxSchema   = 256 << 10 // bytes
	maxExamples = 4000      // bytes
)

// A translator writes Schema Objects as JSON Schema 2020-12, with the definitions that they use.
type translator struct {
	set      *set
	old      bool   // 3.0: members beside $ref have no meaning
	drop     string // readOnly or writeOnly: members with it are left out
	names    map[defined]string
	taken    map[string]bool
	queue    []definition
	chosen   map[*node]map[string][]string // the values of discriminators
	instead  map[*node]func() []byte       // schemas that a model reads in place of others
	size     int
	cut      bool  // the schema was too large, and a part accepts any value
	problem  error // the first reference that cannot be used
	visiting int
	whole    []*node // what the schema that comes next is a part of, by allOf
	negated  int     // within not or if, where what accepts nothing would refuse the rest
	base     bool    // of the schema that comes next
	open     bool    // the schema that comes next is a part of one with more members
	shut     map[*node]bool
	families map[*node]map[*node]bool
	kin      int // the schemas in families, and those looked at for them
}

type definition struct {
	name       string
	n          *node
	base, open bool
}

// A defined is what a definition is made of: the schema at key, or its base, or what others with more members are made
// of.
type defined struct {
	key        string
	base, open bool
}

func newTranslator(s *set, version, drop string) *translator {
	return &translator{
		set: s, old: len(version) > 2 && version[:3] == "3.0", drop: drop, names: make(map[defined]string),
		taken: make(map[string]bool), chosen: make(map[*node]map[string][]string),
		instead: make(map[*node]func() []byte), families: make(map[*node]map[*node]bool), shut: make(map[*node]bool),
	}
}

// anything is the schema of any value.
var anything = []byte("{}")

// schema returns the schema of n, which may be nil.
func (t *translator) schema(n *node) []byte {
	whole, base, open := append(t.whole, n), t.base, t.open
	t.whole, t.base, t.open = nil, false, false
	if n.kind() == strictjson.Bool {
		return n.raw
	}
	if n.kind() != strictjson.Object || t.visiting > maxDepth || !t.set.work.spend(64) {
		return anything
	}
	if t.size > maxSchema {
		t.cut = true
		return anything
	}
	if other := t.instead[n]; other != nil {
		made := other()
		t.size += len(made)
		return made
	}
	t.visiting++
	defer func() { t.visiting-- }()
	var b strictjson.Builder
	if ref := n.text("$ref"); ref != "" {
		name, err := t.define(n, len(whole) > 1, open)
		if err != nil {
			t.fail(err)
			return anything
		}
		b.Add("$ref", strictjson.MustMarshal("#/$defs/"+name))
		if t.old {
			t.describe(&b, n)
			return t.sized(b.Object())
		}
	}
	t.members(&b, n, whole, base, open)
	return t.sized(t.nullable(n, b.Object()))
}

func (t *translator) sized(schema []byte) []byte {
	if t.visiting == 1 {
		t.size += len(schema)
	}
	t.size += 16
	t.set.work.spend(len(schema))
	return schema
}

func (t *translator) fail(err error) {
	if t.problem == nil {
		t.problem = err
	}
}

// alone reports whether a schema says no more than the one that it refers to, if it refers to one.
func (t *translator) alone(n *node) bool {
	for range maxHops {
		ref := n.text("$ref")
		if ref == "" || t.old {
			return true
		}
		for _, key := range n.names() {
			if key != "$ref" && !strings.Contains(told, " "+key+" ") && !strings.HasPrefix(key, "x-") {
				return false
			}
		}
		var err error
		if n, _, err = t.set.lookup(ref, n.file.name); err != nil {
			return true // whoever follows it says so
		}
	}
	return true
}

// told are keywords that change nothing of what a schema accepts.
const told = " title description summary example examples deprecated externalDocs xml "

// define returns the name of the definition that n refers to. part reports whether n is a part of an allOf, open whether
// the whole has more members.
func (t *translator) define(n *node, part, open bool) (string, error) {
	target, key, err := t.set.resolve(n)
	if err != nil {
		return "", err
	}
	if !t.old {
		if next, at, err := t.set.lookup(n.text("$ref"), n.file.name); err == nil && !t.alone(next) {
			target, key = next, at
		}
	}
	at := defined{key, part && t.inherits(n, target), open && t.closed(target)}
	name, ok := t.names[at]
	if !ok {
		name = label.From(key[lastSlash(key)+1:], "schema")
		switch {
		case at.base:
			name += "_base"
		case at.open:
			name += "_part"
		}
		if t.taken[name] {
			name = fmt.Sprintf("%s_%d", name, len(t.names))
		}
		for t.taken[name] {
			name += "_"
		}
		t.names[at], t.taken[name] = name, true
		t.queue = append(t.queue, definition{name, target, at.base, at.open})
	}
	return name, nil
}

func lastSlash(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '/' {
			return i
		}
	}
	return -1
}

// definitions returns the object of all definitions used so far; nil if there are none.
func (t *translator) definitions() []byte {
	if len(t.queue) == 0 {
		return nil
	}
	var b strictjson.Builder
	for i := 0; i < len(t.queue); i++ { // schema adds to the queue
		t.base, t.open = t.queue[i].base, t.queue[i].open
		b.Add(t.queue[i].name, t.schema(t.queue[i].n))
	}
	return b.Object()
}

// members writes the keywords of a schema that JSON Schema has. whole are it, and what it is a part of; of its base,
// the lists of children are left out. A schema that is made of others is closed as a whole, and not in its parts.
func (t *translator) members(b *strictjson.Builder, n *node, whole []*node, base, open bool) {
	made := t.hasParts(n)
	for _, key := range n.names() {
		m := n.get(key)
		if base && slices.Contains(lists, key) && t.listed(n, key) {
			continue
		}
		if isNo(m) && (key == "additionalProperties" && (open || made) || key == "unevaluatedProperties" && open) {
			continue
		}
		switch key {
		case "description", "title":
			if key == "description" {
				t.describe(b, n)
			}
		case "type":
			b.Add(key, schemaType(n))
		case "minimum", "maximum":
			bound := map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}[key]
			if yes, _ := n.yes(bound); yes {
				key = bound
			}
			b.Add(key, m.raw)
		case "exclusiveMinimum", "exclusiveMaximum":
			if m.kind() == strictjson.Number {
				b.Add(key, m.raw)
			}
		case "example":
			if n.get("examples") == nil && len(m.raw) < maxExamples {
				b.Add("examples", slices.Concat([]byte("["), m.raw, []byte("]")))
			}
		case "examples":
			if m.kind() == strictjson.Array && len(m.raw) < maxExamples {
				b.Add(key, m.raw)
			}
		case "enum":
			if t.fits(m) {
				b.Add(key, withNull(n, m))
			}
		case "default", "const", "multipleOf", "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems",
			"maxProperties", "minProperties", "format", "minContains", "maxContains", "dependentRequired",
			"contentEncoding", "contentMediaType", "deprecated":
			if t.fits(m) {
				b.Add(key, m.raw)
			}
		case "required":
			if list := t.required(n, whole...); len(list) > 0 {
				b.Add(key, strictjson.MustMarshal(list))
			}
		case "properties":
			b.Add(key, t.properties(m))
		case "patternProperties", "dependentSchemas":
			b.Add(key, t.each(m))
		case "not", "if":
			t.negated++
			b.Add(key, t.schema(m))
			t.negated--
		case "items", "additionalProperties", "contains", "propertyNames", "then", "else", "unevaluatedItems",
			"unevaluatedProperties":
			b.Add(key, t.schema(m))
		case "allOf", "anyOf", "oneOf", "prefixItems":
			b.Add(key, t.list(n, key, whole, open || made))
		}
	}
	if made && !open && n.get("unevaluatedProperties") == nil && t.closed(n) {
		b.Add("unevaluatedProperties", []byte("false"))
	}
}

// fits counts the bytes of a value, and reports whether a schema may have it.
func (t *translator) fits(m *node) bool {
	if len(m.raw) > maxSchema {
		t.cut = true
		return false
	}
	t.size += len(m.raw)
	return true
}

func (t *translator) describe(b *strictjson.Builder, n *node) {
	about := n.about("description")
	b.AddText("description", about)
	t.size += len(about)
}

// schemaType returns the type, with null where 3.0 says nullable. Swagger's file is a string.
func schemaType(n *node) []byte {
	m := n.get("type")
	if m.kind() != strictjson.String {
		return m.raw
	}
	word := strictjson.Text(m.raw)
	if word == "file" {
		word = "string"
	}
	if yes, _ := n.yes("nullable"); yes && word != "null" {
		return strictjson.MustMarshal([]string{word, "null"})
	}
	return strictjson.MustMarshal(word)
}

// withNull returns an enum, with null where 3.0 says nullable.
func withNull(n, enum *node) []byte {
	yes, _ := n.yes("nullable")
	if !yes || enum.kind() != strictjson.Array {
		return enum.raw
	}
	list := []json.RawMessage{}
	for _, e := range enum.elements() {
		if e.kind() == strictjson.Null {
			return enum.raw
		}
		list = append(list, e.raw)
	}
	return strictjson.MustMarshal(append(list, json.RawMessage("null")))
}

// nullable adds null to a schema of 3.0 that is nullable and has no type of its own.
func (t *translator) nullable(n *node, schema []byte) []byte {
	if yes, _ := n.yes("nullable"); !yes || n.get("type") != nil {
		return schema
	}
	return slices.Concat([]byte(`{"anyOf":[`), schema, []byte(`,{"type":"null"}]}`))
}

// dropped reports whether a property is left out on this way.
func (t *translator) dropped(property *node) bool {
	for range maxHops {
		if yes, _ := property.yes(t.drop); yes {
			return true
		}
		ref := property.text("$ref")
		if ref == "" {
			return false
		}
		next, _, err := t.set.lookup(ref, property.file.name)
		if err != nil {
			return false
		}
		property = next
	}
	return false
}

// properties returns those of an object. A dropped one accepts nothing in arguments, so that none is sent.
func (t *translator) properties(m *node) []byte {
	var b strictjson.Builder
	for _, name := range m.names() {
		p, schema := m.get(name), []byte("false")
		if t.dropped(p) {
			if t.drop == "writeOnly" || t.negated > 0 {
				continue
			}
		} else {
			schema = t.schema(p)
		}
		b.Add(name, schema)
		t.size += len(name)
	}
	return b.Object()
}

// required returns the required members that are not dropped, by n or by what it is a part of.
func (t *translator) required(n *node, whole ...*node) []string {
	return slices.DeleteFunc(n.texts("required"), func(name string) bool {
		seen := make(map[*node]bool)
		return t.drops(n, name, seen) || slices.ContainsFunc(whole, func(n *node) bool { return t.drops(n, name, seen) })
	})
}

// drops reports whether a schema, or one of those that it is made of, drops a member.
func (t *translator) drops(n *node, name string, seen map[*node]bool) bool {
	if n.kind() != strictjson.Object || seen[n] || len(seen) > maxDepth || !t.set.work.spend(64) {
		return false
	}
	seen[n] = true
	if t.dropped(n.get("properties").get(name)) {
		return true
	}
	for _, e := range n.get("allOf").elements() {
		if t.drops(e, name, seen) {
			return true
		}
	}
	if n.get("$ref") == nil {
		return false
	}
	next, _, err := t.set.lookup(n.text("$ref"), n.file.name)
	return err == nil && t.drops(next, name, seen)
}

func (t *translator) each(m *node) []byte {
	var b strictjson.Builder
	for _, name := range m.names() {
		b.Add(name, t.schema(m.get(name)))
	}
	return b.Object()
}

// list returns an array of schemas. Where a discriminator chooses one, each one names its values. open is for those of an
// allOf.
func (t *translator) list(n *node, key string, whole []*node, open bool) []byte {
	list := []json.RawMessage{}
	discriminator := n.get("discriminator")
	for _, e := range n.get(key).elements() {
		if key == "allOf" {
			t.whole, t.open = slices.Clip(whole), open
		}
		s := t.schema(e)
		if name := discriminator.text("propertyName"); name != "" && key != "allOf" && e.text("$ref") != "" {
			values := strictjson.MustMarshal(t.values(discriminator, e))
			if t.size += len(values); t.size > maxSchema {
				t.cut = true
				return strictjson.MustMarshal(append(list, anything))
			}
			s = fmt.Appendf(nil, `{"allOf":[%s,{"properties":{%s:{"enum":%s}},"required":[%[2]s]}]}`, s, strictjson.MustMarshal(name), values)
		}
		list = append(list, s)
	}
	return strictjson.MustMarshal(list)
}

// values returns the values of a discriminator that choose the schema that e refers to.
func (t *translator) values(discriminator, e *node) []string {
	_, named, _ := t.set.lookup(e.text("$ref"), e.file.name)
	_, last, _ := t.set.resolve(e)
	if t.chosen[discriminator] == nil {
		t.chosen[discriminator] = t.mapped(discriminator.get("mapping"))
	}
	for _, key := range []string{named, last} {
		if list := t.chosen[discriminator][key]; list != nil {
			return list
		}
	}
	return []string{named[lastSlash(named)+1:]}
}

// mapped returns the values of a mapping by what they refer to: a $ref, or the name of a schema.
func (t *translator) mapped(mapping *node) map[string][]string {
	at := make(map[string][]string)
	for _, value := range mapping.names() {
		ref, last := mapping.text(value), ""
		for _, r := range []string{ref, "#/components/schemas/" + ref} {
			if _, to, err := t.set.lookup(r, mapping.file.name); err == nil && to != last {
				at[to], last = append(at[to], value), to
			}
		}
	}
	return at
}
