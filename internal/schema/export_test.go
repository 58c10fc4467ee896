package schema

import (
	"context"
	"encoding/json"
	"reflect"
)

// Steps is Check with the number of steps that it took.
func (s *Schema) Steps(ctx context.Context, data []byte) (int, error) {
	return s.check(ctx, s.root, data)
}

// StepLimit is the budget for a document of size bytes.
func StepLimit(size int) int {
	return baseSteps + stepsPerByte*size
}

// Decimal compares and spells numbers for tests.
func Decimal(a, b string) (compared int, canonical string, integer, multiple bool) {
	x, y := parseDecimal([]byte(a)), parseDecimal([]byte(b))
	return x.compare(y), string(x.append(nil)), x.isInteger(), x.isMultiple(y)
}

// Pattern compiles an ECMA-262 expression. A problem says why it is not
// enforced; spelled is what RE2 gets, as far as it was written.
func Pattern(text string) (match func(string) bool, spelled string, work int, problem string) {
	spelled, _, _ = translate(text)
	p, work, problem := newPattern(text)
	if p == nil {
		return nil, spelled, work, problem
	}
	return p.re.MatchString, spelled, work, ""
}

// The limits on patterns.
const (
	MaxPattern  = maxPattern
	MaxPatterns = maxPatterns
)

// ForTypeWith is ForType with schemas for types.
func ForTypeWith(t reflect.Type, schemas map[reflect.Type]json.RawMessage) (*Schema, error) {
	given := map[reflect.Type]Given{}
	for typ, s := range schemas {
		given[typ] = Given{Schema: s}
	}
	return inferSchema(t, given)
}
