package disclosure

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/registry"
)

// Bounds of minimal descriptions.
const (
	maxPurpose = 160  // characters of the purpose, with a use case
	maxMinimal = 300  // characters of the result, with warnings
	maxSource  = 4000 // bytes of the description that are examined
)

// minimal returns the description of a function for tools/list (section 3.1): its [registry.Summary], or else what
// [brief] makes of its description, or else the words of its name.
func minimal(f *registry.Function) string { return briefOf(f).text }

// A brief is a minimal description.
type brief struct {
	text  string
	more  string // the next sentence of the description; may be empty
	fixed bool   // text is a Summary
}

// briefOf makes the minimal description of a function. It is made of whole sentences of the description:
//
//   - the first one that says what the function does
//   - one that says when to use it, if there is room
//   - all warnings: that the function is deprecated, that its effects cannot be undone, what it is not for
//
// The content of the second stage is left out: code, JSON, examples, usage, and parameter names as spelled.
func briefOf(f *registry.Function) brief {
	if text := f.Summary(); text != "" {
		return brief{text: text, fixed: true}
	}
	var c choice
	t := trimmer{params: f.Params()}
	for s := range sentences(t.masked(clean.Text(clean.Beginning(f.Description(), maxSource))), f.Params()) {
		text, goesOn := t.trim(s.text)
		if says(text) && !c.take(text, s) {
			break
		}
		if !goesOn {
			s.leave()
		}
	}
	b := brief{text: joined(c.parts()...), more: c.more}
	if b.text == "" {
		b.text = clean.Cut(label.Words(f.FlatName()), maxMinimal)
	}
	return b
}

// A choice is the part of a description that is kept.
type choice struct {
	purpose  []string // up to the first sentence that says what the function does
	complete bool     // purpose has that sentence
	use      string
	warnings []string
	more     string
}

// take keeps a sentence if it is needed. It reports whether there is room for more.
func (c *choice) take(text string, s sentence) bool {
	warning := warningIn(text)
	switch {
	case !c.complete && !(s.item && len(c.purpose) > 0):
		c.purpose = append(c.purpose, shorten(text, min(maxPurpose, maxMinimal-2-length(c.purpose...))))
		c.complete = !(warning.pure || fewWords(text) || tellsUse(text)) || len(c.purpose) == maxStarts
	case s.list == avoid && s.item:
		c.warn("Not for: " + text)
	case warning.found && (!s.item || warning.pure):
		c.warn(text)
	case s.list == useful && s.item:
		c.addUse("For: ", text)
	case c.use == "" && !s.item && tellsUse(text):
		c.addUse("", text)
	case c.more == "" && !s.item:
		c.more = shorten(text, maxPurpose)
	}
	return maxMinimal-length(c.parts()...) > minWarning
}

// maxStarts is how many sentences may come before the purpose is complete, with the last one.
const maxStarts = 3

// warn keeps a warning, cut to the room that is left.
func (c *choice) warn(text string) {
	if text = shorten(text, min(maxPurpose, maxMinimal-2-length(c.parts()...))); text != "" && !slices.Contains(c.warnings, text) {
		c.warnings = append(c.warnings, text)
	}
}

// addUse keeps a use case, or one more of a list, if there is room.
func (c *choice) addUse(start, text string) {
	use := start + text
	if c.use != "" {
		if !strings.HasPrefix(c.use, "For: ") || start == "" {
			return
		}
		use = strings.TrimRight(c.use, ".") + "; " + text
	}
	if with := append(slices.Clone(c.purpose), use); length(with...) <= maxPurpose && length(append(with, c.warnings...)...) <= maxMinimal {
		c.use = use
	}
}

// parts returns the sentences that are kept.
func (c *choice) parts() []string {
	list := slices.Clone(c.purpose)
	if c.use != "" {
		list = append(list, c.use)
	}
	return append(list, c.warnings...)
}

// minWarning is the room in which a warning still says something.
const minWarning = 20

// joined joins sentences. A sentence without an end gets a full stop if another one follows.
func joined(parts ...string) string {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			last, _ := utf8.DecodeLastRuneInString(b.String())
			if unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune("`)）\"'”’", last) {
				b.WriteByte('.')
			}
			if !strings.ContainsRune(wideStops, last) {
				b.WriteByte(' ')
			}
		}
		b.WriteString(p)
	}
	return b.String()
}

// length returns the characters of sentences when joined, at most.
func length(parts ...string) int {
	n := 0
	for _, p := range parts {
		n += utf8.RuneCountInString(p) + 2
	}
	return max(n-2, 0)
}

// shorten cuts a sentence to most characters. It keeps the words of a warning and cuts no code. It returns "" if there
// is no room.
func shorten(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	w := warningIn(text)
	if most < minWarning {
		return ""
	}
	short := cutWhole(text, most)
	if !w.found || warningIn(short).found {
		return short
	}
	clause := cutWhole(strings.TrimSpace(text[clauseStart(text, w.at):]), most/2)
	if !warningIn(clause).found {
		clause = cutWhole(strings.TrimSpace(text[w.at:]), most/2)
	}
	return cutWhole(text, most-utf8.RuneCountInString(clause)-1) + " " + clause
}

// cutWhole is [clean.Cut] that cuts before a code span and not in it.
func cutWhole(text string, most int) string {
	short := clean.Cut(text, most)
	if strings.Count(short, "`")%2 == 1 {
		short = strings.TrimRight(short[:strings.LastIndexByte(short, '`')], " ") + "…"
	}
	return short
}

// says reports whether a text contains a word.
func says(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// fewWords reports whether a sentence is too short to say what a function does. In scripts that have no blanks, a few
// characters are enough.
func fewWords(text string) bool {
	return !strings.Contains(text, " ") && (utf8.RuneCountInString(text) < 4 || strings.IndexFunc(text, spaceless) < 0)
}

// spaceless reports whether the script of r is written without blanks between words.
func spaceless(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
