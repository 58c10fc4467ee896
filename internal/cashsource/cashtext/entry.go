package cashtext

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// Bounds of what is parsed.
const (
	maxPage        = 1 << 20 // bytes
	maxEntries     = 10_000
	maxDescription = 1000 // characters
	maxName        = 128  // bytes
	maxDropped     = 16
)

// An Entry is a name in a list, with what stands beside it.
type Entry struct {
	// Name is a label, as it is spelt.
	Name string
	// Description is one clean line of at most 1,000 characters; may be empty.
	Description string
	// Unavailable says that it is there, but does not answer at the moment
	// (available: false, RFC 5.4.2).
	Unavailable bool
}

// An item is an entry as it was found, whatever its name is.
type item struct {
	name   string
	lines  []string // of its description
	size   int      // of lines
	marked bool     // the name is set off from the text
	call   bool     // and has parentheses, as a function has
	is     section  // what it says that it is, if it does
	data   bool     // it is from JSON, where lines are a description and nothing else

	unavailable bool   // said elsewhere than in lines
	within      string // the path of its namespace, likewise
	heading     string // that a skill stands below, if it may be such a path
}

var notAvailable = regexp.MustCompile("(?i)[\\s([*`]*\\bavailable[\"'`]?\\s*[:=]\\s*[*`]*false\\b[)\\]*`.]*$")

// parseItem reads "**name** — description" and its relatives.
func parseItem(text string) (item, bool) {
	text = withoutSymbols(text)
	if e, ok := parseKeyed(text); ok {
		return e, true
	}
	return parseNamed(text)
}

// parseNamed reads what begins with the name. One that is not set off needs a
// separator behind it, or else the text is prose.
func parseNamed(text string) (item, bool) {
	marks := len(text) - len(strings.TrimLeft(text, "*`["))
	e := item{marked: marks > 0}
	rest := text[marks:]
	end := strings.IndexAny(rest, " \t:(—–")
	if e.marked {
		end = strings.IndexAny(rest, "*`]")
	}
	if end < 0 {
		end = len(rest)
	}
	e.name, rest = rest[:end], rest[end:]
	if e.marked {
		rest = afterMarks(text[:marks], rest)
	}
	separated := rest == "" && !strings.HasSuffix(e.name, ".")
	if name, found := strings.CutSuffix(e.name, ":"); found {
		e.name, separated = name, true
	}
	if name, _, found := strings.Cut(e.name, "("); found {
		e.name, e.call = name, true
	} else if strings.HasPrefix(rest, "(") {
		_, after, closed := strings.Cut(rest, ")")
		if !closed {
			return item{}, false
		}
		e.call, rest = true, after
		separated = separated || rest == ""
	}
	rest, cut := cutSeparator(rest)
	if e.name == "" || !e.marked && !separated && !cut {
		return item{}, false
	}
	e.add(rest)
	return e, true
}

// afterMarks cuts the closing marks of a name, and the address of a link.
func afterMarks(opening, rest string) string {
	link := strings.Contains(opening, "[")
	for rest != "" && strings.IndexByte("*`]", rest[0]) >= 0 {
		isLink := link && strings.HasPrefix(rest, "](")
		rest = rest[1:]
		if !isLink {
			continue
		}
		if _, after, closed := strings.Cut(rest, ")"); closed {
			rest = after
		}
	}
	return rest
}

// cutSeparator cuts what stands between a name and its description.
func cutSeparator(text string) (string, bool) {
	rest := strings.TrimLeft(text, " \t")
	for _, s := range []string{"—", "–", "--", "->", "→"} {
		if after, found := strings.CutPrefix(rest, s); found {
			return strings.TrimSpace(after), true
		}
	}
	if rest != "" && (rest[0] == ':' || rest[0] == '-') && (len(rest) == 1 || rest[1] == ' ' || rest[1] == '\t') {
		return strings.TrimSpace(rest[1:]), true
	}
	return rest, false
}

// add adds a line to what is said of the entry. Of long texts only the beginning
// is shown.
func (e *item) add(text string) {
	if e.size < 8*maxDescription {
		e.lines = append(e.lines, text)
		e.size += len(text) + 1
	}
}

func (e *item) entry() Entry {
	text := e.text()
	if e.data {
		return Entry{e.name, description(text), e.unavailable}
	}
	at := notAvailable.FindStringIndex(text)
	if at != nil {
		text = text[:at[0]]
	}
	return Entry{e.name, description(text), at != nil}
}

// text returns what is said of the entry. Below a name that stands alone it may
// have a key.
func (e *item) text() string {
	if len(e.lines) < 2 || e.lines[0] != "" {
		return strings.Join(e.lines, " ")
	}
	return strings.TrimPrefix(strings.Join(e.lines[1:], " "), "description: ")
}

// description returns text as one clean line.
func description(text string) string {
	return clean.Cut(clean.Flow(text), maxDescription)
}

// entries are the items of a list that have names, each once, and those that
// have none.
type entries struct {
	list    []Entry
	seen    map[string]bool
	dropped *[]string
}

// addAll adds the items of a list in the namespace at path, by which their names
// may begin. Where some names are set off, others are prose.
func (l *entries) addAll(items []item, path string) {
	marked := false
	for _, e := range items {
		marked = marked || e.marked
	}
	for _, e := range items {
		if marked && !e.marked {
			continue
		}
		if rest, ok := cutPath(e.name, path); ok && path != "" && rest != "" {
			e.name = rest
		}
		l.add(e)
	}
}

// add takes what has a label for a name.
func (l *entries) add(e item) {
	c, ok := canonicalLabel(e.name)
	if !ok || len(e.name) > maxName || l.seen[c] {
		drop(l.dropped, e.name)
		return
	}
	if l.seen == nil {
		l.seen = make(map[string]bool)
	}
	l.seen[c] = true
	l.list = append(l.list, e.entry())
}

// drop notes a name that could not be taken.
func drop(dropped *[]string, name string) {
	if len(*dropped) < maxDropped {
		*dropped = append(*dropped, clean.Line(name, 64))
	}
}

func checkSize(text string) error {
	if len(text) > maxPage {
		return fmt.Errorf("the text has %d bytes; at most %d are read", len(text), maxPage)
	}
	return nil
}

func tooMany(n int) error {
	return fmt.Errorf("%d entries; at most %d are read", n, maxEntries)
}
