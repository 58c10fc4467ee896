package serve

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// Listed are tools that depend on the caller, such as one for each visible function.
//
//   - In tools/list they follow the server's own tools, in pages of 1,000. They replace own tools
//     of the same name.
//   - A further face on the same server adds its tools in the same way.
//   - A refused caller ([Options.Identify]) gets none of them, nor does any caller after a
//     shutdown.
//   - Clients up to 2025-11-25 get schemas ([encoding/json.RawMessage]) in the form that they accept.
//   - x-mcp-header annotations are removed from schemas: this server does not compare headers with
//     arguments.
type Listed struct {
	// List returns the tools for the caller in ctx.
	List func(ctx context.Context, req *mcp.ListToolsRequest) (ToolList, error)
	// Call runs the tool with this name. [ErrUnknownTool] passes the request on to the server's own
	// tools; return it for every name that the caller does not see. Call must have deadlines of its
	// own and end with its context.
	Call func(ctx context.Context, name string, req *Request) (*registry.Result, error)
	// Render makes a result of every other error. arguments are those of the client: any JSON, or
	// nothing.
	Render func(err error, arguments json.RawMessage) *registry.Result
}

// A ToolList is a list of tools. Definitions are made only for the requested page.
type ToolList struct {
	Names []string // sorted, and all different
	// Tool returns the definition of the tool at an index of Names. Nil leaves it out.
	Tool func(i int) *mcp.Tool
}

// ErrUnknownTool reports that no [Listed] tool has the name.
var ErrUnknownTool = errors.New("serve: unknown tool")

const (
	ownPage     = "listed:" // our cursors: the name of the last tool on the page before
	othersPage  = "before:" // cursors of the part before ours: the server's own tools and other faces
	pageSize    = 1000
	private     = "private" // keeps one caller's list out of shared caches
	listTimeout = 30 * time.Second
)

// AddListed adds tools to srv. [Face.Add] calls it.
func (h *Host) AddListed(srv *mcp.Server, l *Listed) {
	t := h.newNotifier(srv, toolsTopic{l})
	srv.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			switch r := req.(type) {
			case *mcp.ListToolsRequest:
				return h.list(ctx, l, t, r, next)
			case *mcp.SubscriptionsListenRequest:
				if t != nil {
					return t.listen(ctx, r, next)
				}
			case *mcp.CallToolRequest:
				res, err := h.callListed(ctx, l, r)
				if !errors.Is(err, ErrUnknownTool) {
					return res, err
				}
			}
			res, err := next(ctx, method, req)
			if err == nil {
				withTools(res, t != nil)
			}
			return res, err
		}
	})
}

// withTools adds the tools capability to the answer to a connecting client, and its listChanged if
// change is set. An MCP server without tools of its own does not declare it.
func withTools(res mcp.Result, change bool) {
	var c *mcp.ServerCapabilities
	switch r := res.(type) {
	case *mcp.InitializeResult:
		c = r.Capabilities
	case *mcp.DiscoverResult:
		c = r.Capabilities
	}
	if c == nil {
		return
	}
	if c.Tools == nil {
		c.Tools = new(mcp.ToolCapabilities)
	}
	c.Tools.ListChanged = c.Tools.ListChanged || change
}

// list answers tools/list: the page of next, with our tools added or in place of it.
func (h *Host) list(ctx context.Context, l *Listed, t *notifier, req *mcp.ListToolsRequest, next mcp.MethodHandler) (mcp.Result, error) {
	res := &mcp.ListToolsResult{Tools: []*mcp.Tool{}}
	after, own := strings.CutPrefix(cursor(req), ownPage)
	if !own {
		before, err := next(ctx, "tools/list", ofOthers(req))
		list, ok := before.(*mcp.ListToolsResult)
		if err != nil || !ok {
			return before, err
		}
		copied := *list // the SDK may share it with other requests
		res, after = &copied, ""
	}
	res.Cacheable = mcp.Cacheable{CacheScope: private}
	res, err := Do(ctx, h, req, "tools/list", listTimeout, func(ctx context.Context) (*mcp.ListToolsResult, error) {
		watch := t.watchSession(ctx, req)
		list, err := l.List(ctx, req)
		if req.ProtocolVersion() <= objectsOnly {
			list = list.forOlder()
		}
		if err == nil {
			err = list.addTo(ctx, res, after)
		}
		if err == nil {
			watch()
		}
		return res, err
	})
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: registry.AsError(err).Error()}
	}
	return res, nil
}

