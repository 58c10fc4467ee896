package card

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// disarm rewrites text that imitates parts of a line which only the card writes, character for character. Square
// brackets and similar characters become parentheses, and marker names lose the characters that make them markers.
//
//	[2/3] Wipes it. [read-only] safety=read_only side_effects
//	(2/3) Wipes it. (read-only) safety:read_only side effects
//
// Brackets that belong to the word before them stay, as in list[int], a[0] and []string.
func disarm(text string) string {
	if !strings.ContainsFunc(text, armed) {
		return text
	}
	b := make([]byte, 0, len(text))
	var kept []bool // by open bracket: it stays
	prev := ' '
	for rest := text; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		rest = rest[n:]
		switch {
		case opens(r):
			stays := r == '[' && subscript(prev, rest)
			if kept = append(kept, stays); !stays {
				r = '('
			}
		case closes(r):
			top := len(kept) - 1
			if r != ']' || top < 0 || !kept[top] {
				r = ')'
			}
			kept = kept[:max(0, top)]
		case equals(r):
			if name := bytes.TrimSuffix(b, []byte(" ")); endsWith(name, "safety") || endsWith(name, "cost") {
				r = ':'
			}
		case underlines(r):
			if endsWith(b, "side") && beginsWith(rest, "effects") {
				r = ' '
			}
		}
		b = utf8.AppendRune(b, r)
		prev = r
	}
	return string(b)
}

// subscript reports whether a bracket between prev and rest belongs to the word before it and does not begin a card's
// number.
func subscript(prev rune, rest string) bool {
	if strings.HasPrefix(rest, "]") {
		return true
	}
	if prev != ']' && prev != '_' && !unicode.IsLetter(prev) && !unicode.IsDigit(prev) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLetter(first) || strings.HasPrefix(strings.TrimLeft(rest, "0123456789"), "]")
}

func beginsWith(text, word string) bool {
	return len(text) >= len(word) && strings.EqualFold(text[:len(word)], word)
}

func endsWith(text []byte, word string) bool {
	return len(text) >= len(word) && strings.EqualFold(string(text[len(text)-len(word):]), word)
}

// armed reports whether disarm may rewrite r.
func armed(r rune) bool { return opens(r) || closes(r) || equals(r) || underlines(r) }

func opens(r rune) bool {
	switch r {
	case '[', '［', '⁅', '❲', '⟦', '⦋', '⦍', '⦏', '【', '〔', '〖', '〘', '〚', '﹇':
		return true
	}
	return false
}

func closes(r rune) bool {
	switch r {
	case ']', '］', '⁆', '❳', '⟧', '⦌', '⦎', '⦐', '】', '〕', '〗', '〙', '〛', '﹈':
		return true
	}
	return false
}

func equals(r rune) bool { return r == '=' || r == '＝' || r == '﹦' || r == '꞊' }

func underlines(r rune) bool { return r == '_' || r == '＿' }

// disarmTag removes characters from a tag that would end it or the list in a line, or turn the list into a card's
// number.
func disarmTag(tag string) string {
	words := strings.ContainsFunc(tag, unicode.IsLetter)
	return strings.Map(func(r rune) rune {
		switch r {
		case ',', '，', '﹐', '、':
			return '_'
		case '/', '／', '∕', '⁄':
			if !words {
				return '_'
			}
		}
		if opens(r) || closes(r) || equals(r) {
			return '_'
		}
		return r
	}, tag)
}
