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

// Listed are tools that depend on who asks, such as one for each function that
// a caller sees. They stand in tools/list after the server's own tools, in pages
// of 1,000, and in place of one of those that has the same name. A further face on
// the same server adds its own in the same way. Who is refused ([Options.Identify])
// is refused all of them, and so is everyone after a shutdown. That a schema asks
// for arguments to be repeated in HTTP headers (x-mcp-header) is left out of it:
// nothing here would compare them.
type Listed struct {
	// List returns the tools for the caller in ctx.
	List func(ctx context.Context, req *mcp.ListToolsRequest) (ToolList, error)
	// Call runs the tool of a name. [ErrUnknownTool] leaves the request to the
	// server's own tools, and is what a name gets that the caller does not see.
	// It has deadlines of its own and is trusted to end with its context.
	Call func(ctx context.Context, name string, req *Request) (*registry.Result, error)
	// Render makes a result of every other error, for the arguments that the client
	// sent: any JSON, or nothing.
	Render func(err error, arguments json.RawMessage) *registry.Result
}

// A ToolList has the tools of which the definitions are only made for the page
// that is asked for.
type ToolList struct {
	Names []string // sorted, and all different
	// Tool returns the definition of the tool of a name, by its index. Nil leaves
	// it out.
	Tool func(i int) *mcp.Tool
}

// ErrUnknownTool says that a tool is none of [Listed].
var ErrUnknownTool = errors.New("serve: unknown tool")

const (
	ownPage     = "listed:" // begins cursors: the name of the last tool on the page before
	othersPage  = "before:" // the cursor of what the list begins with: other faces have own ones, too
	pageSize    = 1000
	private     = "private" // keeps what one caller sees out of shared caches
	listTimeout = 30 * time.Second
)

// AddListed adds tools to srv. It is for [Face.Add].
func (h *Host) AddListed(srv *mcp.Server, l *Listed) {
	t := h.teller(srv, l)
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

// withTools says to clients that connect that there are tools, which an MCP
// server without any of its own does not know, and that they change if they do.
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

func (h *Host) list(ctx context.Context, l *Listed, t *teller, req *mcp.ListToolsRequest, next mcp.MethodHandler) (mcp.Result, error) {
	res := &mcp.ListToolsResult{Tools: []*mcp.Tool{}}
	after, own := strings.CutPrefix(cursor(req), ownPage)
	if !own {
		before, err := next(ctx, "tools/list", ofOthers(req))
		list, ok := before.(*mcp.ListToolsResult)
		if err != nil || !ok {
			return before, err
		}
		copied := *list // the SDK may hand the same one to others
		res, after = &copied, ""
	}
	res.Cacheable = mcp.Cacheable{CacheScope: private}
	res, err := Do(ctx, h, req, "tools/list", listTimeout, func(ctx context.Context) (*mcp.ListToolsResult, error) {
		watch := t.session(ctx, req)
		list, err := l.List(ctx, req)
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

// ofOthers asks for a page of what the list begins with.
func ofOthers(req *mcp.ListToolsRequest) *mcp.ListToolsRequest {
	theirs, ok := strings.CutPrefix(cursor(req), othersPage)
	if !ok {
		return req
	}
	params, other := *req.Params, *req
	params.Cursor, other.Params = theirs, &params
	return &other
}

// addTo takes out of a page what goes by the name of one of the tools, and if it is
// the last of the others' pages, adds those whose names come after one.
func (l *ToolList) addTo(ctx context.Context, res *mcp.ListToolsResult, after string) error {
	res.Tools = slices.DeleteFunc(slices.Clone(res.Tools), func(t *mcp.Tool) bool {
		_, found := slices.BinarySearch(l.Names, t.Name)
		return found
	})
	if res.NextCursor != "" {
		res.NextCursor = othersPage + res.NextCursor
		return nil
	}
	p, err := l.page(ctx, after)
	res.Tools, res.NextCursor = append(res.Tools, p.tools...), p.cursor
	return err
}

// page is a part of a list.
type page struct {
	tools  []*mcp.Tool
	cursor string // of the next one; empty if there is none
}

// page makes the tools whose names come after one.
func (l *ToolList) page(ctx context.Context, after string) (page, error) {
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

func (h *Host) callListed(ctx context.Context, l *Listed, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	r, err := h.run(ctx, func(ctx context.Context, own *Request) (*registry.Result, error) {
		return asking(ctx, req, own, func(own *Request) (*registry.Result, error) { return l.Call(ctx, req.Params.Name, own) })
	}, 0, req)
	if errors.Is(err, ErrUnknownTool) {
		return nil, err
	}
	if err != nil {
		r = l.Render(err, req.Params.Arguments)
	}
	return complete(toolResult(r, req), req), nil
}

// complete does what the SDK does to results of the tools that it knows: from
// 2026-07-28 on they say whether they are final.
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

// Results of the two types, which the SDK lets nobody set.
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
