package cash

import (
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// This file has the pages of help in Markdown, as in the RFC's examples (4.2, 8).

const helpArguments = "Supported arguments: `format` (json|markdown), `examples` (true|false), `params` (full), " +
	"`search` (what you need, in words)."

func indexMarkdown(l *registry.Listing, sizelimit int) string {
	var b strings.Builder
	namespaces, functions := namespaceEntries(l), functionEntries(l)
	switch {
	case len(namespaces) > 0:
		b.WriteString("# Available Namespaces\n\n")
		writeEntries(&b, namespaces)
		writeSection(&b, "Functions", functions)
	case len(functions) > 0:
		b.WriteString("# Available Functions\n")
		writeSection(&b, "Functions", functions)
	default:
		b.WriteString("# Available Namespaces\n\nNone.\n")
	}
	if sizelimit > 0 {
		fmt.Fprintf(&b, "\nResults of more than %d characters are withheld unless `sizelimit` allows them.\n", sizelimit)
	}
	b.WriteString("\n" + helpArguments)
	for _, a := range furtherArguments(l) {
		b.WriteString(" In `" + a.Namespace + "` also: `" + strings.Join(a.Names, "`, `") + "`.")
	}
	return b.String()
}

func namespaceMarkdown(l *registry.Listing) string {
	var b strings.Builder
	b.WriteString("# " + l.Namespace + "\n")
	if l.Unavailable != nil {
		b.WriteString("\nNot available at the moment (available: false). " + flow(l.Unavailable.Error()) + "\n")
	}
	writeSection(&b, "Sub-namespaces", namespaceEntries(l))
	writeSection(&b, "Functions", functionEntries(l))
	writeText(&b, flow(l.Note))
	return strings.TrimSuffix(b.String(), "\n")
}

func writeSection(b *strings.Builder, title string, list []entry) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\n## " + title + "\n\n")
	writeEntries(b, list)
}

func writeEntries(b *strings.Builder, list []entry) {
	for _, e := range list {
		b.WriteString("- **" + e.Name + "**")
		if e.Description != "" {
			b.WriteString(" — " + e.Description)
		}
		if e.Available != nil {
			b.WriteString(" (available: false)")
		}
		b.WriteString("\n")
	}
}

func functionMarkdown(f *registry.Function, o helpOptions) string {
	var b strings.Builder
	b.WriteString("# " + f.Path() + "\n")
	writeText(&b, strings.TrimSpace(cleanText(f.Description())))
	writeText(&b, safety(f))
	params, hidden := shownParams(f, o)
	switch {
	case len(params) > 0:
		b.WriteString("\n## Parameters\n\n| Name | Type | Required | Description |\n|------|------|----------|-------------|\n")
		for _, p := range params {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell(p.Name), cell(p.Type), yesNo(p.Required), cell(p.Description))
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
		writeText(&b, strings.TrimSpace(cleanText(r)))
	}
	if hidden {
		b.WriteString("\nAdditional parameters available with `params=\"full\"`.\n")
	}
	if example := exampleCall(f, o); o.examples && example != "" {
		b.WriteString("\n## Example\n\n`" + example + "`\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
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
