package disclosure

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/registry"
)

// Bounds of minimal descriptions, in characters.
const (
	maxMinimal = 160  // of the result
	maxSource  = 1000 // of the input that is examined
)

// minimal returns the description of a function for tools/list: the first sentence of its description, without the
// content of the second stage (section 3.1), which is code, JSON, examples, usage, and parameter names as spelled. If
// too little is left, it returns the words of the name.
func minimal(f *registry.Function) string {
	text := firstParagraph(beforeFence(firstBytes(f.Description())))
	text = firstSentence(beforeMarkers(withoutJSON(withoutMarkup(unquoted(text)))))
	text = inWords(text, f.Params())
	if strings.Contains(strings.ToLower(text), "example") {
		text = samples.Replace(text)
	}
	text = tidy(text)
	if !says(text) {
		text = label.Words(f.FlatName())
	}
	return clean.Cut(text, maxMinimal)
}

// says reports whether a text contains a word.
func says(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

func firstBytes(text string) string {
	if len(text) > maxSource {
		return strings.ToValidUTF8(text[:maxSource], "")
	}
	return text
}

// beforeFence returns the text before a code block.
func beforeFence(text string) string {
	text, _, _ = strings.Cut(text, "```")
	text, _, _ = strings.Cut(text, "~~~")
	return text
}

// firstParagraph returns the text before the first empty line, without headings and invisible lines.
func firstParagraph(text string) string {
	var lines []string
	for line := range strings.SplitSeq(clean.Text(text), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
			continue
		case line == "" && lines != nil:
			return strings.Join(lines, " ")
		case line != "":
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, " ")
}

var code = regexp.MustCompile("`[^`]*`")

// unquoted keeps one or two words of code in backquotes, and drops longer code.
func unquoted(text string) string {
	if strings.IndexByte(text, '`') < 0 {
		return text
	}
	text = code.ReplaceAllStringFunc(text, func(quoted string) string {
		inner := strings.Trim(quoted, "`")
		if strings.ContainsFunc(inner, func(r rune) bool { return !isWord(r) && r != ' ' }) {
			return ""
		}
		return inner
	})
	return strings.ReplaceAll(text, "`", "")
}

var (
	link    = regexp.MustCompile(`\[([^\[\]]*)\]\([^()]*\)`)
	address = regexp.MustCompile(`\bhttps?://[^\s<>()]*[^\s<>().,;:!?]`)
	// bracketed matches words such as [deprecated], which are not an array.
	bracketed = regexp.MustCompile(`\[([\pL -]+)\]`)
	element   = regexp.MustCompile(`(?i)<(?:examples?|usage)\b[^<>]*>.*?(?:</(?:examples?|usage)>|$)`)
)

// withoutMarkup returns the visible text of Markdown, without URLs.
func withoutMarkup(text string) string {
	if strings.IndexByte(text, '[') >= 0 {
		text = bracketed.ReplaceAllString(link.ReplaceAllString(text, "$1"), "($1)")
	}
	if strings.Contains(text, "://") {
		text = address.ReplaceAllString(text, "")
	}
	if strings.IndexByte(text, '<') >= 0 {
		text = element.ReplaceAllString(text, "")
	}
	return strings.ReplaceAll(text, "**", "")
}

// withoutJSON removes objects and arrays, in one pass over the brackets.
func withoutJSON(text string) string {
	if !strings.ContainsAny(text, "{}[]") {
		return text
	}
	var b strings.Builder
	depth := 0
	for _, r := range text {
		switch r {
		case '{', '[':
			depth++
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

var (
	aside  = regexp.MustCompile(`(?i)\s*\([^()]*(?:\be\.?g\.|\bexamples?\b|\bfor instance\b|\busage:|: *(?:string|integer|number|boolean|array|object)\b)[^()]*\)`)
	marker = regexp.MustCompile(`(?i)[\s,;:(–—-]*(?:\be\.?g\.|\bex[.:]\s|\bfor example\b|\bfor instance\b|\bexamples?:|\busage(?: examples?)?:|` +
		`\b(?:parameters|params|arguments|args|inputs?):|[@:\\]param\b).*$`)
	// invocation matches the parentheses after a name in code: (a, b), but not the (s) of a plural.
	invocation = regexp.MustCompile(`([\pL\d_])\(([^()]*)\)`)
)

// hints are literals that every match of the patterns contains. They are much faster to search.
var hints = []string{"e.g.", "eg.", "ex.", "ex:", "instance", "example", "usage", "param", "arg", "input"}

// beforeMarkers removes parenthesised usage notes, and everything from the first usage marker on.
func beforeMarkers(text string) string {
	lower := strings.ToLower(text)
	hinted := slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(lower, hint) })
	if hinted || strings.IndexByte(text, '(') >= 0 && strings.IndexByte(text, ':') >= 0 {
		text = aside.ReplaceAllString(text, "")
	}
	if hinted {
		text = marker.ReplaceAllString(text, "")
	}
	if strings.IndexByte(text, '(') < 0 {
		return text
	}
	return invocation.ReplaceAllStringFunc(text, func(code string) string {
		if i := strings.IndexByte(code, '('); code[i:] != "(s)" && code[i:] != "(es)" {
			return code[:i]
		}
		return code
	})
}

// samples replaces the word example where it is the subject of a function.
var samples = strings.NewReplacer(
	"an example", "a sample", "An example", "A sample", "examples", "samples", "Examples", "Samples",
	"example", "sample", "Example", "Sample", "EXAMPLE", "SAMPLE")

// firstSentence returns the text up to the first full stop, question or exclamation mark before a blank. At least two
// words must precede it, and the last must not be an abbreviation: "Deprecated." alone would not say what the function
// does.
func firstSentence(text string) string {
	for i, r := range text {
		end := i + len(string(r))
		switch r {
		case '。', '！', '？':
			return text[:end]
		case '.', '!', '?':
			if end == len(text) || text[end] == ' ' && strings.Contains(text[:i], " ") && (r != '.' || !abbreviated(text[:i])) {
				return text[:end]
			}
		}
	}
	return text
}

var abbreviations = []string{"i.e", "etc", "vs", "cf", "approx", "incl", "no", "nr", "resp", "dr", "mr", "mrs", "st"}

func abbreviated(before string) bool {
	last := strings.ToLower(before[strings.LastIndexAny(before, " (")+1:])
	return len(last) == 1 || slices.Contains(abbreviations, last)
}

func isWord(r rune) bool {
	return r == '_' || r == '-' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// inWords spells parameter names as words, unless they are ordinary words.
func inWords(text string, params []registry.Param) string {
	var b strings.Builder
	for text != "" {
		start := strings.IndexFunc(text, isWord)
		if start < 0 {
			break
		}
		b.WriteString(text[:start])
		text = text[start:]
		end := strings.IndexFunc(text, func(r rune) bool { return !isWord(r) })
		if end < 0 {
			end = len(text)
		}
		b.WriteString(spelled(text[:end], params))
		text = text[end:]
	}
	return b.String() + text
}

// spelled returns the words of an identifier, or of several joined as in customer_id.name or customer_id-based.
func spelled(token string, params []registry.Param) string {
	if !isIdentifier(token) {
		return token
	}
	for _, name := range []string{token, strings.Trim(token, "_-."), strings.TrimSuffix(strings.Trim(token, "_-."), "s")} {
		if isIdentifier(name) && declared(params, name, maxFields) {
			return label.Words(token) + token[len(strings.TrimRight(token, "-.")):]
		}
	}
	if i := strings.LastIndexAny(token, "-."); i >= 0 {
		return spelled(token[:i], params) + token[i:i+1] + spelled(token[i+1:], params)
	}
	return token
}

// isIdentifier reports whether a name cannot be a word: it has an underscore, a hyphen, a dot, a digit, or a capital
// inside.
func isIdentifier(name string) bool {
	return strings.ContainsAny(name, "_-.0123456789") || strings.IndexFunc(name, unicode.IsUpper) > 0 ||
		strings.LastIndexFunc(name, unicode.IsUpper) > 0
}

// maxFields bounds the depth to which parameters are searched.
const maxFields = 6

func declared(params []registry.Param, name string, levels int) bool {
	return levels > 0 && slices.ContainsFunc(params, func(p registry.Param) bool {
		return p.Name == name || strings.Contains(name, "_") && strings.EqualFold(p.Name, name) || declared(p.Fields, name, levels-1)
	})
}

var beforeStop = regexp.MustCompile(`\s+([.,;:!?)])|\(\s*\)`)

// tidy repairs spaces and punctuation after text was removed.
func tidy(text string) string {
	text = beforeStop.ReplaceAllString(text, "$1")
	return strings.TrimLeft(clean.Line(strings.TrimRight(text, " ,;:(–—-"), maxSource), ".,;:!?)-–—•* ")
}
