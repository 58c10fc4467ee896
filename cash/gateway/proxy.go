package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
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
func (f face) listed(ctx context.Context, _ *mcp.ListToolsRequest) (serve.ToolList, error) {
	entries, err := f.entries(ctx)
	if err != nil {
		return serve.ToolList{}, errors.New(f.asError(err).Message)
	}
	if !f.opts.CanonicalNames {
		wireNamed(entries)
	}
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
	if _, err := serve.Apart(ctx, f.opts.Serve.Logger, "tools/call", func() (*registry.Function, error) { return f.resolve(ctx, f.tools, name) }); err != nil {
		return nil, serve.ErrUnknownTool
	}
	return nil, f.failed(ctx, name, argsInvalid(fmt.Sprintf("A listed tool cannot be called directly. Call tool_execute with tool_id=%q and args.", name)))
}

// couldBeID reports whether a tool's name may be an id, or stand for one. Names of an embedder's own
// tools are not looked up.
func (f face) couldBeID(name string) bool {
	return strings.Contains(name, ":") || strings.Contains(name, "%") || wireForm.MatchString(name)
}

// wireForm matches the names of [toolid.WireNames]: they end in a hash.
var wireForm = regexp.MustCompile(`^[a-zA-Z0-9_-]+_([0-9a-f]{8}|[0-9a-f]{32})$`)

// wireNamed gives entries names that model APIs accept in place of their ids, and sorts them again.
func wireNamed(entries []entry) {
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.id
	}
	names := toolid.NewWireNames(ids)
	for i := range entries {
		entries[i].id, _ = names.Name(entries[i].id)
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.id, b.id) })
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
