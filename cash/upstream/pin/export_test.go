package pin

// What the tests use of the inside.
var (
	Review     = review
	DecodePins = decodePins
	EncodePins = encodePins
)

// Hunks returns hunks as slices of both lists.
func Hunks(x, y []string) (before, after [][]string, starts []int) {
	for _, h := range hunks(x, y) {
		before, after, starts = append(before, x[h.x:h.endX]), append(after, y[h.y:h.endY]), append(starts, h.x)
	}
	return before, after, starts
}

// SetFault makes f ask fault before each step that it does with its folder.
func (f *File) SetFault(fault func(op, name string) error) { f.fault = fault }
