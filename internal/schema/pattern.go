package schema

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// A pattern is a regular expression that RE2 knows.
type pattern struct {
	re   *regexp.Regexp
	text string // as spelled in the schema
	cost int    // instructions
}

// newPattern compiles text, an ECMA-262 expression, or says why it cannot. The
// size is estimated before anything is built: a counted repetition of a few
// bytes can stand for millions of instructions.
func newPattern(text string) (*pattern, string) {
	spelled := translate(text)
	tree, err := syntax.Parse(spelled, syntax.Perl)
	if err != nil {
		return nil, "is not in RE2 syntax"
	}
	cost := instructions(tree)
	if cost > maxPattern {
		return nil, "is too large"
	}
	re, err := regexp.Compile(spelled)
	if err != nil {
		return nil, "is not in RE2 syntax"
	}
	return &pattern{re: re, text: text, cost: cost}, ""
}

// translate respells what RE2 knows under another name.
func translate(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch {
		case text[i] == 'u' && isHex(text, i+1, 4):
			b.WriteString(`\x{` + text[i+1:i+5] + `}`)
			i += 4
		case text[i] == '/':
			b.WriteByte('/')
		default:
			b.WriteString(text[i-1 : i+1])
		}
	}
	return b.String()
}

func isHex(text string, from, n int) bool {
	if len(text) < from+n {
		return false
	}
	return strings.Trim(text[from:from+n], "0123456789abcdefABCDEF") == ""
}

// instructions estimates the size of a program, and stops counting well beyond
// maxPattern.
func instructions(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)/64 // a class is one instruction, searched by halving
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += instructions(sub)
		if n > maxPattern {
			return n
		}
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min+1, re.Max, 1)
	}
	return n + 1
}

// patternShare is how much of a match, in bytes times instructions, is a step.
const patternShare = 64

// steps returns what one match against size bytes costs.
func (p *pattern) steps(size int) int {
	return 1 + (size+8)*p.cost/patternShare
}
