package skillmd

import "strings"

// tagState is a set of possible states inside HTML tags, for all tags that may have started before the position.
// Renderers disagree on the end of a tag with stray quotes, so all readings are followed at once, in constant time per
// byte.
type tagState uint8

const (
	inTag tagState = 1 << iota
	afterEquals
	inDouble
	inSingle
	inUnquoted
)

// next returns the set after the byte c. In doubt it keeps more readings.
func (t tagState) next(c byte) tagState {
	if t == 0 {
		return 0
	}
	switch c {
	case '"':
		return t.quote(inDouble)
	case '\'':
		return t.quote(inSingle)
	case '=':
		if t&inTag != 0 {
			t |= afterEquals
		}
		return t
	case '>':
		return t &^ (inTag | afterEquals | inUnquoted)
	case ' ', '\t', '\n', '\f':
		if t&inUnquoted != 0 {
			t = t&^inUnquoted | inTag
		}
		return t
	}
	if t&afterEquals != 0 {
		t = t&^afterEquals | inUnquoted
	}
	return t
}

func (t tagState) quote(kind tagState) tagState {
	next := t &^ (kind | afterEquals)
	if t&kind != 0 {
		next |= inTag
	}
	if t&afterEquals != 0 {
		next |= kind
	}
	return next
}

// foreign are the elements that load other content if they have an attribute with a value. Without one they are
// stand-ins in prose, as in <object id>.
var foreign = []string{"iframe", "object", "embed", "applet", "frame", "base", "meta"}

// element handles the "<" at i: a script element, an element that loads content, an autolink, or another tag, which
// only changes the state.
func (z *spanScanner) element(i int) (int, bool) {
	rest := z.lower[i+1:]
	if strings.HasPrefix(rest, "script") {
		return z.script(i), true
	}
	if end, ok := z.scheme(i + 1); ok && z.s[i+1] > ' ' {
		end = z.until(end, "> \t\n")
		if end < len(z.s) && z.s[end] == '>' {
			end++
		}
		return z.drop(i, end, "[link removed]", KindLink), true
	}
	for _, name := range foreign {
		if after, ok := strings.CutPrefix(rest, name); ok && after != "" && strings.IndexByte(" \t\n\f/", after[0]) >= 0 && z.equals.from(i) < z.angle.from(i) {
			return z.foreignElement(i, name), true
		}
	}
	if rest != "" && isLetter(rest[0]) {
		z.tags |= inTag
	}
	return 0, false
}

// foreignElement removes the tag at i up to its end on the same line. Without such an end it turns the tag into text.
func (z *spanScanner) foreignElement(i int, name string) int {
	if end := z.angle.from(i); end < z.newline.from(i) {
		return z.drop(i, end+1, "["+name+" removed]", KindHTML)
	}
	return z.drop(i, i+1, "&lt;", KindHTML)
}

// script removes the script element at i (R76). Without an end tag it extends to the end of the text as in HTML, except
// inside a code span, where it is a word of the prose. Longer names, as in the stand-in <script-name>, stay.
func (z *spanScanner) script(i int) int {
	const mark = "[script removed]"
	after := i + len("<script")
	if after < len(z.s) && strings.IndexByte(" \t\n\f/>", z.s[after]) < 0 {
		return z.drop(i, i+1, "&lt;", KindScript)
	}
	eol := z.newline.from(i)
	closing := z.scriptEnd.from(i)
	inCode := z.ticks%2 == 1 && z.backtick.from(i) < eol
	switch {
	case inCode && closing > eol:
		if end := z.angle.from(i); end < eol {
			return z.drop(i, end+1, mark, KindScript)
		}
		return z.drop(i, after, mark, KindScript)
	case closing < len(z.s):
		end := closing + len("</script")
		// The end tag may have blanks before its own ">".
		for end < len(z.s) && strings.IndexByte(" \t\n\f", z.s[end]) >= 0 {
			end++
		}
		if end < len(z.s) && z.s[end] == '>' {
			end++
		}
		return z.drop(i, end, mark, KindScript)
	default:
		return z.drop(i, len(z.s), mark, KindScript)
	}
}

// notHandlers are kwargs and words that only look like event handlers.
var notHandlers = map[string]bool{"on": true, "one": true, "once": true, "only": true, "onto": true, "ongoing": true}

// handler renames the event handler at i, if one starts there inside a tag, and removes its value.
func (z *spanScanner) handler(i int) (int, bool) {
	if z.tags&inTag == 0 || i > 0 && (isWord(z.s[i-1]) || z.s[i-1] == '-') || !strings.HasPrefix(z.lower[i:], "on") {
		return 0, false
	}
	end := i
	for end < len(z.s) && isLetter(z.s[end]) {
		end++
	}
	name := z.lower[i:end]
	end = z.skipBlanks(end)
	if notHandlers[name] || end >= len(z.s) || z.s[end] != '=' {
		return 0, false
	}
	return z.drop(i, z.valueEnd(z.skipBlanks(end+1)), "data-removed", KindHTML), true
}

// valueEnd returns the end of the attribute value that starts at i. A quoted value must have an end.
func (z *spanScanner) valueEnd(i int) int {
	if i < len(z.s) {
		switch z.s[i] {
		case '"':
			return z.quotedEnd(&z.double, i)
		case '\'':
			return z.quotedEnd(&z.single, i)
		}
	}
	return z.until(i, "> \t\n\f")
}

func (z *spanScanner) quotedEnd(quote *finder, i int) int {
	if end := quote.from(i + 1); end < len(z.s) {
		return end + 1
	}
	return i
}

func (z *spanScanner) skipBlanks(i int) int {
	for i < len(z.s) && strings.IndexByte(" \t\n\f", z.s[i]) >= 0 {
		i++
	}
	return i
}

// until returns the first position from i on with one of the bytes, or the end.
func (z *spanScanner) until(i int, bytes string) int {
	if n := strings.IndexAny(z.s[i:], bytes); n >= 0 {
		return i + n
	}
	return len(z.s)
}
