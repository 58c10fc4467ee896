package schema

import "context"

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
