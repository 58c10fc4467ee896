package registry

import (
	"reflect"
	"strings"
	"sync"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// searched is what a search keeps of a function, made on first use. It is
// shared by all snapshots that the function is in.
type searched struct {
	of     *Function // a copy of it, with other texts perhaps, is not it
	once   sync.Once
	text   *search.Text
	vector vector
}

func (f *Function) searchText() *search.Text {
	if f.searched == nil || f.searched.of != f {
		return search.Read(f.document())
	}
	f.searched.once.Do(func() { f.searched.text = search.Read(f.document()) })
	return f.searched.text
}

// keepText takes over what was read of an older function, if it says the same.
func (f *Function) keepText(old *Function) {
	if a, b := f.document(), old.document(); old.searched == nil || !reflect.DeepEqual(a, b) {
		return
	}
	f.searched.once.Do(func() { f.searched.text = old.searchText() })
	f.searched.vector.v.Store(old.searched.vector.v.Load())
}

// document says what f is found by. As in its id, the first label of the path
// is where it belongs, and the others are part of its name.
func (f *Function) document() search.Document {
	d := search.Document{Name: f.Name, Aliases: f.Aliases, Description: f.Description}
	if first, rest, deep := strings.Cut(f.namespace, "."); deep {
		d.Namespace, d.Name = first, join(rest, f.Name)
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
