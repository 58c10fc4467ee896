package cashtext

import (
	"regexp"
	"strings"
)

// A Page is the content of help() or help(namespace=...) (RFC 4.2).
type Page struct {
	// Namespace is the page's own subject; empty if it gives none, as at the root. In markdown only a first heading
	// that is a path counts: a one-word title looks the same.
	Namespace string
	// Namespaces and Functions are the entries, in the order of the page. Of names that are equal in canonical
	// form, the first counts.
	Namespaces, Functions []Entry
	// SizeLimit is the gate's threshold in characters (RFC 7.3); 0 if the page gives none.
	SizeLimit int
	// Arguments is the page's text about the keyword arguments of help: a line or JSON. Clean, otherwise unchanged.
	Arguments string
	// Rest is the prose and code of a markdown page: everything outside headings, lists, Arguments and the line
	// about the size limit. Clean.
	Rest string
	// Dropped are invalid and repeated names: at most 16, each clean and cut.
	Dropped []string
	// Next is the offset of the page with the entries that follow; 0 if the page names none.
	Next int
	// Guessed says that nothing distinguishes namespaces from functions.
	Guessed bool
}

// ParseHelp reads the page of help() or help(namespace=...), in JSON or in
// markdown: lists and tables below headings that say what they list; on a page
// without a list, headings and lines that begin with a name. What is
// listed without such a heading is a function where its name has parentheses,
// or where the page is about a namespace, and else a namespace. It refuses
// pages of more than 1 MiB or 10,000 entries, JSON that is not strict, and JSON
// that has no lists.
func ParseHelp(text string) (*Page, error) { return readPage("a page of help", text, parseHelp) }

func parseHelp(text string) (*Page, error) {
	if isJSON(text) {
		return helpJSON(text)
	}
	return helpMarkdown(text)
}

// take adds the entries to the page.
func (p *Page) take(namespaces, functions []item) error {
	if n := len(namespaces) + len(functions); n > maxEntries {
		return tooMany(n)
	}
	p.Namespaces = p.entries(namespaces)
	p.Functions = p.entries(functions)
	return nil
}

func (p *Page) entries(items []item) []Entry {
	l := entries{seen: make(map[string]bool), dropped: &p.Dropped}
	l.addAll(items, p.Namespace)
	return l.list
}

var refusal = regexp.MustCompile(`(?i)^\W*(?:error\b|(?:no|no such|unknown|invalid) (?:namespace|function)\b|(?:namespace|function)\b.{0,160}\b(?:not found|does not exist|unknown|is not available)\b)`)

// IsRefusal reports whether a text, in place of a page, says that the thing does not exist. Some servers do not
// mark their errors.
func IsRefusal(text string) bool {
	if isJSON(text) {
		object, err := readObject(text, "")
		return err == nil && object["error"] != nil && !hasLists(object) && object["parameters"] == nil
	}
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return !strings.HasPrefix(first, "#") && refusal.MatchString(first[:min(len(first), maxDescription)])
}

var (
	gated     = regexp.MustCompile(`(?i)\b(?:gated|withheld|suppressed)\b`)
	sizeLimit = regexp.MustCompile("(?i)size_?limit[\"']?`?\\s*(?:=|:|to|of)\\s*`?[\"']?\\d")
)

// IsGated reports whether a text is a gate's notice (RFC 7.2): the response was too large, and a size limit that
// would let it through. It scans the whole text: callers bound it.
func IsGated(text string) bool {
	return strings.HasPrefix(text, "**Gated:**") || gated.MatchString(text) && sizeLimit.MatchString(text)
}