func cursor(req *mcp.ListToolsRequest) string {
	if req.Params == nil {
		return ""
	}
	return req.Params.Cursor
}

// ofOthers returns the request for a page of the part before ours.
func ofOthers(req *mcp.ListToolsRequest) *mcp.ListToolsRequest {
	theirs, ok := strings.CutPrefix(cursor(req), othersPage)
	if !ok {
		return req
	}
	params, other := *req.Params, *req
	params.Cursor, other.Params = theirs, &params
	return &other
}

// addTo removes tools with our names from a page. If it is the last page of the part before, it
// adds our tools after the given name.
func (l *ToolList) addTo(ctx context.Context, res *mcp.ListToolsResult, after string) error {
	res.Tools = slices.DeleteFunc(slices.Clone(res.Tools), func(t *mcp.Tool) bool {
		_, found := slices.BinarySearch(l.Names, t.Name)
		return found
	})
	if res.NextCursor != "" {
		res.NextCursor = othersPage + res.NextCursor
		return nil
	}
	p, err := l.pageAfter(ctx, after)
	res.Tools, res.NextCursor = append(res.Tools, p.tools...), p.cursor
	return err
}

// page is a part of the list.
type page struct {
	tools  []*mcp.Tool
	cursor string // of the next page; empty at the end
}

// pageAfter returns the tools after the given name.
func (l *ToolList) pageAfter(ctx context.Context, after string) (page, error) {
	first, found := slices.BinarySearch(l.Names, after)
	if found {
		first++
	}
	last := min(first+pageSize, len(l.Names))
	var p page
	for i := first; i < last; i++ {
		if err := ctx.Err(); err != nil {
			return page{}, err
		}
		if t := l.Tool(i); t != nil {
			p.tools = append(p.tools, unannotated(t))
		}
	}
	if last < len(l.Names) {
		p.cursor = ownPage + l.Names[last-1]
	}
	return p, nil
}

// callListed runs a listed tool and renders its errors.
func (h *Host) callListed(ctx context.Context, l *Listed, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	r, err := h.run(ctx, func(ctx context.Context, own *Request) (*registry.Result, error) {
		return callEliciting(ctx, req, own, func(own *Request) (*registry.Result, error) { return l.Call(ctx, req.Params.Name, own) })
	}, 0, req)
	if errors.Is(err, ErrUnknownTool) {
		return nil, err
	}
	h.ran(ctx, req, r, err)
	if err != nil {
		r = l.Render(err, req.Params.Arguments)
	}
	return complete(toolResult(r, req), req), nil
}

// complete sets the type of a result from 2026-07-28 on, as the SDK does for tools that it knows.
func complete(t *mcp.CallToolResult, req *mcp.CallToolRequest) *mcp.CallToolResult {
	if req.ProtocolVersion() >= stateless {
		typed := finalResult
		if t.InputRequests != nil {
			typed = inputRequired
		}
		typed.Content, typed.IsError, typed.Meta, typed.StructuredContent = t.Content, t.IsError, t.Meta, t.StructuredContent
		typed.InputRequests, typed.RequestState = t.InputRequests, t.RequestState
		t = &typed
	}
	if t.Content == nil && t.InputRequests == nil {
		t.Content = []mcp.Content{}
	}
	return t
}

// Results of both types. The SDK has no setter for the type.
var (
	finalResult   = typedResult("complete")
	inputRequired = typedResult("input_required")
)

func typedResult(name string) mcp.CallToolResult {
	var t mcp.CallToolResult
	if err := json.Unmarshal([]byte(`{"content":[],"resultType":"`+name+`"}`), &t); err != nil {
		panic("serve: " + err.Error())
	}
	return t
}
