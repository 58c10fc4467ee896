package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/toolid"
)

// identify gives ids to the entries. It reports entries without an id, and ids that were made to fit.
func (b *batch) identify() {
	if b.kind.kind == toolid.Tool {
		b.identifyTools()
		return
	}
	b.dropRepeated()
	taken := make(map[toolid.Primitive]bool, len(b.entries))
	next := make(map[toolid.ID]int) // the next number for each id
	for i := range b.entries {
		e := &b.entries[i]
		first, exact := e.primitive(b.kind.kind, 1)
		id := first
		if taken[id] { // because of a forged hash
			stem := toolid.ID{Namespace: id.Namespace, Name: stem(id.Name)}
			n := max(next[stem], 2)
			for ; taken[id]; n++ {
				id, _ = e.primitive(b.kind.kind, n)
			}
			next[stem] = n
		}
		taken[id] = true
		e.id = id
		if !exact || id != first {
			b.find(e.definition, e.line, Mapped, fmt.Errorf("its id is %s", id))
		}
	}
}

func (b *batch) identifyTools() {
	defs := make([]toolid.Definition, len(b.entries))
	for i, e := range b.entries {
		defs[i] = toolid.Definition{Name: e.name, InputSchema: e.input, Version: e.facts.Version, Server: e.server}
	}
	ids, _ := toolid.FromTools(defs, toolid.Mapping) // only Strict returns an error
	ids = b.stated(ids)
	for i, id := range ids {
		e := &b.entries[i]
		switch id.Status {
		case toolid.Kept:
			e.id = toolid.Primitive{Kind: toolid.Tool, ID: id.ID}
		case toolid.Mapped:
			e.id = toolid.Primitive{Kind: toolid.Tool, ID: id.ID}
			b.find(e.definition, e.line, Mapped, fmt.Errorf("its id is %s: %w", id.ID, reason(id.Problem)))
		case toolid.Duplicate:
			b.find(e.definition, e.line, Duplicate, reason(id.Problem))
		default:
			b.find(e.definition, e.line, Refused, reason(id.Problem))
		}
	}
}

// stated puts the ids that tools state in place of those of their names. A stated id that another tool has is refused.
func (b *batch) stated(ids []toolid.Entry) []toolid.Entry {
	count := make(map[toolid.ID]int)
	for i, e := range b.entries {
		if id := &ids[i]; e.definition.id != (toolid.ID{}) && id.Status != toolid.Duplicate {
			*id = toolid.Entry{Name: e.name, ID: e.definition.id, Status: toolid.Kept}
		}
		count[ids[i].ID]++
	}
	for i, e := range b.entries {
		if id := &ids[i]; e.definition.id != (toolid.ID{}) && count[id.ID] > 1 && id.Status == toolid.Kept {
			*id = toolid.Entry{Name: e.name, Problem: fmt.Errorf("its id %s is that of another tool too", id.ID)}
		}
	}
	return ids
}

// reason returns a problem without the name of the tool, which the report adds.
func reason(problem error) error {
	if inner := errors.Unwrap(problem); inner != nil {
		return inner
	}
	return problem
}

// dropRepeated handles repeated definitions. A resource is identified by its URI, so the first counts. Different
// prompts of one name are all refused, because a call could mean any.
func (b *batch) dropRepeated() {
	first := make(map[string]int, len(b.entries))
	kept := make([]entry, 0, len(b.entries))
	refused := make(map[int]bool)
	for _, e := range b.entries {
		j, seen := first[e.key]
		switch {
		case !seen:
			first[e.key] = len(kept)
			kept = append(kept, e)
		case kept[j].definition == e.definition || b.kind.kind == toolid.Resource:
			b.find(e.definition, e.line, Duplicate, errors.New("listed before"))
		default:
			b.find(e.definition, e.line, Refused, errDifferent)
			refused[j] = true
		}
	}
	b.entries = kept[:0]
	for i, e := range kept {
		if refused[i] {
			b.find(e.definition, e.line, Refused, errDifferent)
			continue
		}
		b.entries = append(b.entries, e)
	}
}

var errDifferent = errors.New("listed with different definitions")

// primitive returns the id of a resource or prompt, the n-th of equal ones, and whether it contains the name
// unchanged. A resource belongs to the namespace of its URI's scheme, a prompt to that of a tool with its name. For
// a prompt with a changed name, the hash covers the original name, so that two prompts never share an id.
func (d *definition) primitive(kind toolid.Kind, n int) (id toolid.Primitive, exact bool) {
	want := toolid.ID{Name: d.name}
	if kind == toolid.Resource {
		want.Namespace = scheme(d.key)
	} else {
		inferred, _ := toolid.FromTools([]toolid.Definition{{Name: d.name}}, toolid.Mapping)
		want = inferred[0].ID
		exact = inferred[0].Status == toolid.Kept
	}
	fits := want.Fit()
	exact = exact || kind == toolid.Resource && fits == want
	if n > 1 {
		fits.Name = fmt.Sprintf("%s_%d", stem(fits.Name), n)
	}
	if kind == toolid.Resource {
		id, _ = toolid.FromResource(fits.Namespace, fits.Name, d.key) // a name that fits is no error
	} else {
		identity := d.arguments
		if !exact {
			identity = append(slices.Clip(identity), d.name)
		}
		id, _ = toolid.FromPrompt(fits.Namespace, fits.Name, identity)
	}
	return id, exact
}

// scheme returns the scheme of a URI.
func scheme(uri string) string {
	before, _, found := strings.Cut(uri, ":")
	if !found || before == "" || strings.ContainsAny(before, "/?#") {
		return "mcp"
	}
	return before
}

// stem returns a name cut so that a number fits behind it in an id.
func stem(name string) string { return name[:min(len(name), 100)] }
