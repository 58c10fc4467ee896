package disclosure

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/registry"
)

// A trimmer makes sentences of the first stage from a description. Code, JSON and addresses are replaced by one
// character each, from the private use area, which a cleaned text does not contain.
type trimmer struct {
	params []registry.Param
	kept   []string // code that stays, by its character
	mixed  []string // see mixedNames; nil until needed
}

const (
	firstKept = '\ue000' // the code spans that stay begin here
	lastKept  = '\uf000'
	dropped   = '\uf8ff' // what is left out, with its clause
)

const droppedText = string(dropped)

var (
	link    = regexp.MustCompile(`\[([^\[\]]*)\]\([^()]*\)`)
	address = regexp.MustCompile(`\bhttps?://([^\s<>()/?#"'，。；：）]*[^\s<>()/?#"'.,;:!?，。；：）])(?:[/?#][!-~]*[^\s<>().,;:!?"'，。])?/?`)
	// bracketed matches words such as [deprecated], which are not an array.
	bracketed = regexp.MustCompile(`\[([\pL -]+)\]`)
	element   = regexp.MustCompile(`(?is)<(?:examples?|usage)\b[^<>]*>.*?(?:</(?:examples?|usage)>|$)`)
	// inPath matches a parameter in the path of an address: /orders/{id}.
	inPath = regexp.MustCompile(`/\{[\pL\d_.-]{1,80}\}`)
	// touching matches what is written together with something that is left out.
	touching = regexp.MustCompile(`[!-'*-+\-./0-9<-Z_a-z|~]*` + droppedText + `(?:[!-'*-+\-/0-9<-Z_a-z|~.]*[!-'*-+\-/0-9<-Z_a-z|~])?`)
)

// plainMarks removes marks of emphasis, and spells "don't" in one way.
var plainMarks = strings.NewReplacer("**", "", "n’t", "n't")

// masked returns a description without Markdown and code blocks, and with code, JSON and addresses replaced.
func (t *trimmer) masked(text string) string {
	if strings.IndexByte(text, '<') >= 0 {
		text = element.ReplaceAllString(text, "")
	}
	if strings.IndexByte(text, '`') >= 0 || strings.Contains(text, "~~~") {
		text = t.withoutCode(withoutFences(text))
	}
	if strings.IndexByte(text, '[') >= 0 {
		text = bracketed.ReplaceAllString(link.ReplaceAllString(text, "$1"), "($1)")
	}
	if strings.Contains(text, "://") {
		text = address.ReplaceAllStringFunc(text, func(whole string) string {
			host := strings.TrimPrefix(address.FindStringSubmatch(whole)[1], "www.")
			if strings.Contains(strings.ToLower(host), "example") || strings.ContainsAny(host, "{}[]@") {
				return droppedText
			}
			return host
		})
	}
	if strings.Contains(text, "/{") {
		text = inPath.ReplaceAllString(text, "/…")
	}
	text = withoutJSON(plainMarks.Replace(text))
	if strings.Contains(text, droppedText) {
		text = touching.ReplaceAllString(text, droppedText)
	}
	return text
}

// withoutFences removes code blocks. One that does not end lasts to the end of the text.
func withoutFences(text string) string {
	var lines []string
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		start := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(start, fence) {
				fence = ""
			}
			continue
		case strings.HasPrefix(start, "~~~"), strings.HasPrefix(start, "```") && !strings.Contains(start[3:], "`"):
			fence = start[:3]
			line = ""
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// withoutCode replaces code spans. A span begins and ends with the same number of backquotes, in one paragraph. Other
// backquotes are removed.
func (t *trimmer) withoutCode(text string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '`')
		if i < 0 {
			return b.String() + text
		}
		b.WriteString(text[:i])
		rest := strings.TrimLeft(text[i:], "`")
		marks := len(text) - i - len(rest)
		n := closing(rest, marks)
		if n < 0 {
			text = rest
			continue
		}
		b.WriteString(t.code(strings.Join(strings.Fields(rest[:n]), " ")))
		text = rest[n+marks:]
	}
}

// closing returns the index of the run of exactly so many backquotes that ends a span. -1 is none.
func closing(text string, marks int) int {
	if end := strings.Index(text, "\n\n"); end >= 0 {
		text = text[:end]
	}
	for i := 0; i < len(text); {
		j := strings.IndexByte(text[i:], '`')
		if j < 0 {
			return -1
		}
		i += j
		run := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
		if run == marks {
			return i
		}
		i += run
	}
	return -1
}

const maxCode = 40 // characters of a code span that stays

// code returns what stands for a code span: the words of a parameter, the character of a span that stays, or that of
// what is left out.
func (t *trimmer) code(inner string) string {
	switch words := t.inWords(inner); {
	case inner == "":
		return ""
	case strings.ContainsAny(inner, "{}[]<>\"'`=;,") || strings.Contains(inner, "://") || utf8.RuneCountInString(inner) > maxCode || withArguments(inner):
		return droppedText
	case words != inner:
		return words
	case len(t.kept) > int(lastKept-firstKept) || !says(inner) && strings.ContainsAny(inner, "()"):
		return droppedText
	}
	t.kept = append(t.kept, inner)
	return string(firstKept + rune(len(t.kept)-1))
}

// withArguments reports whether code has something in parentheses.
func withArguments(code string) bool {
	i := strings.IndexByte(code, '(')
	return i >= 0 && !strings.HasPrefix(code[i:], "()")
}

// unmasked puts the code that stays back.
func (t *trimmer) unmasked(text string) string {
	if len(t.kept) == 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if i := int(r - firstKept); i >= 0 && i < len(t.kept) {
			if strings.HasSuffix(b.String(), "`") {
				b.WriteByte(' ')
			}
			b.WriteString("`" + t.kept[i] + "`")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// withoutJSON replaces objects and arrays, in one pass over the brackets.
func withoutJSON(text string) string {
	if !strings.ContainsAny(text, "{}[]") {
		return text
	}
	var b strings.Builder
	depth := 0
	for _, r := range text {
		switch r {
		case '{', '[':
			if depth++; depth == 1 {
				b.WriteRune(dropped)
			}
		case '}', ']':
			depth = max(depth-1, 0)
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}
