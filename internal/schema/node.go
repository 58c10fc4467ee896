package schema

import (
	"encoding/json"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A node is a compiled subschema. Absent rules are nil. Nodes form a graph, because references may be cyclic.
type node struct {
	types    typeSet // 0 accepts every type
	typeText string  // the type as written, if a word of it is none
	never    bool    // the schema false
	enum     *enumRule
	constant *enumRule
	text     *textRules
	number   *numberRules
	array    *arrayRules
	object   *objectRules
	inPlace  *inPlaceRules
	facts    *facts // extra constraints of a Go type; nil for foreign schemas

	unevaluatedItems *node
	unevaluatedProps *node

	res   *resource // for $dynamicRef
	fills bool      // WithDefaults may add something here
	// Native may change something here.
	converts bool
	about    about
}

// about is the description of a node.
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
	properties    int            // the first so many names are properties
	index         map[string]int // of names, if there are many
	patterns      []patternRule
	additional    *node
	propertyNames *node
	min, max      int // max is -1 when absent
	dependencies  []dependency
	requires      bool // some name is required
}

// A nameRule is an object's rule for one name.
type nameRule struct {
	name     string
	quoted   []byte // name as JSON, if the property has a default
	node     *node  // nil if the name is not a property
	required bool
}

// A patternRule is a member of patternProperties. Its pattern is nil if RE2 does not support it; then it may match any
// name.
type patternRule struct {
	pattern *pattern
	node    *node
}

// A dependency requires more if a name is present.
type dependency struct {
	trigger int   // index in names
	needs   []int // indices in names
	node    *node
}

// inPlaceRules apply further subschemas to the same value.
type inPlaceRules struct {
	ref                        *node
	dynamic                    *dynamicRef
	allOf, anyOf, oneOf        []*node
	not, cond, then, otherwise *node // cond is "if"
}

// A dynamicRef is a $dynamicRef whose target depends on the path to it.
type dynamicRef struct {
	anchor     string
	static     *node
	candidates *node // allOf all possible targets, for the screening
}

// A typeSet is a set of JSON types.
type typeSet uint8

const integerType typeSet = 1 << 6

// typeOf returns the set of one kind.
func typeOf(k strictjson.Kind) typeSet {
	return 1 << k
}

// typeWords are the values of the keyword type.
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

// words lists the set in the order of typeOrder.
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

// target follows plain references for descriptions: a node without its own description stands for its target.
func (n *node) target() *node {
	for range maxChain {
		if n == nil || n.types != 0 || n.object != nil || n.array != nil || n.inPlace == nil || n.inPlace.ref == nil {
			return n
		}
		n = n.inPlace.ref
	}
	return n
}

// find returns the index of a name, or -1. It tries guess first, because members usually come in the order of the
// schema.
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

// name returns the index of a name, and adds a new name.
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
