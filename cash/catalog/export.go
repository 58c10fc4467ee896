package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// Export returns a document with the definitions that the caller in ctx sees in the sources, in the order of their
// trees, without results. Any source may be nil. Use it to record the catalog of a live server.
//
// A tool has its server's own name and the name of the server. If the server is not known and the name gives another
// id, the tool has its dotted path. It has its id too, unless that follows from the rest. So the ids of tools stay.
// Resources and prompts keep their names. The error is that of a source that cannot be listed.
func Export(ctx context.Context, tools, resources, prompts registry.Source) ([]byte, error) {
	var doc struct {
		Tools     []exportedTool     `json:"tools"`
		Resources []exportedResource `json:"resources,omitempty"`
		Prompts   []exportedPrompt   `json:"prompts,omitempty"`
	}
	doc.Tools = []exportedTool{}
	err := errors.Join(
		export(ctx, tools, func(f *registry.Function) { doc.Tools = append(doc.Tools, exportTool(f)) }),
		export(ctx, resources, func(f *registry.Function) { doc.Resources = append(doc.Resources, exportResource(f)) }),
		export(ctx, prompts, func(f *registry.Function) { doc.Prompts = append(doc.Prompts, exportPrompt(f)) }),
	)
	if err != nil {
		return nil, fmt.Errorf("exporting a catalog: %w", err)
	}
	data, err := strictjson.MarshalFile(doc)
	if err != nil {
		return nil, fmt.Errorf("exporting a catalog: %w", err)
	}
	return data, nil
}

func export(ctx context.Context, src registry.Source, each func(*registry.Function)) error {
	if src == nil {
		return nil
	}
	return registry.Walk(ctx, src, "", func(l *registry.Listing) error {
		for _, f := range l.Functions {
			each(f)
		}
		return nil
	})
}

type exportedTool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	Icons        []mcp.Icon      `json:"icons,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  exportedHints   `json:"annotations,omitzero"`
	Meta         exportedMeta    `json:"_meta,omitzero"`
}

type exportedHints struct {
	wire.Hints
	Tags []string `json:"tags,omitempty"`
}

type exportedMeta struct {
	Version    string  `json:"version,omitempty"`
	CostHint   float64 `json:"costHint,omitempty"`
	ServerName string  `json:"server_name,omitempty"`
	ID         string  `json:"id,omitempty"`

	shown json.RawMessage // the function's own metadata; the members above replace those of the same name
}

// IsZero reports whether there is no metadata.
func (m exportedMeta) IsZero() bool {
	return m.Version == "" && m.CostHint == 0 && m.ServerName == "" && m.ID == "" && m.shown == nil
}

// MarshalJSON writes the members of both.
func (m exportedMeta) MarshalJSON() ([]byte, error) {
	type facts exportedMeta
	own := strictjson.MustMarshal(facts(m))
	var b strictjson.Builder
	for key, value := range strictjson.Members(own) {
		b.Add(key, value)
	}
	for key, value := range strictjson.Members(m.shown) {
		if strictjson.Member(own, key) == nil {
			b.Add(key, value)
		}
	}
	return b.Object(), nil
}

func exportTool(f *registry.Function) exportedTool {
	id := f.ID()
	t := exportedTool{
		Name: f.Tool(), Title: f.Title(), Description: f.Description(), Icons: f.Icons(),
		InputSchema: f.InputSchema(), OutputSchema: f.OutputSchema(),
		Annotations: exportedHints{wire.HintsOf(f), f.Tags()},
		Meta:        exportedMeta{Version: id.Version, CostHint: f.CostHint(), ServerName: f.ServerName(), shown: f.Meta()},
	}
	if t.Meta.ServerName == "" && t.id() != id {
		t.Name = f.Path()
	}
	if t.id() != id {
		t.Meta.ID = id.String()
	}
	return t
}

// id returns the id of the tool in a document.
func (t *exportedTool) id() toolid.ID {
	def := toolid.Definition{Name: t.Name, InputSchema: t.InputSchema, Version: t.Meta.Version, Server: t.Meta.ServerName}
	same, _ := toolid.FromTools([]toolid.Definition{def}, toolid.Mapping) // only Strict returns an error
	return same[0].ID
}

type exportedResource struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

func exportResource(f *registry.Function) exportedResource {
	return exportedResource{URI: f.Tool(), Name: resourceName(f), Description: f.Description()}
}

// resourceName returns the name that a resource's id was made from, if an alias has it, and otherwise the name in
// the id. Labels are made from the first.
func resourceName(f *registry.Function) string {
	name := f.ID().Name
	for _, alias := range slices.Backward(f.Aliases()) { // the title comes before the name
		if alias != f.Tool() && (toolid.ID{Name: alias}).Fit().Name == name {
			return alias
		}
	}
	return name
}

type exportedPrompt struct {
	Name        string             `json:"name"`
	Description string             `json:"description,omitempty"`
	Arguments   []exportedArgument `json:"arguments,omitempty"`
}

type exportedArgument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

func exportPrompt(f *registry.Function) exportedPrompt {
	p := exportedPrompt{Name: f.Tool(), Description: f.Description()}
	for _, a := range f.Params() {
		p.Arguments = append(p.Arguments, exportedArgument{a.Name, a.Description, a.Required})
	}
	return p
}
