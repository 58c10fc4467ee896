package skillmd

import (
	"strings"
	"unicode/utf8"
)

const (
	// MaxValue is the maximum number of characters (code points) of a value that Expand inserts; longer ones are cut.
	MaxValue = 4096
	// MaxGrowth is the number of bytes by which Expand may extend a text. Placeholders beyond it stay.
	MaxGrowth = 256 << 10
)

// Input is a placeholder of a skill text.
type Input struct {
	// Name is the placeholder's name as written at its first occurrence.
	Name string
	// Default is the text after the bar of {{name|text}}, at the first occurrence that has one.
	Default string
	// HasDefault distinguishes an empty default from none.
	HasDefault bool
}

// Expand replaces {{name}} and {{name|default text}} (R65). Blanks inside the braces are ignored. A name is
// [A-Za-z0-9_]+ with at least one letter or digit; a default is on one line. value receives the name as written and
// normalises it itself. A name unknown to value becomes its default, or stays as {{name}} without one.
//
// Inserted values are not expanded again, so they may hold braces. They are cut at MaxValue characters, their line ends
// become LF, and invalid UTF-8 becomes U+FFFD. Strip the result before serving it.
func Expand(body string, value func(name string) (string, bool)) string {
	var out strings.Builder
	limit := len(body) + MaxGrowth
	done := 0
	for p := range placeholders(body) {
		out.WriteString(body[done:p.start])
		text := p.expand(value)
		// The rest of the body counts too: the limit is for the whole result.
		if out.Len()+len(text)+len(body)-p.end > limit {
			text = body[p.start:p.end]
		}
		out.WriteString(text)
		done = p.end
	}
	out.WriteString(body[done:])
	return out.String()
}

// Inputs lists the placeholders of a text in order of first occurrence. Spellings with the same canonical form (lower
// case, no underscores; R21, R65) are one input.
func Inputs(body string) []Input {
	var inputs []Input
	index := map[string]int{}
	for p := range placeholders(body) {
		key := canonical(p.Name)
		i, known := index[key]
		if !known {
			index[key] = len(inputs)
			inputs = append(inputs, p.Input)
		} else if p.HasDefault && !inputs[i].HasDefault {
			inputs[i].Default, inputs[i].HasDefault = p.Default, true
		}
	}
	return inputs
}

// placeholder is an Input at body[start:end].
type placeholder struct {
	Input
	start, end int
}

func (p placeholder) expand(value func(string) (string, bool)) string {
	if text, ok := value(p.Name); ok {
		return cleanValue(text)
	}
	if p.HasDefault {
		return p.Default
	}
	return "{{" + p.Name + "}}"
}

func placeholders(body string) func(yield func(placeholder) bool) {
	return func(yield func(placeholder) bool) {
		for at := 0; ; {
			i := strings.Index(body[at:], "{{")
			if i < 0 {
				return
			}
			p, ok := readPlaceholder(body, at+i)
			if !ok {
				at += i + 1
				continue
			}
			if !yield(p) {
				return
			}
			at = p.end
		}
	}
}

// readPlaceholder parses the placeholder at body[start:], which begins with "{{". It never reads beyond the next brace
// or line end, so that a text full of "{{" takes linear time.
func readPlaceholder(body string, start int) (placeholder, bool) {
	at := start + 2
	n := strings.IndexAny(body[at:], "{}\n")
	if n < 0 || !strings.HasPrefix(body[at+n:], "}}") {
		return placeholder{}, false
	}
	name, text, hasDefault := strings.Cut(body[at:at+n], "|")
	name = strings.Trim(name, " \t")
	if !isName(name) {
		return placeholder{}, false
	}
	in := Input{Name: name, Default: strings.Trim(text, " \t"), HasDefault: hasDefault}
	return placeholder{Input: in, start: start, end: at + n + 2}, true
}

func isName(s string) bool {
	for i := range len(s) {
		if !isWord(s[i]) {
			return false
		}
	}
	return canonical(s) != ""
}

func canonical(s string) string {
	return strings.ToLower(strings.ReplaceAll(s, "_", ""))
}

func isWord(c byte) bool {
	return c == '_' || isAlnum(c)
}

func isAlnum(c byte) bool {
	return isDigit(c) || isLetter(c)
}

func isLetter(c byte) bool {
	c |= 0x20
	return 'a' <= c && c <= 'z'
}

func isDigit(c byte) bool {
	return '0' <= c && c <= '9'
}

func cleanValue(s string) string {
	// Cut by bytes first: a huge value must not be scanned in full.
	if limit := MaxValue * utf8.UTFMax; len(s) > limit {
		s = s[:limit]
	}
	s = unixLines(strings.ToValidUTF8(s, "\ufffd"))
	count := 0
	for i := range s {
		if count == MaxValue {
			return s[:i]
		}
		count++
	}
	return s
}
