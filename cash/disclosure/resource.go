package disclosure

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
)

const (
	resourceName = "Tool Descriptions - Required for tool use"
	mimeType     = "application/json"
	private      = "private" // a fetch has an effect and depends on the caller
	readTimeout  = 30 * time.Second
)

// resourceDescription tells the model how to continue after tools/list (section 4.2).
func (s *Server) resourceDescription() string {
	text := "The parameters of the tools in tools/list, whose short descriptions are for choosing a tool and do not tell how to call it. WORKFLOW: " +
		"Step 1: Pick a tool from tools/list by what it does. " +
		"Step 2: Before calling it, fetch its full description: " + s.uriOf("TOOL_NAME") + ", or several at once: " + s.uriOf("TOOL1,TOOL2") + ". " +
		"Step 3: Call the tool with the parameters learned. " +
		"Fetching authorizes the tools for this session. A call without it fails with " + string(ToolDescriptionRequired) + ". " +
		"?tools= is required, with names exactly as in tools/list; fetch only what you are about to use."
	return text + s.hints()
}

// askedKey is the context key of the requested URI.
type askedKey struct{}

// addResource adds the resource to srv. The SDK's routing does not support every form of query (PX4), so the middleware
// here recognises the URIs and routes them to the resource by the bare URI.
func (f face) addResource(srv *mcp.Server, host *serve.Host) {
	read := func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return f.read(ctx, host, req), nil
	}
	host.AddResource(srv, &mcp.Resource{
		URI: f.opts.URI, Name: resourceName, Description: f.resourceDescription(), MIMEType: mimeType,
	}, read)
	srv.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: f.opts.URI + "{?tools}", Name: resourceName, MIMEType: mimeType,
		Description: "Full descriptions of the tools that are named, separated by commas.",
	}, read)
	srv.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if r, ok := req.(*mcp.ReadResourceRequest); ok {
				ctx, req = f.routed(ctx, r)
			}
			res, err := next(ctx, method, req)
			return f.uncached(ctx, res), err
		}
	})
}

// routed rewrites a fetch to the bare URI.
func (f face) routed(ctx context.Context, req *mcp.ReadResourceRequest) (context.Context, mcp.Request) {
	if req.Params == nil {
		return ctx, req
	}
	rest, ours := strings.CutPrefix(req.Params.URI, f.opts.URI)
	if !ours || rest != "" && rest[0] != '?' && rest[0] != '#' {
		return ctx, req
	}
	routed, params := *req, *req.Params
	params.URI = f.opts.URI
	routed.Params = &params
	return context.WithValue(ctx, askedKey{}, req.Params.URI), &routed
}

// uncached marks results that depend on the caller or have an effect as uncacheable (PX3), whatever the surrounding
// server declares.
func (f face) uncached(ctx context.Context, res mcp.Result) mcp.Result {
	none := mcp.Cacheable{CacheScope: private}
	switch r := res.(type) {
	case *mcp.ListToolsResult:
		if r != nil {
			list := *r // the SDK may share the original
			list.Cacheable = none
			return &list
		}
	case *mcp.ReadResourceResult:
		if _, ours := ctx.Value(askedKey{}).(string); ours && r != nil {
			r.Cacheable = none
		}
	}
	return res
}

// read answers a fetch. Errors are in the text, where the model sees them (PX1).
func (f face) read(ctx context.Context, host *serve.Host, req *mcp.ReadResourceRequest) *mcp.ReadResourceResult {
	uri, _ := ctx.Value(askedKey{}).(string) // set by routed
	body, err := serve.Do(ctx, host, req, "resources/read", readTimeout, func(ctx context.Context) (json.RawMessage, error) {
		return f.fetchQuery(ctx, serve.Session(req), strings.TrimPrefix(uri, f.opts.URI))
	})
	if err != nil {
		body = failureOf(err).body()
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mimeType, Text: string(body)}}}
}
