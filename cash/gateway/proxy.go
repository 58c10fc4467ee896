package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// stripped is the schema of every stripped tool: a placeholder (section 4.1). Title, icons and metadata,
// which models do not read, are as declared.
var stripped = json.RawMessage(`{"type":"object"}`)

// listed returns the functions that a caller sees, as stripped tools, which cannot be called
// directly.
func (f face) listed(ctx context.Context, req *mcp.ListToolsRequest) (serve.ToolList, error) {
	entries, err := f.entries(ctx)
	if err != nil {
		return serve.ToolList{}, errors.New(f.asError(err).Message)
	}
	spelled := f.spelling(req, entries)
	for i, e := range entries {
		entries[i].id = spelled(e.id)
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.id, b.id) })
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.id
	}
	return serve.ToolList{Names: names, Tool: func(i int) *mcp.Tool {
		t := &mcp.Tool{Name: names[i], Description: entries[i].description, InputSchema: stripped}
		serve.Display(t, entries[i].function)
		return t
	}}, nil
}

// direct returns the error for a direct call of a stripped tool.
func (f face) direct(ctx context.Context, name string, _ *serve.Request) (*registry.Result, error) {
	if slices.ContainsFunc(f.own(), func(t tool) bool { return t.name == name }) || !f.couldBeID(name) {
		return nil, serve.ErrUnknownTool
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	fn, err := serve.Apart(ctx, f.opts.Serve.Logger, "tools/call", func() (*registry.Function, error) { return f.resolve(ctx, f.tools, name) })
	if err != nil {
		return nil, serve.ErrUnknownTool
	}
	return nil, f.failed(ctx, name, argsInvalid(fmt.Sprintf("A listed tool cannot be called directly. Call tool_execute with tool_id=%q and args.", fn.ID())))
}

// couldBeID reports whether a tool's name may be an id. Names of an embedder's own tools are not
// looked up.
func (f face) couldBeID(name string) bool {
	return strings.Contains(name, ":") || strings.Contains(name, "%") || f.opts.WireNames != nil
}

// spelling returns the function that spells ids for the client.
func (f face) spelling(req *mcp.ListToolsRequest, entries []entry) func(string) string {
	var who *mcp.Implementation
	if req.Session != nil {
		if p := req.Session.InitializeParams(); p != nil {
			who = p.ClientInfo
		}
	}
	if f.opts.WireNames == nil || !f.opts.WireNames(who) {
		return func(id string) string { return id }
	}
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.id
	}
	names := toolid.NewWireNames(ids)
	return func(id string) string {
		name, _ := names.Name(id)
		return name
	}
}

// entry is a stripped tool.
type entry struct {
	id, description string
	function        *registry.Function
}

// entries returns the stripped tools that the caller sees, sorted by id. Functions without a card
// are left out (W14).
func (s *Server) entries(ctx context.Context) ([]entry, error) {
	var list []entry
	err := registry.Walk(ctx, s.tools.source, "", func(l *registry.Listing) error {
		for _, f := range l.Functions {
			if one, err := s.cards.of(f); err == nil {
				// The form has three members at least, so the description must not be empty.
				list = append(list, entry{one.ID, cmp.Or(one.Description, one.Name), f})
			}
		}
		return ctx.Err()
	})
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.id, b.id) })
	// Clients may refuse a list with duplicate names.
	return slices.CompactFunc(list, func(a, b entry) bool { return a.id == b.id }), err
}
