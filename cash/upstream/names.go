package upstream

import (
	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/registry"
)

// functionNames gives each tool a name of its own, by the tool's; had are those of
// before. It is the same whatever the order of the list is.
func functionNames(tools []string, had map[string]string) map[string]string {
	wants := make([]label.Want, len(tools))
	for i, tool := range tools {
		name := label.From(tool, "tool")
		wants[i] = label.Want{Key: tool, Label: name, Exact: name == tool, Had: had[tool]}
	}
	return byKey(wants)
}

// byKey gives each of the list a label of its own, by its key.
func byKey(wants []label.Want) map[string]string {
	names := make(map[string]string, len(wants))
	for i, name := range new(label.Set).TakeAll(wants) {
		names[wants[i].Key] = name
	}
	return names
}

func canonicalPath(path string) string {
	c, _ := registry.CanonicalPath(path)
	return c
}

func key(name string) string {
	k, _ := registry.Canonical(name)
	return k
}
