package cashtext

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/cash-mcp/go-sdk/registry"
)

// A page without a list may still have entries: one heading or line each.

// relaxed turns the possible entries of such a page into bullets.
func relaxed(lines []line) []line {
	r := relaxer{level: entryLevel(lines), lines: make([]line, 0, len(lines))}
	for _, l := range lines {
		r.line(l)
	}
	return r.lines
}

type relaxer struct {
	lines     []line
	level     int  // level of the headings that are entries; 0 if none
	entry     bool // the last line is an entry that lacks a description
	announced bool // a heading has announced entries
}

func (r *relaxer) line(l line) {
	switch {
	case l.kind == headingLine && l.level == r.level && isEntryName(l.text):
		l.text = entryName.ReplaceAllString(l.text, "**$1**")
		r.add(l, true)
		return
	case l.kind == headingLine:
		r.announced = isAnnouncement(l.text)
	case l.kind == blankLine && r.entry:
		return
	case l.kind == proseLine && !r.entry && isAnnouncement(l.text):
		l.kind, l.level, r.announced = headingLine, maxLevel, true
	case (l.kind == proseLine || l.kind == codeLine) && !r.entry:
		if text, open, ok := r.entryLine(l.text); ok {
			l.text = text
			r.add(l, open)
			return
		}
	case l.kind == proseLine:
		l.text = strings.TrimPrefix(l.text, ": ") // in a definition list
	}
	r.entry = false
	r.lines = append(r.lines, l)
}

func (r *relaxer) add(l line, open bool) {
	l.kind, l.level, r.entry = bulletLine, 0, open
	r.lines = append(r.lines, l)
}

// entryLevel returns the level of the headings that are names: the most frequent, and of several the deepest. It is
// 0 if there are none below the title.
func entryLevel(lines []line) int {
	var count [maxLevel + 1]int
	for _, l := range lines {
		if l.kind == headingLine && isEntryName(l.text) {
			count[l.level]++
		}
	}
	best := 0
	for level, n := range count {
		if n > 0 && n >= count[best] {
			best = level
		}
	}
	if best == 1 && count[1] == 1 {
		return 0
	}
	return best
}

var (
	entryName = regexp.MustCompile("^[*`]*([\\w.-]+)[*`]*$")
	// notEntry matches words that begin lines of CaSH servers but are no entries.
	notEntry = regexp.MustCompile(`(?i)^(?:errors?|gated|note|notes|warning|important|hint|hints|tip|tips|usage|example|examples|overview|introduction|description|about|returns?|see|skills?|quick_?start|getting_?started|welcome|available|supported|formats?)$`)
	// columned matches a name and a description with a gap between them.
	columned = regexp.MustCompile(`^([\w.-]+)(?: {2,}|\t)[ \t]*(\S.*)$`)
)

func isEntryName(text string) bool {
	m := entryName.FindStringSubmatch(text)
	return m != nil && !isNoEntry(m[1])
}

func isNoEntry(name string) bool { return notEntry.MatchString(name) || sectionWord.MatchString(name) }

// isAnnouncement reports whether a line only introduces what follows it.
func isAnnouncement(text string) bool {
	const most = 60
	head := strings.TrimSuffix(text, ":")
	if len(text) > most || len(strings.Fields(head)) > 4 || strings.ContainsAny(head, ":.`—–(") {
		return false
	}
	s := sectionOf(head)
	return s == namespaces || s == functions || strings.Contains(strings.ToLower(head), "skill")
}

// entryLine returns the text of an entry line, as for a bullet, and whether its description may follow on the next
// line. A name that is not set off counts only after an announcement.
func (r *relaxer) entryLine(text string) (entry string, open, ok bool) {
	if e, ok := parseKeyed(withoutSymbols(text)); ok {
		return text, strings.Join(e.lines, "") == "", true
	}
	if r.announced {
		text = columned.ReplaceAllString(text, "$1 — $2")
	}
	e, ok := parseItem(text)
	if !ok || isNoEntry(e.name) || !e.marked && !r.announced || strings.Join(e.lines, "") == "" {
		return "", false, false
	}
	return text, false, true
}

// withoutSymbols cuts decoration from the beginning of an entry.
func withoutSymbols(text string) string {
	rest := strings.TrimLeftFunc(text, func(r rune) bool {
		return unicode.Is(unicode.So, r) || r == '\u200d' || r == '\ufe0f' || r >= 0x1f000 && r < 0x20000
	})
	if rest == text {
		return text
	}
	return strings.TrimLeft(rest, " \t")
}

var (
	keyed   = regexp.MustCompile("^(?i:[*`_]*((?:sub-?)?namespace|function|skill)[*`_]*|name|skillname)[ \\t]*[:=][*`_]*[ \\t]+[\"']?(\\S.*)$")
	invoked = regexp.MustCompile("^[*`]*(help|call|skill)\\(([^()]*)\\)[*`]*(.*)$")
	// nameArguments match the arguments that name things, the namespace last.
	nameArguments = []*regexp.Regexp{
		regexp.MustCompile(`\b(?:function|skill_?name|name)["']?\s*[:=]\s*["']([\w.-]+)["']`),
		regexp.MustCompile(`(?:\bnamespace["']?\s*[:=]\s*|^\s*)["']([\w.-]+)["']`),
	}
)

// parseKeyed reads entries such as "namespace: orders — Orders." and `help(namespace="orders")` — Orders.
func parseKeyed(text string) (item, bool) {
	if m := invoked.FindStringSubmatch(text); m != nil {
		for i, pattern := range nameArguments {
			name := pattern.FindStringSubmatch(m[2])
			if name == nil {
				continue
			}
			e := item{name: name[1], marked: true}
			switch {
			case m[1] == "help" && i == 1:
				e.section = namespaces
			case m[1] != "skill" && i == 0:
				e.section = functions
			}
			rest, _ := cutSeparator(m[3])
			e.add(rest)
			return e, true
		}
		return item{}, false
	}
	m := keyed.FindStringSubmatch(text)
	if m == nil {
		return item{}, false
	}
	e, ok := parseNamed(m[2])
	e.name = strings.Trim(e.name, `"'`)
	if _, label := registry.CanonicalPath(strings.ReplaceAll(e.name, "-", "")); !ok || !label {
		return item{}, false
	}
	e.marked = true
	switch key := strings.ToLower(m[1]); {
	case strings.HasSuffix(key, "namespace"):
		e.section = namespaces
	case key == "function":
		e.section = functions
	}
	return e, true
}
