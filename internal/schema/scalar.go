package schema

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// text checks the string in data[i:end].
func (v *run) text(n *node, i, end int) bool {
	ok := true
	if r := n.text; r != nil {
		ok = v.length(r, i, end)
		if r.pattern != nil && (ok || !v.stopped()) {
			ok = v.matches(n, r.pattern, i, end) && ok
		}
	}
	if n.facts == nil || !ok && (v.stopped() || n.facts.key) { // the pattern of a key has told
		return ok
	}
	if n.facts.text != nil && !n.facts.text.valid(strictjson.Text(v.data[i:end])) {
		return v.fail(n.facts.text.rule, func() string { return n.facts.text.message })
	}
	if n.number != nil && n.facts.convert != nil {
		if native := n.facts.convert(v.data[i:end]); strictjson.KindOf(native) == strictjson.Number {
			return v.bounds(n, native) && ok
		}
	}
	return ok
}

// length checks the number of code points.
func (v *run) length(r *textRules, i, end int) bool {
	raw := v.data[i+1 : max(end-1, i+1)]
	if len(raw) >= longestEscape*r.min && (r.max < 0 || len(raw) <= r.max) {
		return true // whatever its characters are
	}
	n := countCharacters(raw)
	if n < r.min {
		return v.fail("minLength", func() string { return "must have at least " + plural(r.min, "character", "characters") })
	}
	if r.max >= 0 && n > r.max {
		return v.fail("maxLength", func() string { return "must have at most " + plural(r.max, "character", "characters") })
	}
	return true
}

// longestEscape is the maximum number of bytes of one character: a pair of \uXXXX.
const longestEscape = 12

// countCharacters counts the code points of a string's value, without unescaping it.
func countCharacters(raw []byte) int {
	n := utf8.RuneCount(raw)
	for i := bytes.IndexByte(raw, '\\'); i >= 0 && i+1 < len(raw); {
		size := 2
		if raw[i+1] == 'u' {
			size = 6
			if i+2 < len(raw) && isHighSurrogate(raw[i+2:]) {
				size = longestEscape
			}
		}
		n -= size - 1
		i += size
		next := -1
		if i < len(raw) {
			next = bytes.IndexByte(raw[i:], '\\')
		}
		if next < 0 {
			break
		}
		i += next
	}
	return n
}

// isHighSurrogate reports whether the digits after \u are the first half of a pair: D8 to DB.
func isHighSurrogate(hex []byte) bool {
	return len(hex) > 1 && hex[0]|0x20 == 'd' && (hex[1] == '8' || hex[1] == '9' || hex[1]|0x20 == 'a' || hex[1]|0x20 == 'b')
}

// matches checks a string against a regular expression.
func (v *run) matches(n *node, p *pattern, i, end int) bool {
	if !v.spend(p.steps(end - i)) {
		return false
	}
	if p.re.Match(v.plainText(i, end)) {
		return true
	}
	return v.fail("pattern", func() string {
		if n.facts != nil && n.facts.key {
			return n.facts.text.message
		}
		if f := n.insteadOfPattern(); f != nil {
			return f.message + ", in the form that its pattern has"
		}
		return "must match the pattern " + clean(p.text, maxShown)
	})
}

// insteadOfPattern returns the format that describes a pattern too long to show, because generators spell out formats
// as patterns. It returns nil if there is none.
func (n *node) insteadOfPattern() *textCheck {
	if utf8.RuneCountInString(n.text.pattern.text) <= maxShown {
		return nil
	}
	return formats[n.about.format]
}

// plainText returns the value of a quoted string. It allocates only for escapes.
func (v *run) plainText(i, end int) []byte {
	quoted := v.data[i:end]
	if bytes.IndexByte(quoted, '\\') >= 0 {
		return []byte(strictjson.Text(quoted))
	}
	return quoted[1 : len(quoted)-1]
}

// number checks the number in data[i:end].
func (v *run) number(n *node, i, end int) bool {
	raw := v.data[i:end]
	if n.facts != nil && n.facts.number != nil && !n.facts.number.holds(raw) {
		return v.fail("type", func() string { return n.facts.number.message(raw) })
	}
	return n.number == nil || v.bounds(n, raw)
}

// bounds checks a number against the bounds of n.
func (v *run) bounds(n *node, raw []byte) bool {
	r, d := n.number, parseDecimal(raw)
	switch {
	case r.min != nil && d.compare(r.min.value) < 0:
		return v.fail("minimum", func() string { return "must be at least " + n.spell(r.min) })
	case r.max != nil && d.compare(r.max.value) > 0:
		return v.fail("maximum", func() string { return "must be at most " + n.spell(r.max) })
	case r.above != nil && d.compare(r.above.value) <= 0:
		return v.fail("exclusiveMinimum", func() string { return "must be more than " + n.spell(r.above) })
	case r.below != nil && d.compare(r.below.value) >= 0:
		return v.fail("exclusiveMaximum", func() string { return "must be less than " + n.spell(r.below) })
	case r.multiple != nil:
		return v.multiple(d, r.multiple)
	}
	return true
}

// spell returns a bound for a reader.
func (n *node) spell(b *bound) string {
	if n.facts != nil && n.facts.spell != nil {
		return n.facts.spell(b.text)
	}
	return b.text
}

// multiple checks multipleOf. Its cost is quadratic in the length.
func (v *run) multiple(d decimal, m *bound) bool {
	size := d.digits + m.value.digits
	if !v.spend(1 + size/8 + size/64*(size/64)) {
		return false
	}
	if d.isMultiple(m.value) {
		return true
	}
	return v.fail("multipleOf", func() string { return "must be a multiple of " + m.text })
}

// A goNumber is the range of a Go kind.
type goNumber struct {
	kind numberKind
	size int // bits
}

type numberKind uint8

const (
	signed numberKind = iota
	unsigned
	float
	wholeNumber // an integer of any size, up to maxBound digits
)

// longestInteger is the length of -9223372036854775808.
const longestInteger = 20

// holds reports whether a literal decodes into the kind. Integers need no fraction, no exponent, and must fit; floats
// must be finite.
func (g *goNumber) holds(raw []byte) bool {
	var err error
	switch {
	case g.kind == float:
		_, err = strconv.ParseFloat(string(raw), g.size)
	case bytes.ContainsAny(raw, ".eE"):
		return false
	case g.kind == wholeNumber:
		return len(raw) <= maxBound
	case len(raw) > longestInteger:
		return false
	case g.kind == signed:
		_, err = strconv.ParseInt(string(raw), 10, g.size)
	default:
		_, err = strconv.ParseUint(string(raw), 10, g.size)
	}
	return err == nil
}

// message explains why a literal does not decode.
func (g *goNumber) message(raw []byte) string {
	switch {
	case g.kind == float:
		return "must be a number in the range of a " + strconv.Itoa(g.size) + "-bit float"
	case bytes.ContainsAny(raw, ".eE"):
		return "must be an integer, written without a fraction or an exponent"
	case g.kind == wholeNumber:
		return "must be an integer of at most " + plural(maxBound, "digit", "digits")
	}
	return "must be an integer from " + g.lowest() + " to " + g.highest()
}

func (g *goNumber) lowest() string {
	if g.kind == unsigned {
		return "0"
	}
	return strconv.FormatInt(math.MinInt64>>(64-g.size), 10)
}

func (g *goNumber) highest() string {
	if g.kind == unsigned {
		return strconv.FormatUint(math.MaxUint64>>(64-g.size), 10)
	}
	return strconv.FormatInt(math.MaxInt64>>(64-g.size), 10)
}
