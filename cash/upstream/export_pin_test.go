package upstream

// What the tests of pinning use of the inside.
var (
	ParseDefinitions = parseDefinitions
	Review           = review
	ReplaceFile      = replaceFile
	DecodePins       = decodePins
	EncodePins       = encodePins
)

// Hunks returns hunks as slices of both lists.
func Hunks(x, y []string) (before, after [][]string, starts []int) {
	for _, h := range hunks(x, y) {
		before, after, starts = append(before, x[h.x:h.endX]), append(after, y[h.y:h.endY]), append(starts, h.x)
	}
	return before, after, starts
}
