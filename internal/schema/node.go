package schema

import (
	"encoding/json"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A node is one subschema, compiled. Rules that are absent are nil. Nodes form
// a graph: references point back.
type node struct {
	types    typeSet // 0 accepts every type
	never    bool    // the schema false
	enum     *enumRule
	constant *enumRule
	text     *textRules
	number   *numberRules
	array    *arrayRules
	object   *objectRules
	inPlace  *inPlaceRules
	facts    *facts // what a Go type adds; nil for foreign schemas

	unevaluatedItems *node
	unevaluatedProps *node

	res   *resource // for $dynamicRef
	fills bool      // WithDefaults may have something to add
	about about
}

// about is what a node says to people.
type about struct {
	title, description, format string
	def, example               json.RawMessage
}

// textRules are the rules for strings.
type textRules struct {
	min, max int // in code points; max is -1 when absent
	pattern  *pattern
}

// numberRules are the rules for numbers; bounds are nil when absent.
type numberRules struct {
	min, max, above, below, multiple *bound
}

// A bound is an exact number of a schema.
type bound struct {
	value decimal
	text  string // as spelled, capped
}

// arrayRules are the rules for arrays.
type arrayRules struct {
	prefix      []*node
	items       *node // nil when absent; applies after prefix
	contains    *node
	minContains int
	maxContains int // -1 when absent
	min, max    int // max is -1 when absent
	unique      bool
}

// objectRules are the rules for objects.
type objectRules struct {
	names         []nameRule     // properties in order, then other names that rules mention
	properties    int            // how many of names are properties
	index         map[string]int // of names, when they are many
	patterns      []patternRule
	additional    *node
	propertyNames *node
	min, max      int // max is -1 when absent
	dependencies  []dependency
	requires      bool // some name is required
}

// A nameRule is what an object's rules say of one name.
type nameRule struct {
	name     string
	quoted   []byte // name as JSON, when the property has a default
	node     *node  // nil when the name is no property
	required bool
}

// A patternRule is a member of patternProperties. Without a pattern, because
// RE2 does not know it, it may match any name.
type patternRule struct {
	pattern *pattern
	node    *node
}

// A dependency asks for more when a name is present.
type dependency struct {
	trigger int   // index in names
	needs   []int // indices in names
	node    *node
}

// inPlaceRules apply further subschemas to the same value.
type inPlaceRules struct {
	ref                 *node
	dynamic             *dynamicRef
	allOf, anyOf, oneOf []*node
	not, cond, then, or *node // cond is "if", or is "else"
}

// A dynamicRef is a $dynamicRef whose target depends on how it was reached.
type dynamicRef struct {
	anchor     string
	static     *node
	candidates *node // allOf of everything it may mean, for the screen
}

// A typeSet is a set of JSON types.
type typeSet uint8

const integerType typeSet = 1 << 6

// typeOf returns the set of one kind.
func typeOf(k strictjson.Kind) typeSet {
	return 1 << k
}

// typeWords are the words of the keyword type.
var typeWords = map[string]typeSet{
	"null":    typeOf(strictjson.Null),
	"boolean": typeOf(strictjson.Bool),
	"number":  typeOf(strictjson.Number),
	"string":  typeOf(strictjson.String),
	"array":   typeOf(strictjson.Array),
	"object":  typeOf(strictjson.Object),
	"integer": integerType,
}

// typeOrder is the order in which messages list types.
var typeOrder = []string{"string", "integer", "number", "boolean", "array", "object", "null"}

// words lists the set in that order.
func (s typeSet) words() []string {
	var words []string
	for _, w := range typeOrder {
		if s&typeWords[w] != 0 {
			words = append(words, w)
		}
	}
	return words
}

// admits reports whether a value of kind k may pass the type check.
func (n *node) admits(k strictjson.Kind) bool {
	if n.never {
		return false
	}
	if n.types == 0 || n.types&typeOf(k) != 0 {
		return true
	}
	return k == strictjson.Number && n.types&integerType != 0
}

// target follows plain references for the eyes of people: a node that says
// nothing itself stands for what it refers to.
func (n *node) target() *node {
	for range maxChain {
		if n == nil || n.types != 0 || n.object != nil || n.array != nil || n.inPlace == nil || n.inPlace.ref == nil {
			return n
		}
		n = n.inPlace.ref
	}
	return n
}

// find returns the index of a name, or -1. The guess is tried first: members
// mostly come in the order of the schema.
func (r *objectRules) find(name []byte, guess int) int {
	if guess < len(r.names) && r.names[guess].name == string(name) {
		return guess
	}
	if r.index != nil {
		if i, ok := r.index[string(name)]; ok {
			return i
		}
		return -1
	}
	for i := range r.names {
		if r.names[i].name == string(name) {
			return i
		}
	}
	return -1
}

// name returns the index of a name, and adds it when it is new.
func (r *objectRules) name(name string) int {
	if i := r.find([]byte(name), 0); i >= 0 {
		return i
	}
	r.names = append(r.names, nameRule{name: name})
	i := len(r.names) - 1
	if r.index != nil {
		r.index[name] = i
	} else if len(r.names) > manyMembers {
		r.index = make(map[string]int, 2*len(r.names))
		for i := range r.names {
			r.index[r.names[i].name] = i
		}
	}
	return i
}
