package cash

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/cash-mcp/go-sdk/gate"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// helpOptions are the keyword arguments of help that change what it returns.
// Each is named in the base page (R45).
type helpOptions struct {
	json     bool   // format="json"
	examples bool   // examples=true
	full     bool   // params="full"
	search   string // search="..."; empty lists what there is
}

// readHelpOptions takes what it understands and ignores the rest, whatever
// that is: help never fails because of its options (R46).
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
		}
	}
	return o
}

func (s *Server) help(ctx context.Context, req *HelpRequest) (string, error) {
	o := readHelpOptions(req.Kwargs)
	if req.Function != "" {
		f, err := s.source.Function(ctx, req.Namespace, req.Function)
		if err != nil {
			return "", err
		}
		if o.json {
			return functionJSON(f, o), nil
		}
		return functionMarkdown(f, o), nil
	}
	l, err := s.source.List(ctx, req.Namespace)
	if err != nil {
		return "", err
	}
	if req.Namespace != "" && !l.HasFunctions { // it has skills, of which help knows nothing
		return "", registry.NoNamespace(req.Namespace)
	}
	switch root := req.Namespace == ""; {
	case o.search != "":
		return s.found(ctx, l.Namespace, o), nil
	case root && o.json:
		return indexJSON(l, s.advertised()), nil
	case root:
		return indexMarkdown(l, s.advertised()), nil
	case o.json:
		return namespaceJSON(l), nil
	}
	return namespaceMarkdown(l), nil
}

// advertised returns the gate threshold if callers must be told (R52), else 0.
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
}

// namespaceEntries returns the child namespaces in which there are functions.
func namespaceEntries(l *registry.Listing) []entry {
	var list []entry
	for _, c := range l.Namespaces {
		if c.HasFunctions {
			list = append(list, entry{c.Name, oneLine(c.Description)})
		}
	}
	return list
}

func functionEntries(l *registry.Listing) []entry {
	var list []entry
	for _, f := range l.Functions {
		list = append(list, entry{f.Name, oneLine(f.Description)})
	}
	return list
}
