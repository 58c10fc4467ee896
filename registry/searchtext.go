package registry

import (
	"bytes"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// searched is what a search keeps of a function, made on first use. It is
// shared by all snapshots that the function is in.
type searched struct {
	of     *Function // a copy of it, with other texts perhaps, is not it
	text   atomic.Pointer[search.Text]
	vector atomic.Pointer[[]float32] // of length 1; see Registry.Embed
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

// keepSearched takes over what was read of an older function, if anything was
// and it says the same.
func (f *Function) keepSearched(old *Function) {
	text := old.searched.text.Load()
	if text == nil || !f.saysAs(old) {
		return
	}
	f.searched.text.Store(text)
	f.searched.vector.Store(old.searched.vector.Load())
}

// saysAs reports whether f surely is found by the same as old: all that a document
// has of the parameters is in the schema.
func (f *Function) saysAs(old *Function) bool {
	return f.namespace == old.namespace && f.name == old.name && f.description == old.description &&
		slices.Equal(f.aliases, old.aliases) && bytes.Equal(f.InputSchema(), old.InputSchema())
}

// document says what f is found by. As in its id, the first label of the path
// is where it belongs, and the others are part of its name.
func (f *Function) document() search.Document {
	d := search.Document{Name: f.name, Aliases: f.aliases, Description: f.description}
	if first, rest, deep := strings.Cut(f.namespace, "."); deep {
		d.Namespace, d.Name = first, join(rest, f.name)
	} else {
		d.Namespace = f.namespace
	}
	for _, p := range f.Params() {
		d.ParamNames = append(d.ParamNames, p.Name)
		d.ParamTexts = appendTexts(d.ParamTexts, p)
	}
	return d
}

// appendTexts appends what describes a parameter, and what is in it.
func appendTexts(texts []string, p Param) []string {
	texts = append(texts, p.Description)
	texts = append(texts, p.Enum...)
	for _, field := range p.Fields {
		texts = append(texts, field.Name)
		texts = appendTexts(texts, field)
	}
	return texts
}

// namespaceDocument is what a namespace adds to the functions in it.
func namespaceDocument(path, description string) search.Document {
	return search.Document{Name: path, Description: description}
}

// searchText returns the text of a view, which is made once: views that do not
// change are shared by snapshots.
func (v *view) searchText() *search.Text {
	v.textOnce.Do(func() { v.text = search.Read(namespaceDocument(v.child.Path, v.child.Description)) })
	return v.text
}
