package cashtext

import "fmt"

// Bounds of the parsers.
const (
	maxPage        = 1 << 20 // bytes
	maxEntries     = 10_000
	maxDescription = 1000 // characters
	maxName        = 128  // bytes
	maxDropped     = 16
)

// reading parses a text of that name, if it is not too long.
func reading[T any](what, text string, parse func(string) (*T, error)) (*T, error) {
	if len(text) > maxPage {
		return nil, fmt.Errorf("reading %s: the text has %d bytes; at most %d are read", what, len(text), maxPage)
	}
	page, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	return page, nil
}

func tooMany(n int) error {
	return fmt.Errorf("%d entries; at most %d are read", n, maxEntries)
}
