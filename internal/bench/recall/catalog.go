package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// A catalog is a registry with the tools of a set. It maps matches back to the names in the set.
type catalog struct {
	reg      *registry.Registry
	original map[place]string // the name in the set
	refused  int              // the number of refused input schemas
}

// A place is the path and name of a function in the registry.
type place struct{ namespace, name string }

// newCatalog registers every tool, whatever its name and schema.
func newCatalog(tools []tool) (*catalog, error) {
	c := &catalog{reg: registry.New(nil), original: make(map[place]string, len(tools))}
	servers := newLabels()
	spaces := make(map[string]*registry.Namespace)
	names := make(map[string]*labels) // by server, which becomes the namespace
	for _, t := range tools {
		server, rest := split(t.Name)
		if spaces[server] == nil {
			path, description := "", ""
			if server != "" {
				path, description = servers.add(server), lostWords(server)
			}
			spaces[server], names[server] = c.reg.Namespace(path, description), newLabels()
		}
		f, err := c.function(t, names[server].add(rest), rest)
		if err != nil {
			return nil, err
		}
		ns := spaces[server]
		if err := ns.TryAdd(f); err != nil {
			return nil, fmt.Errorf("tool %.100q: %w", t.Name, err)
		}
		c.original[place{ns.Path(), f.Name()}] = t.Name
	}
	return c, nil
}

// function makes the function of a tool. Words of its name that do not fit into a label become an alias.
func (c *catalog) function(t tool, label, name string) (*registry.Function, error) {
	input := t.InputSchema
	if string(input) == "null" {
		input = nil
	}
	var facts []registry.FuncOption
	if words := lostWords(name); words != "" {
		facts = append(facts, registry.Aliases(words))
	}
	f, err := registry.RawFunc(label, t.Description, input, answerNothing, facts...)
	if err != nil {
		f, err = registry.RawFunc(label, t.Description, ofObject(input), answerNothing, facts...)
	}
	if err != nil {
		c.refused++
		f, err = registry.RawFunc(label, t.Description, nil, answerNothing, facts...)
	}
	if err != nil {
		return nil, fmt.Errorf("tool %.100q: %w", t.Name, err)
	}
	return f, nil
}

// ofObject returns schema with the type "object", which the schema of arguments must have.
func ofObject(schema json.RawMessage) json.RawMessage {
	members := make(map[string]json.RawMessage)
	if json.Unmarshal(schema, &members) != nil {
		return schema
	}
	members["type"] = json.RawMessage(`"object"`)
	typed, err := json.Marshal(members)
	if err != nil {
		return schema
	}
	return typed
}

func answerNothing(context.Context, json.RawMessage) (*registry.Result, error) {
	return registry.TextResult(""), nil
}

// names returns the names of the matches in the set.
func (c *catalog) names(matches []registry.Match) []string {
	list := make([]string, len(matches))
	for i, m := range matches {
		list[i] = c.original[place{m.Namespace, m.Name}]
	}
	return list
}

// split splits the name of a tool at its first / or . into server and name. Server is empty if either part would be
// empty.
func split(name string) (server, rest string) {
	if i := strings.IndexAny(name, "/."); i > 0 && i < len(name)-1 {
		return name[:i], name[i+1:]
	}
	return "", name
}
