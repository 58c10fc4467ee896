package cash

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

// This file has the pages of help in Markdown, as in the RFC's examples (4.2, 8).

const helpArguments = "Supported arguments: `format` (json|markdown), `examples` (true|false), `params` (full), " +
	"`search` (what you need, in words), `offset` and `limit` (entries of a long list)."

func (s *Server) indexMarkdown(l *registry.Listing, o helpOptions) string {
	end := "\n" + helpArguments
	for _, a := range furtherArguments(l, s.budget()/5) {
		end += " In `" + a.Namespace + "` also: `" + strings.Join(a.Names, "`, `") + "`."
	}
	if n := s.advertised(); n > 0 {
		end = fmt.Sprintf("\nResults of more than %d characters are withheld unless `sizelimit` allows them.\n", n) + end
	}
	p := s.newListPage("", end)
	p.list(l, o, "# Available Namespaces\n\n", "# Available Functions\n\n")
	if p.b.Len() == 0 {
		p.write("# Available Namespaces\n\nNone.\n")
	}
	return strings.TrimPrefix(p.b.String(), "\n") + end
}

func (s *Server) namespaceMarkdown(l *registry.Listing, o helpOptions) string {
	p := s.newListPage(l.Namespace, flow(l.Note))
	p.write("# " + l.Namespace + "\n")
	if l.Unavailable != nil {
		p.write("\nNot available at the moment (available: false). " + flow(l.Unavailable.Error()) + "\n")
	}
	p.list(l, o, "\n## Sub-namespaces\n\n", "\n## Functions\n\n")
	writeText(&p.b, flow(l.Note))
	return strings.TrimSuffix(p.b.String(), "\n")
}

// list adds what l lists, as far as the request and the budget allow, and how to go on.
func (p *listPage) list(l *registry.Listing, o helpOptions, ofNamespaces, ofFunctions string) {
	w := o.window
	// An entry takes at least 8 characters.
	namespaces, functions, all := entriesOf(l, w.offset, min(w.most(), max(p.room/8, 1)))
	p.room -= len(ofNamespaces + ofFunctions)
	p.reserve(all+len(l.Functions), namespaces, functions)
	if n := p.section(ofNamespaces, namespaces, true); n == len(namespaces) {
		if n > 0 && l.Namespace == "" { // a page at the root begins with the title of its first list
			ofFunctions = "\n## Functions\n\n"
		}
		p.section(ofFunctions, functions, false)
	}
	what := counted(all, "namespace") + ", " + counted(len(l.Functions), "function")
	all += len(l.Functions)
	shown := p.shown(w, all, what)
	if shown == "" {
		return
	}
	p.b.WriteString("\n" + shown)
	if next := w.offset + p.listed; next < all && p.listed > 0 {
		p.b.WriteString(" Search with `" + searchCall(l.Namespace) + "`, or go on with `" + withArgument(helpCall(l.Namespace, ""), w.next(next)) + "`.")
	}
	p.b.WriteString("\n")
}

// line returns the line of an entry in a list.
func (e entry) line() string {
	dash, state := "", ""
	if e.Description != "" {
		dash = " — "
	}
	if e.Available != nil {
		state = " (available: false)"
	}
	return "- **" + e.Name + "**" + dash + e.Description + state + "\n"
}

// width returns the characters of the line.
func (e entry) width() int {
	n := len("- ****\n") + utf8.RuneCountInString(e.Name)
	if e.Description != "" {
		n += utf8.RuneCountInString(" — ") + utf8.RuneCountInString(e.Description)
	}
	if e.Available != nil {
		n += len(" (available: false)")
	}
	return n
}

// functionMarkdown returns the page of a function. If it is too long, texts are cut, and the parameters that it shows
// begin with the required ones.
func (s *Server) functionMarkdown(f *registry.Function, o helpOptions) string {
	params, hidden := shownParams(f, o)
	page := functionText(f, o, params, hidden, cleanText)
	if utf8.RuneCountInString(page) <= s.budget() {
		return page
	}
	brief := func(text string) string { return clean.Cut(cleanText(text), s.budget()/5) }
	rows := slices.Clone(params)
	slices.SortStableFunc(rows, func(a, b param) int { return order(b.Required) - order(a.Required) })
	for i := range rows {
		rows[i].Name, rows[i].Type = clean.Cut(rows[i].Name, maxLine), clean.Cut(rows[i].Type, maxLine)
		rows[i].Description = clean.Cut(rows[i].Description, maxLine)
	}
	more := allOf(f, o)
	o.examples = o.examples && len(params) <= maxExample
	room := s.budget() - utf8.RuneCountInString(functionText(f, o, nil, hidden, brief)) - len(more) - roomToGoOn
	n := 0
	for n < len(rows) && room > 0 {
		if room -= utf8.RuneCountInString(row(rows[n])); room > 0 || n == 0 {
			n++
		}
	}
	page = functionText(f, o, rows[:n], hidden, brief)
	if n < len(rows) {
		more = fmt.Sprintf("%d of %d parameters are shown. ", n, len(rows)) + more
	}
	return s.beginning(page+"\n\n"+more, more)
}

// maxExample is the most parameters of a function whose page is too long and yet has an example.
const maxExample = 20

func order(first bool) int {
	if first {
		return 1
	}
	return 0
}

// functionText returns the page of a function with the given parameters. text prepares the longer texts.
func functionText(f *registry.Function, o helpOptions, params []param, hidden bool, text func(string) string) string {
	var b strings.Builder
	b.WriteString("# " + f.Path() + "\n")
	writeText(&b, clean.WithoutHeading(text(f.Description())))
	writeText(&b, safety(f))
	switch {
	case len(params) > 0:
		b.WriteString("\n## Parameters\n\n| Name | Type | Required | Description |\n|------|------|----------|-------------|\n")
		for _, p := range params {
			b.WriteString(row(p))
		}
	case f.Open():
		b.WriteString("\nTakes any arguments; none are declared.\n")
	case !hidden:
		b.WriteString("\nNo parameters.\n")
	}
	if f.Open() && len(params) > 0 {
		b.WriteString("\nOther arguments are accepted too.\n")
	}
	if r := f.Returns(); r != "" {
		b.WriteString("\n## Returns\n")
		writeText(&b, strings.TrimSpace(text(r)))
	}
	if hidden {
		b.WriteString("\nAdditional parameters available with `params=\"full\"`.\n")
	}
	if example := exampleCall(f, o); o.examples && example != "" {
		b.WriteString("\n## Example\n\n`" + example + "`\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func row(p param) string {
	return fmt.Sprintf("| %s | %s | %s | %s |\n", cell(p.Name), cell(p.Type), yesNo(p.Required), cell(p.Description))
}

func writeText(b *strings.Builder, text string) {
	if text != "" {
		b.WriteString("\n" + text + "\n")
	}
}

func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

// safety returns one line with the declared effects of a call.
func safety(f *registry.Function) string {
	switch {
	case f.ReadOnly():
		return "Read-only."
	case f.Destructive() && f.Idempotent():
		return "Destructive; safe to repeat."
	case f.Destructive():
		return "Destructive."
	case f.Idempotent():
		return "Safe to repeat."
	}
	return ""
}
