package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// recordings are documents of package catalog with the recorded answers of servers.
//
//go:embed catalogs/*.json
var recordings embed.FS

// servers are the names of the recorded servers in the tree.
var servers = []string{"files", "memory", "everything"}

// A tool is one tool of a recording.
type tool struct {
	server   string
	name     string          // its name on the server
	recorded json.RawMessage // the definition byte for byte, then the results
}

// path returns the name of the tool with its server.
func (t tool) path() string { return t.server + "." + t.name }

// recordedTools returns the tools of the servers, in the order of each server's list.
func recordedTools(servers ...string) ([]tool, error) {
	var tools []tool
	for _, server := range servers {
		data, err := recordings.ReadFile("catalogs/" + server + ".json")
		if err != nil {
			return nil, err
		}
		var doc struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(data, &doc); err != nil {
			return nil, fmt.Errorf("the recording of %s: %w", server, err)
		}
		for _, raw := range doc.Tools {
			var named struct{ Name string }
			if err := json.Unmarshal(raw, &named); err != nil {
				return nil, fmt.Errorf("the recording of %s: %w", server, err)
			}
			tools = append(tools, tool{server, named.Name, raw})
		}
	}
	return tools, nil
}

// A set is the content of all faces: tools, and the same tools as functions, with one namespace per server.
type set struct {
	tools     []tool
	registry  *registry.Registry
	functions map[string]*registry.Function // by path of the tool
}

func newSet(tools []tool) (*set, error) {
	var doc struct {
		Tools []map[string]json.RawMessage `json:"tools"`
	}
	for _, t := range tools {
		members := make(map[string]json.RawMessage)
		if err := json.Unmarshal(t.recorded, &members); err != nil {
			return nil, fmt.Errorf("%s: %w", t.path(), err)
		}
		members["name"] = asJSON(t.path()) // the catalog makes the namespace from it
		doc.Tools = append(doc.Tools, members)
	}
	c := catalog.New(&catalog.Options{Strict: true})
	if _, err := c.Load(asJSON(doc)); err != nil {
		return nil, err
	}
	s := &set{tools: tools, registry: c.Tools(), functions: make(map[string]*registry.Function)}
	err := registry.Walk(context.Background(), s.registry, "", func(l *registry.Listing) error {
		for _, f := range l.Functions {
			s.functions[f.Tool()] = f
		}
		return nil
	})
	return s, err
}

// function returns the function of a tool, which must exist.
func (s *set) function(path string) (*registry.Function, error) {
	if f := s.functions[path]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("no recorded tool is called %s", path)
}

// beginningWith moves the tool with the path to the front. The others keep their order.
func beginningWith(tools []tool, path string) []tool {
	i := slices.IndexFunc(tools, func(t tool) bool { return t.path() == path })
	if i < 0 {
		return tools
	}
	return slices.Concat(tools[i:i+1], tools[:i], tools[i+1:])
}

// asJSON returns v as JSON without escapes for '<', '>' and '&'.
func asJSON(v any) json.RawMessage { return strictjson.MustMarshal(v) }
