package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/cashsource"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/toolid"
)

// maxPages bounds the pages of a list. No honest server reaches it.
const maxPages = 1000

// maxBytes bounds a list over all pages. Tests lower it.
var maxBytes = 64 << 20

// list returns the server's things of a kind: all pages, joined into one JSON array. It stops reading after
// wire.MaxEntries; [wire.List] cuts the rest.
func (s *session) list(ctx context.Context, kind toolid.Kind) (json.RawMessage, error) {
	if !s.offers(kind) && kind != toolid.Tool { // tools are always asked for: old servers declare no capabilities
		return json.RawMessage("[]"), nil
	}
	s.forget(ctx, kind)
	all, method := []byte("["), listMethod(kind)
	cursor, seen, count, size := "", make(map[string]bool), 0, 0
	for range maxPages {
		page, next, n, err := s.page(ctx, kind, cursor)
		if err != nil {
			if s.hasNone(kind, err) {
				return json.RawMessage("[]"), nil
			}
			return nil, err
		}
		for _, one := range strictjson.Elements(page) {
			if len(all) > 1 {
				all = append(all, ',')
			}
			all = append(all, one...)
			count++
		}
		size += n
		switch {
		case next == "" || count > wire.MaxEntries:
			return append(all, ']'), nil
		case size > maxBytes:
			return nil, &CallError{Class: TooLarge, Sent: true, Reason: fmt.Sprintf(
				"the pages of its %s have more than %s in all: have it list fewer, or say less of each", method, mcpclient.Size(maxBytes))}
		case seen[next]:
			return nil, &CallError{Class: Malformed, Sent: true, Reason: "its " + method + " never ends: a page leads back to an earlier one"}
		}
		seen[next] = true
		cursor = next
	}
	return nil, &CallError{Class: Malformed, Sent: true, Reason: fmt.Sprintf("its %s has more than %s pages: have it list more on each", method, mcpclient.Count(maxPages))}
}

// listMethod is the protocol's method that lists things of a kind.
func listMethod(kind toolid.Kind) string { return string(kind) + "s/list" }

// offers reports whether the server declares the capability for a kind.
func (s *session) offers(kind toolid.Kind) bool {
	r := s.client.InitializeResult()
	if r == nil || r.Capabilities == nil {
		return false
	}
	switch kind {
	case toolid.Resource:
		return r.Capabilities.Resources != nil
	case toolid.Prompt:
		return r.Capabilities.Prompts != nil
	}
	return r.Capabilities.Tools != nil
}

// hasNone reports whether err means that the server has nothing of a kind: it does not know the method. For tools
// that is an error if the server has declared them.
func (s *session) hasNone(kind toolid.Kind, err error) bool {
	var e *CallError
	return errors.As(err, &e) && e.Class == Refused && e.Code == jsonrpc.CodeMethodNotFound && (kind != toolid.Tool || !s.offers(kind))
}

// page returns one page of a list as it was on the wire, the cursor of the next page, and the size in bytes.
func (s *session) page(ctx context.Context, kind toolid.Kind, cursor string) (page json.RawMessage, next string, size int, err error) {
	ctx, x := mcpclient.WithExchange(ctx)
	err = s.ask(ctx, kind, cursor)
	if x.Result() == nil { // otherwise we may read what the SDK cannot
		e := classify(ctx, err, x)
		if e.Class == TooLarge && !e.flooded {
			e.Reason = fmt.Sprintf("its %s answer has more than %s, which is MaxMessage (max_message): raise that, or have it list in pages",
				listMethod(kind), mcpclient.Size(s.cfg.MaxMessage))
		}
		return nil, "", 0, e
	}
	list := strictjson.Member(x.Result(), string(kind)+"s")
	next = strictjson.Text(strictjson.Member(x.Result(), "nextCursor"))
	switch k := strictjson.KindOf(list); {
	case k == strictjson.Array:
		page = list
	case list != nil && k == strictjson.Null: // as some write an empty list
	case kind == toolid.Tool: // without a list there are no tools
	default:
		return nil, "", 0, &CallError{Class: Malformed, Sent: true, Reason: fmt.Sprintf("its %s answer has no list of %ss", listMethod(kind), kind)}
	}
	return page, next, len(x.Result()), nil
}

// ask requests one page.
func (s *session) ask(ctx context.Context, kind toolid.Kind, cursor string) (err error) {
	meta := s.via(ctx)
	switch kind {
	case toolid.Resource:
		_, err = s.client.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor, Meta: meta})
	case toolid.Prompt:
		_, err = s.client.ListPrompts(ctx, &mcp.ListPromptsParams{Cursor: cursor, Meta: meta})
	default:
		_, err = s.client.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor, Meta: meta})
	}
	return err
}

// forget empties the SDK's cache of a list. That cache grows with every cursor a server invents and lasts as long
// as the server says. Here every list is read anew.
func (s *session) forget(ctx context.Context, kind toolid.Kind) {
	switch kind {
	case toolid.Resource:
		_, _ = s.receive(ctx, "notifications/resources/list_changed", &mcp.ResourceListChangedRequest{Session: s.client, Params: new(mcp.ResourceListChangedParams)})
	case toolid.Prompt:
		_, _ = s.receive(ctx, "notifications/prompts/list_changed", &mcp.PromptListChangedRequest{Session: s.client, Params: new(mcp.PromptListChangedParams)})
	default:
		_, _ = s.receive(ctx, "notifications/tools/list_changed", &mcp.ToolListChangedRequest{Session: s.client, Params: new(mcp.ToolListChangedParams)})
	}
}

// tool calls help or skill of a CaSH server. meta is added to the metadata; may be nil.
func (s *session) tool(ctx context.Context, name string, arguments map[string]any, meta mcp.Meta) (*wire.Answer, *CallError) {
	ctx, x := mcpclient.WithExchange(ctx)
	all := s.via(ctx)
	maps.Copy(all, meta)
	res, err := s.client.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments, Meta: all})
	if err != nil {
		return nil, classify(ctx, err, x)
	}
	return wire.NewAnswer(res, x.Result()), nil
}

// askFor is tool with an error interface, for package cashsource.
func (s *session) askFor(ctx context.Context, name string, arguments map[string]any) (*wire.Answer, error) {
	a, e := s.tool(ctx, name, arguments, nil)
	switch {
	case e == nil:
		return a, nil
	case e.cut():
		return nil, &cashsource.Error{Kind: cashsource.Cut, Err: e}
	case e.Class == TimedOut:
		return nil, &cashsource.Error{Kind: cashsource.Late, Err: e}
	}
	return nil, e
}
