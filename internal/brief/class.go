package brief

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// A class is the meaning of a member, by its name.
type class uint8

const (
	other  class = iota
	state        // a state or a count
	named        // a name or a title
	id           // an id or an address; never cut
	marked       // a cursor, an error, a warning or a mark of truncation; never changed
)

var (
	// anywhere has the words that decide wherever they are in a name.
	anywhere = classes(map[class]string{
		marked: "cursor deprecated error errors incomplete more next omitted partial prev previous truncated truncation warning warnings",
	})
	// last has the words that decide at the end of a name.
	last = classes(map[class]string{
		id: "id uuid guid", named: "name title", state: "state status phase count total", marked: "token",
	})
	// alone has the words that decide if they are the whole name.
	alone = classes(map[class]string{
		id:    "filename hostname key login number path sha sku slug uri url username",
		named: "label subject",
		state: "active closed completed done enabled open",
	})
)

// classes inverts lists of words.
func classes(lists map[class]string) map[string]class {
	byWord := make(map[string]class)
	for c, words := range lists {
		for _, w := range strings.Fields(words) {
			byWord[w] = c
		}
	}
	return byWord
}

// maxWord is the length of the longest word in the lists, and one more.
const maxWord = 11

// classOf returns the class of a member. A name with escapes or letters beyond ASCII has no words.
func classOf(name []byte) class {
	var room [maxWord]byte
	word := room[:0]
	words, ended := 0, true
	for i, c := range name {
		upper := 'A' <= c && c <= 'Z'
		switch {
		case c >= utf8.RuneSelf || c == '\\':
			return other
		case upper || 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		default:
			ended = true
			continue
		}
		if ended || upper && begins(name, i) {
			if found := anywhere[string(word)]; found != other {
				return found
			}
			word, ended = room[:0], false
			words++
		}
		if upper {
			c += 'a' - 'A'
		}
		if len(word) < maxWord {
			word = append(word, c)
		}
	}
	found := cmp.Or(anywhere[string(word)], last[string(word)])
	if found == other && words == 1 {
		found = alone[string(word)]
	}
	return found
}

// begins reports whether the capital at name[i] begins a word: after a small letter or a digit, or before a small
// letter.
func begins(name []byte, i int) bool {
	isSmall := func(c byte) bool { return 'a' <= c && c <= 'z' }
	before := name[i-1]
	return isSmall(before) || '0' <= before && before <= '9' || i+1 < len(name) && isSmall(name[i+1])
}

// Keeps reports whether [Minimal] shows a scalar member of an element, and whether it tells the element apart.
func Keeps(name string) (shown, identifies bool) {
	c := classOf([]byte(name))
	return c != other, c == id || c == named
}
