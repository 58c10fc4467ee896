package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// stripped is the schema of every stripped tool: a sentinel (section 4.1).
var stripped = json.RawMessage(`{"type":"object"}`)

// Pages of the stripped tools follow those of the server's own tools.
const (
	cursorPrefix = "stripped:"
	pageSize     = 1000
)

// private keeps what one caller sees out of shared caches.
const private = "private"

// listStripped adds the functions that a caller sees to tools/list, and says what
// to do to those who call one directly.
func (f face) listStripped(host *serve.Server) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			switch r := req.(type) {
			case *mcp.ListToolsRequest:
				return f.list(ctx, host, r, next)
			case *mcp.CallToolRequest:
				if id, ok := f.listed(ctx, host, r); ok {
					return next(context.WithValue(ctx, directKey{}, id), method, toExecute(r))
				}
			}
			return next(ctx, method, req)
		}
	}
}

func (f face) list(ctx context.Context, host *serve.Server, req *mcp.ListToolsRequest, next mcp.MethodHandler) (mcp.Result, error) {
	if after, ours := strings.CutPrefix(cursor(req), cursorPrefix); ours {
		res := &mcp.ListToolsResult{Tools: []*mcp.Tool{}, Cacheable: mcp.Cacheable{CacheScope: private}}
		return res, f.addPage(ctx, host, req, res, after)
	}
	res, err := next(ctx, "tools/list", req)
	if list, ok := res.(*mcp.ListToolsResult); ok && err == nil && list.NextCursor == "" {
		whole := *list // the SDK may hand the same one to others
		whole.Tools = slices.Clone(list.Tools)
		whole.CacheScope = private
		return &whole, f.addPage(ctx, host, req, &whole, "")
	}
	return res, err
}

func cursor(req *mcp.ListToolsRequest) string {
	if req.Params == nil {
		return ""
	}
	return req.Params.Cursor
}

// listed returns the id of a stripped tool that is called by its name.
func (f face) listed(ctx context.Context, host *serve.Server, req *mcp.CallToolRequest) (string, bool) {
	name := req.Params.Name
	if slices.ContainsFunc(f.own(), func(t tool) bool { return t.name == name }) || !f.couldBeID(name) {
		return "", false
	}
	fn, err := asCaller(ctx, host, f.log, req, func(ctx context.Context) (*registry.Function, error) {
		return f.resolve(ctx, f.tools, name)
	})
	if err != nil {
		return "", false
	}
	return fn.ID().String(), true
}

// asCaller runs what is outside of the tools as the tools are run: for the caller
// of the request, and for a limited time, because it asks rules of the embedder.
func asCaller[T any](ctx context.Context, host *serve.Server, log *slog.Logger, req mcp.Request, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	return serve.Apart(ctx, log, "stripped tools", func() (T, error) {
		ctx, err := host.Identify(ctx, req)
		if err != nil {
			var none T
			return none, err
		}
		return f(ctx)
	})
}

// couldBeID keeps names of an embedder's own tools from being looked up.
func (f face) couldBeID(name string) bool {
	return strings.Contains(name, ":") || strings.Contains(name, "%") || f.opts.WireNames != nil
}

// directKey is where the context has the id of a stripped tool that was called.
type directKey struct{}

// toExecute makes a call one of tool_execute, which answers for the stripped
// tools: the SDK completes results of tools as the newest protocol wants them,
// and those of a middleware not.
func toExecute(req *mcp.CallToolRequest) *mcp.CallToolRequest {
	own, params := *req, *req.Params
	params.Name = executeTool
	own.Params = &params
	return &own
}

// direct is the error for who calls a stripped tool; nil is for others.
func direct(ctx context.Context) error {
	id, ok := ctx.Value(directKey{}).(string)
	if !ok {
		return nil
	}
	return argsInvalid(fmt.Sprintf("A listed tool cannot be called directly. Call tool_execute with tool_id=%q and args.", id))
}

// addPage appends the stripped tools whose ids come after one.
func (f face) addPage(ctx context.Context, host *serve.Server, req *mcp.ListToolsRequest, res *mcp.ListToolsResult, after string) error {
	entries, err := asCaller(ctx, host, f.log, req, f.entries)
	if err != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: f.asError(err).Message}
	}
	i, found := slices.BinarySearchFunc(entries, after, func(e entry, id string) int { return strings.Compare(e.id, id) })
	if found {
		i++
	}
	rest := entries[i:]
	spelled := f.spelling(req, entries)
	for _, e := range rest[:min(len(rest), pageSize)] {
		res.Tools = append(res.Tools, &mcp.Tool{Name: spelled(e.id), Description: e.description, InputSchema: stripped})
	}
	if len(rest) > pageSize {
		res.NextCursor = cursorPrefix + rest[pageSize-1].id
	}
	return nil
}

// spelling returns how ids are spelled for the client.
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
type entry struct{ id, description string }

// entries are the stripped tools that the caller sees, in the order of their ids.
// What has no card is left out (W14).
func (s *Server) entries(ctx context.Context) ([]entry, error) {
	var list []entry
	err := registry.Walk(ctx, s.tools.source, "", func(l *registry.Listing) error {
		for _, f := range l.Functions {
			if one, err := s.cards.of(f); err == nil {
				// The form has three members, and an empty description would be left out.
				list = append(list, entry{one.ID, cmp.Or(one.Description, one.Name)})
			}
		}
		return ctx.Err()
	})
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.id, b.id) })
	// Clients may refuse a list that has a name twice.
	return slices.CompactFunc(list, func(a, b entry) bool { return a.id == b.id }), err
}
