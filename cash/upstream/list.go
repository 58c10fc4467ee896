package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/cashsource"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/toolid"
)

// maxPages bounds the pages of a list. A server of honest size does not meet it.
const maxPages = 1000

// maxBytes bounds all pages of a list. Tests lower it.
var maxBytes = 64 << 20

// list returns what the server has of a kind, from all pages, as JSON arrays
// joined into one. Of a list of more than wire.MaxEntries it reads no more pages than that
// takes: [wire.List] cuts it, whatever the pages are.
func (s *session) list(ctx context.Context, kind toolid.Kind) (json.RawMessage, error) {
	if !s.offers(kind) && kind != toolid.Tool { // tools go without saying: there were servers before there were capabilities
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

// listMethod is the method of the protocol by which things of a kind are listed.
func listMethod(kind toolid.Kind) string { return string(kind) + "s/list" }

// offers reports whether the server says that it has something of a kind.
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

// hasNone reports whether err says that the server knows nothing of a kind: the
// method is not known to it. Of tools that is an error if it said that it has
// some.
func (s *session) hasNone(kind toolid.Kind, err error) bool {
	var e *CallError
	return errors.As(err, &e) && e.Class == Refused && e.Code == jsonrpc.CodeMethodNotFound && (kind != toolid.Tool || !s.offers(kind))
}

// page returns a page of a list, as it was on the wire, where the next one
// begins, and how many bytes all of that had.
func (s *session) page(ctx context.Context, kind toolid.Kind, cursor string) (page json.RawMessage, next string, size int, err error) {
	ctx, x := mcpclient.WithExchange(ctx)
	err = s.ask(ctx, kind, cursor)
	if x.Result() == nil { // else what the SDK cannot read, we may
		e := classify(ctx, err, x)
		if e.Class == TooLarge && !e.flooded {
			e.Reason = fmt.Sprintf("its %s answer has more than %s, which is MaxMessage (max_message): raise that, or have it list in pages",
				listMethod(kind), mcpclient.Size(s.cfg.MaxMessage))
		}
		return nil, "", 0, e
	}
	found := kind == toolid.Tool // without a list there are no tools
	for key, value := range strictjson.Members(x.Result()) {
		switch k := strictjson.KindOf(value); {
		case key == string(kind)+"s" && k == strictjson.Array:
			page, found = strictjson.Trim(value), true
		case key == string(kind)+"s" && k == strictjson.Null: // as some write an empty list
			found = true
		case key == "nextCursor" && k == strictjson.String:
			next = strictjson.Text(value)
		}
	}
	if !found {
		return nil, "", 0, &CallError{Class: Malformed, Sent: true, Reason: fmt.Sprintf("its %s answer has no list of %ss", listMethod(kind), kind)}
	}
	return page, next, len(x.Result()), nil
}

// ask asks for a page.
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

// forget empties the SDK's cache of a list, which grows with every name that a
// server gives to a page, and answers for as long as the server says. Here a
// list is read when there is a reason to.
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

// tool calls one of the tools of a CaSH server by which it is read.
func (s *session) tool(ctx context.Context, name string, arguments map[string]any) (*wire.Answer, *CallError) {
	ctx, x := mcpclient.WithExchange(ctx)
	res, err := s.client.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments, Meta: s.via(ctx)})
	if err != nil {
		return nil, classify(ctx, err, x)
	}
	return wire.NewAnswer(res, x.Result()), nil
}

// askFor is tool for the reading of a CaSH server.
func (s *session) askFor(ctx context.Context, name string, arguments map[string]any) (*wire.Answer, error) {
	a, e := s.tool(ctx, name, arguments)
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
