package schema

import (
	"regexp"
	"regexp/syntax"
)

// A pattern is a compiled regular expression.
type pattern struct {
	re   *regexp.Regexp
	text string // as spelled in the schema
	cost int    // instructions
}

// newPattern compiles text, an ECMA-262 expression, or returns the problem. It estimates the size before it builds
// anything, because a counted repetition of a few bytes can become millions of instructions. work is the cost so far,
// in instructions.
func newPattern(text string) (p *pattern, work int, problem string) {
	spelled, work, problem := translate(text)
	if problem != "" {
		return nil, 0, problem
	}
	tree, err := syntax.Parse(spelled, syntax.Perl)
	if err != nil {
		return nil, work, notRE2
	}
	cost := instructions(tree)
	if cost > maxPattern {
		return nil, work, tooLarge
	}
	re, err := regexp.Compile(spelled)
	if err != nil {
		return nil, work, notRE2
	}
	return &pattern{re: re, text: text, cost: cost}, max(work, cost), ""
}

// instructions estimates the size of a program. It stops counting well beyond maxPattern.
func instructions(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)/64 // a class is one instruction with a binary search
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

// patternShare is the number of bytes times instructions of a match that cost one step.
const patternShare = 64

// steps returns the cost of one match against size bytes.
func (p *pattern) steps(size int) int {
	return 1 + (size+8)*p.cost/patternShare
}
