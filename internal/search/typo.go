package search

import "unicode/utf8"

// letters returns a bit mask of the characters in a word. Similar words have similar masks.
func letters(word string) uint64 {
	var mask uint64
	for _, r := range word {
		mask |= 1 << (uint32(r) * 0x9E3779B1 >> 26)
	}
	return mask
}

// tolerance returns how many typos a word may have.
func tolerance(word string) int {
	switch n := utf8.RuneCountInString(word); {
	case n < 4:
		return 0
	case n < 8:
		return 1
	default:
		return 2
	}
}
