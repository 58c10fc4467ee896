package registry

import (
	"bytes"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// searched holds a function's text and vector for searches, made on first use. All snapshots with
// the function share it.
type searched struct {
	of     *Function // the function; a copy of it with other texts needs its own
	text   atomic.Pointer[search.Text]
	vector atomic.Pointer[[]float32] // a unit vector; see Registry.Embed
}

func (f *Function) searchText() *search.Text {
	if f.searched == nil || f.searched.of != f {
		return search.Read(f.document())
	}
	t := f.searched.text.Load()
	if t == nil {
		t = search.Read(f.document())
		f.searched.text.Store(t)
	}
	return t
}

// keepSearched takes over the text and vector of an older function, if they exist and are still
// right.
func (f *Function) keepSearched(old *Function) {
	text := old.searched.text.Load()
	if text == nil || !f.sameText(old) {
		return
	}
	f.searched.text.Store(text)
	f.searched.vector.Store(old.searched.vector.Load())
}

// sameText reports whether f and old have the same document. The schema contains every text of the
// parameters.
func (f *Function) sameText(old *Function) bool {
	return f.namespace == old.namespace && f.name == old.name && f.description == old.description && f.deprecated == old.deprecated && f.effect() == old.effect() &&
		slices.Equal(f.aliases, old.aliases) && slices.Equal(f.tags, old.tags) && bytes.Equal(f.InputSchema(), old.InputSchema())
}

// document returns the texts by which a search finds f. As in its id, the first label of the path
// is the namespace, and the others belong to the name.
func (f *Function) document() search.Document {
	d := search.Document{Name: f.name, Aliases: f.aliases, Description: f.description, Effect: f.effect(), Deprecated: f.deprecated}
	if first, rest, deep := strings.Cut(f.namespace, "."); deep {
		d.Namespace, d.Name = first, join(rest, f.name)
	} else {
		d.Namespace = f.namespace
	}
	d.ParamTexts = append(d.ParamTexts, f.tags...)
	for _, p := range f.Params() {
		d.ParamNames = append(d.ParamNames, p.Name)
		d.ParamTexts = appendTexts(d.ParamTexts, p)
	}
	return d
}

// effect returns what the declared effects say. Idempotent alone says that something changes.
func (f *Function) effect() search.Effect {
	switch {
	case f.readOnly:
		return search.Reads
	case f.destructive.yes, f.idempotent.yes:
		return search.Writes
	}
	return search.Unknown
}

// appendTexts appends the texts of a parameter and of its fields.
func appendTexts(texts []string, p Param) []string {
	texts = append(texts, p.Description)
	texts = append(texts, p.Enum...)
	for _, field := range p.Fields {
		texts = append(texts, field.Name)
		texts = appendTexts(texts, field)
	}
	return texts
}

// namespaceDocument returns the texts that a namespace adds to its functions.
func namespaceDocument(path, description string) search.Document {
	return search.Document{Name: path, Description: description}
}

// searchText returns the text of a view, made once. Snapshots share unchanged views.
func (v *view) searchText() *search.Text {
	v.textOnce.Do(func() { v.text = search.Read(namespaceDocument(v.child.Path, v.child.Description)) })
	return v.text
}
