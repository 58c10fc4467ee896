package clean

import "strings"

// escape returns the length of the terminal escape sequence (ECMA-48) at the beginning of text, 0 if there is none. The
// first character of text is r, n bytes long.
//
// A sequence with a string, such as a window title, ends with BEL or ST. Without that end only the introducer counts,
// so that it cannot hide the rest of the text. The search for the end stops at the next control character, which keeps
// many introducers linear.
func escape(text string, r rune, n int) int {
	if r == '\x1b' {
		if len(text) == 1 {
			return 1
		}
		// ESC and a character from @ to _ are the two-byte form of a C1 control character.
		if c := text[1]; c < '@' || c > '_' {
			return short(text)
		}
		r, n = rune(text[1])+'@', 2
	}
	switch r {
	case '\u009b': // CSI
		return control(text, n)
	case '\u0090', '\u0098', '\u009d', '\u009e', '\u009f': // DCS, SOS, OSC, PM, APC
		return carrier(text, n)
	}
	if text[0] == '\x1b' {
		return n
	}
	return 0
}

// short returns the length of ESC, intermediates and a final byte.
func short(text string) int {
	return final(text, run(text, 1, ' ', '/'), '0', '~')
}

// control returns the length of a sequence with parameters, from its introducer of n bytes to its final byte.
func control(text string, n int) int {
	i := run(text, n, '0', '?')
	i = run(text, i, ' ', '/')
	return final(text, i, '@', '~')
}

// run returns the end of the bytes from lo to hi that begin at text[i:].
func run(text string, i int, lo, hi byte) int {
	for i < len(text) && lo <= text[i] && text[i] <= hi {
		i++
	}
	return i
}

// final returns i+1 if text[i] is a byte from lo to hi, else i.
func final(text string, i int, lo, hi byte) int {
	if i < len(text) && lo <= text[i] && text[i] <= hi {
		i++
	}
	return i
}

// carrier returns the length of a sequence with a string, from its introducer of n bytes to its terminator.
func carrier(text string, n int) int {
	i := n
	for i < len(text) && !controls(text, i) {
		i++
	}
	for _, end := range []string{"\a", "\x1b\\", "\u009c"} {
		if strings.HasPrefix(text[i:], end) {
			return i + len(end)
		}
	}
	return n
}

// controls reports whether a control character begins at text[i].
func controls(text string, i int) bool {
	c := text[i]
	return c < ' ' || c == 0x7f || c == 0xc2 && i+1 < len(text) && 0x80 <= text[i+1] && text[i+1] < 0xa0
}
