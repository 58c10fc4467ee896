package cashtext

import (
	"regexp"
	"strings"
)

// An item is one element of a list, read into its parts. ParseHelp and ParseSkills make items from the lines, the table
// rows and the JSON members of a page; those whose names are valid become entries (entry.go) or skills. In markdown:
//
//   - **create()** — Create an order. (available: false)
//
// has the name create, which is marked and has parentheses, and one line of description.
type item struct {
	name    string  // create
	marked  bool    // the name is set off: **create**, `create`, [create](#create), a table cell, or keyed
	parens  bool    // parentheses follow the name: create() or create(id)
	section section // functions for "function: create", namespaces for help(namespace="orders"); mostly undecided

	lines []string // of the description: "Create an order. (available: false)"
	size  int      // bytes of lines

	// These are for JSON, where lines hold the description only.
	fromJSON    bool   // the item is a JSON member or element
	unavailable bool   // "available": false
	namespace   string // of a skill: orders, from {"namespace": "orders", "name": "refunds"}

	underHeading string // path in the heading above a skill: orders, from "## orders"
}

// parseItem reads the text of an item without its bullet, in one of these forms:
//
//	**create** — Create an order.
//	`create(id)`: Create an order.
//	function: create - Create an order.          see parseKeyed
//	call(function="create") — Create an order.   see parseKeyed
//
// It reports false for prose.
func parseItem(text string) (item, bool) {
	text = withoutSymbols(text)
	if it, ok := parseKeyed(text); ok {
		return it, true
	}
	return parseNamed(text)
}

// parseNamed reads a text that begins with the name: "**create** Create an order.", "create: Create an order." or
// "create". A name that is not set off needs a separator after it, or nothing; otherwise the text is prose, such as
// "create orders with this".
func parseNamed(text string) (item, bool) {
	marks := len(text) - len(strings.TrimLeft(text, "*`["))
	it := item{marked: marks > 0}
	rest := text[marks:]
	end := strings.IndexAny(rest, " \t:(—–")
	if it.marked {
		end = strings.IndexAny(rest, "*`]")
	}
	if end < 0 {
		end = len(rest)
	}
	it.name, rest = rest[:end], rest[end:]
	if it.marked {
		rest = afterMarks(text[:marks], rest)
	}
	separated := rest == "" && !strings.HasSuffix(it.name, ".")
	if name, found := strings.CutSuffix(it.name, ":"); found {
		it.name, separated = name, true
	}
	if name, _, found := strings.Cut(it.name, "("); found {
		it.name, it.parens = name, true
	} else if strings.HasPrefix(rest, "(") {
		_, after, closed := strings.Cut(rest, ")")
		if !closed {
			return item{}, false
		}
		it.parens, rest = true, after
		separated = separated || rest == ""
	}
	rest, cut := cutSeparator(rest)
	if it.name == "" || !it.marked && !separated && !cut {
		return item{}, false
	}
	it.add(rest)
	return it, true
}

// afterMarks cuts the closing marks after a name, and the address of a link. If the opening marks were "**[",
// "](#create)** — Create an order." becomes " — Create an order."
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

// cutSeparator cuts the separator between name and description: " — Create an order." becomes "Create an order." It
// reports whether there was one.
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

// add adds a line to the description. Of a long text it keeps the beginning, which is enough for description to cut.
func (it *item) add(text string) {
	if it.size < 8*maxDescription {
		it.lines = append(it.lines, text)
		it.size += len(text) + 1
	}
}

// notAvailable matches the end of a description that says so: " (available: false)", " `available=false`".
var notAvailable = regexp.MustCompile("(?i)[\\s([*`]*\\bavailable[\"'`]?\\s*[:=]\\s*[*`]*false\\b[)\\]*`.]*$")

// entry returns the item as an entry. It moves "(available: false)" from the description to Unavailable.
func (it *item) entry() Entry {
	text := it.text()
	if it.fromJSON {
		return Entry{it.name, description(text), it.unavailable}
	}
	at := notAvailable.FindStringIndex(text)
	if at != nil {
		text = text[:at[0]]
	}
	return Entry{it.name, description(text), at != nil}
}

// text returns the description as one text. If the name has a line of its own, the next one may begin with a key:
// "description: Create an order."
func (it *item) text() string {
	if len(it.lines) < 2 || it.lines[0] != "" {
		return strings.Join(it.lines, " ")
	}
	return strings.TrimPrefix(strings.Join(it.lines[1:], " "), "description: ")
}
