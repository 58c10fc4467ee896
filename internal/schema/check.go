package schema

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A run is one check of one document. It is used by Schema.Check. Methods take the index of a value's first byte. The
// index that some return is the one after the value; it is meaningless if the value failed and stopped holds.
type run struct {
	ctx    context.Context
	data   []byte
	schema *Schema
	path   []step

	left int // steps
	poll int // check the context when left falls below it
	full int // steps at the start

	violations []Violation
	quiet      int // > 0 while violations are counted only
	aborted    bool
	cause      error

	scope   []*resource // resources for $dynamicRef, outermost first
	scratch []byte
}

var runs = sync.Pool{New: func() any { return new(run) }}

// check validates data against n, and returns the number of steps.
func (s *Schema) check(ctx context.Context, n *node, data []byte) (int, error) {
	v := runs.Get().(*run)
	defer v.release()
	v.ctx, v.data, v.schema = ctx, data, s
	v.full = baseSteps + stepsPerByte*len(data)
	v.left = v.full
	v.poll = v.full - pollSteps
	ok := false
	if start := strictjson.SkipSpace(data, 0); start < len(data) {
		_, ok = v.value(n, start, nil)
	}
	steps := v.full - v.left
	if ok && !v.aborted {
		return steps, nil
	}
	if len(v.violations) == 0 { // fail closed
		v.violations = []Violation{{Rule: "schema", Message: "does not match the schema"}}
	}
	return steps, &Error{Violations: v.violations, cause: v.cause}
}

// release returns a run to the pool, without data of its document.
func (v *run) release() {
	*v = run{path: v.path[:0], scope: v.scope[:0], scratch: v.scratch[:0]}
	if cap(v.scratch) <= 64<<10 {
		runs.Put(v)
	}
}

// spend takes steps from the budget, and reports whether to go on.
func (v *run) spend(steps int) bool {
	v.left -= steps
	return v.left >= v.poll || v.look()
}

// look is the slow path of spend.
func (v *run) look() bool {
	if v.aborted || v.left < 0 {
		v.left = 0
		return !v.aborted && v.abort(nil)
	}
	v.poll = max(v.left-pollSteps, 0)
	if err := v.ctx.Err(); err != nil {
		return v.abort(err)
	}
	return true
}

// abort ends the check because of its context or its cost.
func (v *run) abort(cause error) bool {
	violation := Violation{Rule: "budget", Message: "too costly to validate; send smaller or simpler arguments"}
	if cause != nil {
		violation = Violation{Rule: "canceled", Message: "validation was canceled"}
		if errors.Is(cause, context.DeadlineExceeded) {
			violation.Message = "validation ran out of time; send smaller arguments or try again"
		}
	}
	v.aborted, v.cause, v.violations = true, cause, []Violation{violation}
	return false
}

// stopped reports whether the check may stop reading after a failure.
func (v *run) stopped() bool {
	return v.quiet > 0 || v.aborted || len(v.violations) == maxViolations
}

// fail records a violation at the current path, and returns false. It builds the message only if needed.
func (v *run) fail(rule string, message func() string) bool {
	if !v.stopped() {
		v.violations = append(v.violations, Violation{Path: v.where(), Rule: rule, Message: message()})
	}
	return false
}

// where returns the current path as text.
func (v *run) where() string {
	path := ""
	for _, s := range v.path {
		if s.to == 0 {
			path += "[" + strconv.Itoa(s.from) + "]"
		} else {
			path = appendKey(path, strictjson.Text(v.data[s.from:s.to]))
		}
	}
	return path
}

func (v *run) push(from, to int) { v.path = append(v.path, step{from, to}) }
func (v *run) pop()              { v.path = v.path[:len(v.path)-1] }

// at returns the byte at i, or 0 at the end.
func (v *run) at(i int) byte {
	if i < len(v.data) {
		return v.data[i]
	}
	return 0
}

