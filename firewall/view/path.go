package view

import (
	"context"
	"errors"
)

// A jsonPath is a query of RFC 9535. The regular expressions of match and search are those of Go: a dot does not match
// a line end.
type jsonPath struct {
	segments []segment
}

// A segment selects from the children of a node, or from the node and all its descendants.
type segment struct {
	descend   bool
	selectors []pathSelector
}

// A pathSelector selects from the children of a node.
type pathSelector struct {
	kind   selectKind
	name   string
	index  int
	slice  slice
	filter condition
}

type selectKind uint8

const (
	selectName selectKind = iota
	selectAll
	selectIndex
	selectSlice
	selectFilter
)

// A slice is start:end:step. A nil bound is absent.
type slice struct {
	start, end *int
	step       int
}

// errPathWork says that the evaluation was given up.
var errPathWork = errors.New("path takes too long")

// evaluate calls visit for each node of doc that the path selects, in the order of RFC 9535, until visit returns false.
// Doc is a valid document, and nodes are slices of it. The error is errPathWork if the work exceeds some passes over
// doc, or that of ctx.
func (p *jsonPath) evaluate(ctx context.Context, doc []byte, visit func(node []byte) bool) error {
	e := &evaluation{ctx: ctx, root: doc, work: 1<<26 + 16*len(doc)}
	e.walk(doc, p.segments, visit)
	return e.err
}

// singular reports whether the path selects one node at most.
func (p *jsonPath) singular() bool {
	for _, s := range p.segments {
		if s.descend || len(s.selectors) != 1 || s.selectors[0].kind != selectName && s.selectors[0].kind != selectIndex {
			return false
		}
	}
	return true
}
