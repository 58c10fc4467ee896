package cashtext

import (
	"regexp"
	"strings"
)

// An item is an entry before its name is checked.
type item struct {
	name   string
	lines  []string // of its description
	size   int      // of lines
	marked bool     // the name is set off from the text, as by bold
	call   bool     // parentheses follow the name, as for a function
	is     section  // what the item itself says it is, if it does
	data   bool     // from JSON: lines hold the description only

	unavailable bool   // said outside of lines
	within      string // path of its namespace, said outside of lines
	heading     string // the heading above a skill, if it may be a path
}

var notAvailable = regexp.MustCompile("(?i)[\\s([*`]*\\bavailable[\"'`]?\\s*[:=]\\s*[*`]*false\\b[)\\]*`.]*$")

// parseItem reads "**name** — description" and similar forms.
func parseItem(text string) (item, bool) {
	text = withoutSymbols(text)
	if e, ok := parseKeyed(text); ok {
		return e, true
	}
	return parseNamed(text)
}

// parseNamed reads a text that begins with the name. A name that is not set off needs a separator after it;
// otherwise the text is prose.
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

// afterMarks cuts the closing marks after a name, and the address of a link.
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

// cutSeparator cuts the separator between name and description.
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

// add adds a line to the description. Only the beginning of a long text is kept.
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

// text returns the description. Below a name on a line of its own it may begin with a key.
func (e *item) text() string {
	if len(e.lines) < 2 || e.lines[0] != "" {
		return strings.Join(e.lines, " ")
	}
	return strings.TrimPrefix(strings.Join(e.lines[1:], " "), "description: ")
}