// value checks the value at i against n. It adds the names and indices that n evaluates to ev, unless ev is nil.
func (v *run) value(n *node, i int, ev *evaluated) (int, bool) {
	if !v.spend(1) {
		return i, false
	}
	if len(v.path) > strictjson.MaxDepth {
		return i, v.abort(nil) // strictjson.Check would have rejected it
	}
	kind := kindAt(v.data[i])
	if ok := v.kind(n, kind, i); !ok {
		return v.past(i), false
	}
	if v.schema.dynamic {
		defer v.enter(n.res)()
	}
	if n.unevaluatedItems != nil || n.unevaluatedProps != nil {
		return v.tracked(n, kind, i, ev)
	}
	return v.rules(n, kind, i, ev)
}

// enter records that checking enters a resource, for $dynamicRef. The result undoes that.
func (v *run) enter(res *resource) func() {
	if res == nil || len(v.scope) > 0 && v.scope[len(v.scope)-1] == res {
		return func() {}
	}
	v.scope = append(v.scope, res)
	return func() { v.scope = v.scope[:len(v.scope)-1] }
}

// over returns the index after the value at i, and charges for the bytes: many subschemas may skip the same large
// value.
func (v *run) over(i int) int {
	end := strictjson.Skip(v.data, i)
	v.spendBytes(end - i)
	return end
}

// past works like over for a failed value. If reading stops, it does not skip the value.
func (v *run) past(i int) int {
	if v.stopped() {
		return i
	}
	return v.over(i)
}

// spendBytes charges for reading n bytes.
func (v *run) spendBytes(n int) bool {
	return n < bytesPerStep || v.spend(n/bytesPerStep)
}

// kindAt returns the type of a value by its first byte.
func kindAt(c byte) strictjson.Kind {
	switch c {
	case '{':
		return strictjson.Object
	case '[':
		return strictjson.Array
	case '"':
		return strictjson.String
	case 't', 'f':
		return strictjson.Bool
	case 'n':
		return strictjson.Null
	}
	return strictjson.Number
}

// own checks the rules of n itself.
func (v *run) own(n *node, kind strictjson.Kind, i int, ev *evaluated) (int, bool) {
	ok := true
	if n.enum != nil || n.constant != nil {
		if ok = v.enums(n, kind, i); !ok && v.stopped() {
			return i, false
		}
	}
	switch {
	case kind == strictjson.Object && n.object != nil:
		end, good := v.object(n.object, i, ev)
		return end, good && ok
	case kind == strictjson.Array && n.array != nil:
		end, good := v.array(n.array, i, ev)
		return end, good && ok
	}
	end := strictjson.Skip(v.data, i)
	if !v.spendBytes(end - i) {
		return end, false
	}
	switch kind {
	case strictjson.String:
		ok = v.text(n, i, end) && ok
	case strictjson.Number:
		ok = v.number(n, i, end) && ok
	}
	return end, ok
}

// rules checks n's own rules and the subschemas that it applies in place.
func (v *run) rules(n *node, kind strictjson.Kind, i int, ev *evaluated) (int, bool) {
	end, ok := v.own(n, kind, i, ev)
	if ok && n.facts != nil {
		ok = v.decodes(n, i, end)
	}
	if n.inPlace == nil || !ok && v.stopped() {
		return end, ok
	}
	return end, v.apply(n.inPlace, kind, i, ev) && ok
}

// kind checks the type. If the type is wrong, no other rule is checked.
func (v *run) kind(n *node, kind strictjson.Kind, i int) bool {
	if n.types == 0 && !n.never || n.types&typeOf(kind) != 0 {
		return true
	}
	if n.never {
		return v.fail("false", func() string { return "not allowed here; leave it out" })
	}
	if kind == strictjson.Number && n.types&integerType != 0 {
		end := strictjson.Skip(v.data, i)
		if n.facts != nil && n.facts.number != nil || v.spendBytes(end-i) && parseDecimal(v.data[i:end]).isInteger() {
			return true
		}
		return v.fail("type", func() string { return "must be an integer, without a fraction" })
	}
	return v.fail("type", func() string { return typeMessage(n.types, kind) })
}
