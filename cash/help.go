package cash

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/cash-mcp/go-sdk/gate"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// helpOptions are the keyword arguments of help. The base page names each of them (R45).
type helpOptions struct {
	json     bool   // format="json"
	examples bool   // examples=true
	full     bool   // params="full"
	search   string // search="..."; empty lists the namespace
	window   window // offset, limit
	other    bool   // there are other arguments
}

// readHelpOptions reads the known options and ignores everything else. Help never fails because of
// its options (R46).
func readHelpOptions(kwargs json.RawMessage) helpOptions {
	var o helpOptions
	if strictjson.Check(kwargs) != nil {
		return o
	}
	for key, value := range strictjson.Members(kwargs) {
		name, _ := registry.Canonical(key)
		text := strictjson.Text(value)
		switch name {
		case "format":
			o.json = text == "json"
		case "examples":
			o.examples = text == "true" || string(value) == "true"
		case "params":
			o.full = text == "full"
		case "search":
			o.search = strings.TrimSpace(text)
		default:
			o.other = !o.window.read(name, value) || o.other
		}
	}
	return o
}

func (s *Server) help(ctx context.Context, req *HelpRequest) (string, error) {
	o := readHelpOptions(req.Kwargs)
	if req.Function != "" {
		f, err := s.functionAwaited(ctx, req.Namespace, req.Function)
		if err != nil {
			return "", err
		}
		return s.document(ctx, f, o, req.Kwargs)
	}
	l, err := s.listAwaited(ctx, req.Namespace)
	if err != nil {
		return "", err
	}
	if req.Namespace != "" && !l.HasFunctions { // it has only skills, which help does not show
		return "", registry.NoNamespace(req.Namespace)
	}
	if o.other && o.search == "" && l.Page != nil && l.Unavailable == nil {
		if text, err := l.Page(ctx, orNone(req.Kwargs)); err != nil || text != "" {
			return s.beginning(text, "Search with `"+searchCall(l.Namespace)+"`, or read about one function."), err
		}
	}
	switch root := req.Namespace == ""; {
	case o.search != "":
		return s.found(ctx, l.Namespace, o), nil
	case root && o.json:
		return indexJSON(l, o, s.advertised()), nil
	case root:
		return s.indexMarkdown(l, o), nil
	case o.json:
		return namespaceJSON(l, o), nil
	}
	return s.namespaceMarkdown(l, o), nil
}

// document returns the page of a function: its own page if it has one, else ours.
func (s *Server) document(ctx context.Context, f *registry.Function, o helpOptions, kwargs json.RawMessage) (string, error) {
	if text, ok, err := f.Page(ctx, orNone(kwargs)); ok {
		return s.beginning(withID(text, f), allOf(f, o)), err
	}
	if o.json {
		return functionJSON(f, o), nil
	}
	return s.functionMarkdown(f, o), nil
}

// advertised returns the gate's limit if help must show it (R52), else 0.
func (s *Server) advertised() int {
	if s.opts.SizeLimit == gate.Default {
		return 0
	}
	return s.opts.SizeLimit
}

// An entry is one line of a list.
type entry struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Available   *bool  `json:"available,omitempty"` // false, or nil for true (R132)
}

// entriesOf returns the entries that l lists, up to the given number from offset on: the child namespaces that have
// functions, then the functions. all is the number of namespaces.
func entriesOf(l *registry.Listing, offset, most int) (namespaces, functions []entry, all int) {
	for _, c := range l.Namespaces {
		if !c.HasFunctions {
			continue
		}
		if all++; all > offset && all-offset <= most {
			e := entry{Name: c.Name, Description: oneLine(c.About())}
			if c.Unavailable {
				e.Available = new(bool)
			}
			namespaces = append(namespaces, e)
		}
	}
	from := min(max(offset-all, 0), len(l.Functions))
	to := from + max(min(most-len(namespaces), len(l.Functions)-from), 0)
	for _, f := range l.Functions[from:to] {
		functions = append(functions, entry{Name: f.Name(), Description: oneLine(f.About())})
	}
	return namespaces, functions, all
}

// Bounds of the further arguments that the top level names.
const (
	maxFurther      = 20  // namespaces
	maxFurtherNames = 200 // characters of the names in one namespace
)

// furtherArguments returns the arguments that help takes in some namespaces only (R139), as far as they fit into room
// characters: other servers name them.
func furtherArguments(l *registry.Listing, room int) (list []registry.HelpArguments) {
	const around, each = len(" In `` also: ."), len("``, ")
	for _, a := range l.Arguments[:min(len(l.Arguments), maxFurther)] {
		n, size := 0, 0
		for n < len(a.Names) && size+len(a.Names[n])+each <= maxFurtherNames {
			size += len(a.Names[n]) + each
			n++
		}
		if room -= size + around + len(a.Namespace); room < 0 {
			break
		}
		if n > 0 {
			list = append(list, registry.HelpArguments{Namespace: a.Namespace, Names: a.Names[:n]})
		}
	}
	return list
}
