package view

import (
	"encoding/binary"
	"math/bits"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// Positions in a text refer to the stored text, before cleaning. A character is a byte that does not continue a UTF-8
// sequence, with the continuing bytes after it: a code point in UTF-8, and countable in chunks in any data.

// continues reports whether c continues a UTF-8 sequence.
func continues(c byte) bool { return int8(c) < -0x40 }

// characters counts the characters of data.
func characters(data []byte) int {
	n := len(data)
	for ; len(data) >= 8; data = data[8:] {
		word := binary.LittleEndian.Uint64(data)
		n -= bits.OnesCount64(word >> 7 &^ (word >> 6) & 0x0101010101010101)
	}
	for _, c := range data {
		if continues(c) {
			n--
		}
	}
	return n
}

// characterAt returns the index of character n, or len(data) if there are fewer.
func characterAt(data []byte, n int) int {
	if n == 0 {
		return 0
	}
	const block = 4096
	i := 0
	for ; i+block <= len(data); i += block {
		k := characters(data[i : i+block])
		if k > n {
			break
		}
		n -= k
	}
	for ; i < len(data); i++ {
		if continues(data[i]) {
			continue
		}
		if n == 0 {
			return i
		}
		n--
	}
	return i
}

// cost returns the most characters that the character at data[i] takes in a page after cleaning.
func cost(data []byte, i int) int {
	switch c := data[i]; {
	case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t':
		return 2
	case c == '<' || c == '>' || c == '&':
		return 6 // encoding/json escapes what is special in HTML
	case c == 0xc2 || c == 0xe2:
		return 2 // may be the end of a line, which becomes a line feed
	case continues(c):
		return 0
	}
	return 1
}

// textCost returns the sum of the costs of data. It stops when the sum exceeds room.
func textCost(data []byte, room int) int {
	sum := 0
	for i := range data {
		if sum += cost(data, i); sum > room {
			break
		}
	}
	return sum
}

// fit returns the end of the longest beginning of data that has at most most characters and costs at most room. It has
// at least one character unless data is empty.
func fit(data []byte, most, room int) int {
	n := 0
	for i, c := range data {
		if continues(c) {
			continue
		}
		if room -= cost(data, i); n > 0 && room < 0 || n == most {
			return i
		}
		n++
	}
	return len(data)
}

// Excerpt returns the beginning of text that takes at most room characters as JSON. A cut text ends at a word, with an
// ellipsis.
func Excerpt(text string, room int) string {
	end := fit([]byte(text), len(text), room)
	if end == len(text) {
		return text
	}
	end = fit([]byte(text), len(text), room-1)
	if word := strings.LastIndexAny(text[:end], " \n"); word > end*3/4 {
		end = word
	}
	return strings.TrimRight(text[:end], " \n") + "…"
}

// fitBack works like fit for the end of data, and returns where that end begins.
func fitBack(data []byte, most, room int) int {
	at, n := len(data), 0
	for i := len(data) - 1; i >= 0; i-- {
		if continues(data[i]) {
			continue
		}
		if room -= cost(data, i); n > 0 && room < 0 || n == most {
			return at
		}
		at = i
		n++
	}
	return 0
}

// near is how far a cut may move to a better place, in bytes. Escape sequences, line ends and emoji are usually
// shorter.
const near = 64

// cutEnd moves the end of data[at:end] to a place where cutting is safe, at or before end if there is one.
func cutEnd(data []byte, at, end int) int {
	if s, ok := seam(data, end, -1); ok && s > at {
		return s
	}
	if s, ok := seam(data, end, 1); ok && end-at < near {
		return s // the wanted length is less than one such sequence
	}
	return end
}

// cutStart works like cutEnd for the start, at or after at if possible.
func cutStart(data []byte, at, end int) int {
	if s, ok := seam(data, at, 1); ok && s < end {
		return s
	}
	if s, ok := seam(data, at, -1); ok && end-at < near {
		return s
	}
	return at
}

// seam searches from at in steps of step for a place to cut data so that the cleaned parts equal the cleaned whole.
func seam(data []byte, at, step int) (i int, ok bool) {
	for i, n := at, 0; n < near; i, n = i+step, n+1 {
		if i <= 0 || i >= len(data) || !continues(data[i]) && cleanCut(data, i) {
			return clamp(i, 0, len(data)), true
		}
	}
	return at, false
}

// cleanCut reports whether the text around i cleans to the same with a cut at i.
func cleanCut(data []byte, i int) bool {
	left, right := data[max(0, i-4*near):i], data[i:min(len(data), i+4*near)]
	if simple(left) && simple(right) {
		return true
	}
	whole := clean.Text(string(left) + string(right))
	return clean.Text(string(left))+clean.Text(string(right)) == whole
}

// simple reports whether cleaning leaves data as it is, wherever it is cut.
func simple(data []byte) bool {
	for _, c := range data {
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}
