package cashtext

import (
	"fmt"
	"regexp"
	"strings"
)

// A Page is what help() or help(namespace=...) lists (RFC 4.2).
type Page struct {
	// Namespace is what the page says it is about; empty if it says nothing, as
	// the root does. A page of markdown says so with a first heading that is a path:
	// a title of a single word reads the same.
	Namespace string
	// Namespaces and Functions are what is in it, in the order of the page. Of
	// names that are the same in canonical form the first counts.
	Namespaces, Functions []Entry
	// SizeLimit is the threshold of the gate in characters (RFC 7.3); 0 if the
	// page does not say.
	SizeLimit int
	// Arguments is what the page says of the keyword arguments of help: the line,
	// or the JSON. Clean, as written.
	Arguments string
	// Rest is the prose and the code of a page of markdown: what is not in a
	// heading, a list, Arguments, or the line about the size limit. Clean.
	Rest string
	// Dropped are names that are none, or that were there before: at most 16, each
	// clean and cut.
	Dropped []string
	// Guessed says that nothing tells namespaces from functions.
	Guessed bool
}

// ParseHelp reads the page of help() or help(namespace=...), in JSON or in
// markdown: lists and tables below headings that say what they list; on a page
// without a list, headings and lines that begin with a name. What is
// listed without such a heading is a function where its name has parentheses,
// or where the page is about a namespace, and else a namespace. It refuses
// pages of more than 1 MiB or 10,000 entries, JSON that is not strict, and JSON
// that has no lists.
func ParseHelp(text string) (*Page, error) {
	page, err := parseHelp(text)
	if err != nil {
		return nil, fmt.Errorf("reading a page of help: %w", err)
	}
	return page, nil
}

func parseHelp(text string) (*Page, error) {
	if err := checkSize(text); err != nil {
		return nil, err
	}
	if isJSON(text) {
		return helpJSON(text)
	}
	return helpMarkdown(text)
}

// take puts the entries into the page.
func (p *Page) take(namespaces, functions []item) error {
	if n := len(namespaces) + len(functions); n > maxEntries {
		return tooMany(n)
	}
	p.Namespaces = p.entries(namespaces)
	p.Functions = p.entries(functions)
	return nil
}

func (p *Page) entries(items []item) []Entry {
	l := entries{dropped: &p.Dropped}
	l.addAll(items, p.Namespace)
	return l.list
}

var refusal = regexp.MustCompile(`(?i)^\W*(?:error\b|(?:no|no such|unknown|invalid) (?:namespace|function)\b|(?:namespace|function)\b.{0,160}\b(?:not found|does not exist|unknown|is not available)\b)`)

// IsRefusal reports whether a text in place of a page says that there is none,
// as servers do that do not mark their errors.
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

// IsGated reports whether a text is what a server says in place of a response
// that is too large (RFC 7.2): that it was gated, and which size limit would let
// it through. It looks at the text as a whole: callers bound it.
func IsGated(text string) bool {
	return strings.HasPrefix(text, "**Gated:**") || gated.MatchString(text) && sizeLimit.MatchString(text)
}
