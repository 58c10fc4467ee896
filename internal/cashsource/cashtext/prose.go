package cashtext

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/registry"
)

// A span is a part of a text.
type span struct{ start, end int }

var (
	dottedPath = regexp.MustCompile(`^\w+(?:\.\w+)+$`)
	// ruled matches the words before the values that a parameter may have. Values are data.
	ruled = regexp.MustCompile(`\b(?:[Oo]ne of|[Aa]lways|[Ff]ormat|[Pp]attern|Default): `)
)

// prose rewrites the dotted paths of known namespaces and functions in prose, in code marks or not: inventory.check.
// Not rewritten are
//
//   - longer words: inventory.check.example.com, orders.retail.csv, https://shop.example/orders.create
//   - data: strings in quotes, objects, blocks of code, the values after "One of:", the first cells of tables
//   - what other kinds of edits are about: invocations
func (m Mount) prose(text string, invocations []span) []edit {
	if m.quiet || len(m.Known)+len(m.Functions) == 0 {
		return nil
	}
	p := proseReader{mount: m, text: text, skip: invocations}
	for start := 0; start < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
			end = start + n
		}
		p.line(start, end)
		start = end + 1
	}
	return p.edits
}

type proseReader struct {
	mount Mount
	text  string
	skip  []span // in order
	fence string // marks of the open block of code
	depth int    // open braces of the paragraph
	edits []edit
}

func (p *proseReader) line(start, end int) {
	line := p.text[start:end]
	trimmed := strings.TrimLeft(line, " \t>")
	switch mark := fenceMark(strings.TrimRight(trimmed, " \r")); {
	case p.fence != "":
		if strings.HasPrefix(mark, p.fence) {
			p.fence = ""
		}
		return
	case mark != "":
		p.fence, p.depth = mark, 0
		return
	case strings.TrimSpace(trimmed) == "":
		p.depth = 0
		return
	}
	if strings.HasPrefix(trimmed, "|") { // the first cell is a name
		_, rest, _ := strings.Cut(trimmed[1:], "|")
		start = end - len(rest)
	}
	if at := ruled.FindStringIndex(p.text[start:end]); at != nil {
		end = start + at[0]
	}
	if p.depth > 0 || strings.ContainsAny(line, ".{}") {
		p.words(start, end)
	}
}

// words reads the words of a line.
func (p *proseReader) words(i, end int) {
	for i < end {
		if len(p.skip) > 0 && i >= p.skip[0].start {
			i = max(i, p.skip[0].end)
			p.skip = p.skip[1:]
			continue
		}
		switch p.text[i] {
		case '{':
			p.depth++
		case '}':
			p.depth = max(p.depth-1, 0)
		}
		if n := delimiter(p.text[i:end]); n > 0 {
			i += n
			continue
		}
		word := i
		for i < end && delimiter(p.text[i:end]) == 0 {
			_, n := utf8.DecodeRuneInString(p.text[i:end])
			i += n
		}
		if p.depth == 0 {
			p.word(word, i)
		}
	}
}

// word rewrites a word if it is a known path. Full stops and colons after it, and the marks of emphasis around it, are
// no part of the path.
func (p *proseReader) word(start, end int) {
	before, after := p.text[:start], p.text[end:]
	word := strings.TrimRight(p.text[start:end], ".:")
	start += len(word) - len(strings.TrimLeft(word, "_"))
	word = strings.Trim(word, "_")
	switch {
	case len(word) > maxPath || strings.IndexByte(word, '.') < 0 || !dottedPath.MatchString(word):
	case strings.HasSuffix(before, `"`), strings.HasSuffix(before, "'"), strings.HasSuffix(before, "](") || strings.HasPrefix(after, "["):
	case p.mount.names(word):
		if e, ok := p.mount.move(p.text, start, start+len(word)); ok && e.text != "" {
			p.edits = append(p.edits, e)
		}
	}
}

// names reports whether a path is that of a namespace or a function of the server.
func (m Mount) names(path string) bool {
	c, ok := registry.CanonicalPath(path)
	return ok && (m.Known[c] || m.Functions[c])
}

// delimiter returns the length of the character at the start of text if it separates words, else 0.
func delimiter(text string) int {
	if c := text[0]; c < utf8.RuneSelf {
		if strings.IndexByte(" \t\r\n()[]{}\"'`|,;!?*", c) >= 0 {
			return 1
		}
		return 0
	}
	if r, n := utf8.DecodeRuneInString(text); unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsSymbol(r) && r != utf8.RuneError {
		return n
	}
	return 0
}
