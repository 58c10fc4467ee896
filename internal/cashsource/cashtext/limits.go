package cashtext

import "fmt"

// Bounds of all pages: of help, of a function, and of skills.
const (
	maxPage        = 1 << 20 // bytes of a page
	maxEntries     = 10_000  // in all lists of a page
	maxDescription = 1000    // characters
	maxName        = 128     // bytes
	maxDropped     = 16      // names that a page reports as dropped
)

// readPage parses a page, unless it is too long. ParseHelp, ParseFunction and ParseSkills call it. Errors begin with
// "reading" and what: "a page of help", "the page of a function" or "a list of skills".
func readPage[T any](what, text string, parse func(string) (*T, error)) (*T, error) {
	if len(text) > maxPage {
		return nil, fmt.Errorf("reading %s: the text has %d bytes; at most %d are read", what, len(text), maxPage)
	}
	page, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	return page, nil
}

// tooMany is the error for a page of n entries.
func tooMany(n int) error {
	return fmt.Errorf("%d entries; at most %d are read", n, maxEntries)
}
