package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

var noArguments = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)

// maxMIME bounds the MIME type in a description, in characters.
const maxMIME = 100

func withMIME(about, mime string) string {
	if mime = clean.Line(mime, maxMIME); mime == "" {
		return about
	}
	return strings.TrimSpace(about + " (" + mime + ")")
}

// reader returns the handler that reads a resource, as long as it is in the list.
func (b *branch) reader(d *wire.Primitive) registry.Handler {
	return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
		return b.invoke(ctx, c, &request{
			current: func() *CallError { return b.current(d) },
			ask: func(ctx context.Context, s *session, p *mcp.CallToolParams, sent *mcpclient.Exchange) (*mcp.CallToolResult, error) {
				return readResource(ctx, s, &mcp.ReadResourceParams{
					URI: d.Key, Meta: p.Meta, InputResponses: p.InputResponses, RequestState: p.RequestState,
				}, sent)
			},
			result: plainResult,
		})
	}
}

// plainResult is the result of a resource or prompt: it has no structured content.
func plainResult(a *wire.Answer, _ bool) (*registry.Result, error) {
	a.Structured = nil
	return a.Result(), nil
}

// readResource reads a resource. Its contents are parsed from the wire, so that one odd content does not spoil the
// others.
func readResource(ctx context.Context, s *session, p *mcp.ReadResourceParams, sent *mcpclient.Exchange) (*mcp.CallToolResult, error) {
	res, err := s.client.ReadResource(ctx, p)
	s.forgetResource(ctx, p.URI)
	if err == nil && res.InputRequests != nil {
		return &mcp.CallToolResult{InputRequests: res.InputRequests, RequestState: res.RequestState}, nil
	}
	raw := sent.Result()
	if raw == nil || ctx.Err() != nil {
		return nil, err
	}
	return wire.ResourceContents(raw, p.URI), nil
}

// forgetResource clears the SDK's cache of a resource that was read: caching is decided elsewhere.
func (s *session) forgetResource(ctx context.Context, uri string) {
	_, _ = s.receive(ctx, resourceUpdated, &mcp.ResourceUpdatedNotificationRequest{
		Session: s.client, Params: &mcp.ResourceUpdatedNotificationParams{URI: uri},
	})
}

const resourceUpdated = "notifications/resources/updated"

// argumentSchema returns the JSON Schema for the arguments of a prompt.
func argumentSchema(arguments []wire.Argument) json.RawMessage {
	list := make([]schema.Property, len(arguments))
	for i, a := range arguments {
		about := clean.Cut(clean.Text(a.Description), maxDescription)
		list[i] = schema.Property{Name: a.Name, Type: "string", Description: about, Required: a.Required}
	}
	return schema.Object(list, true)
}

// getter returns the handler that gets a prompt, as long as its definition has not changed.
func (b *branch) getter(d *wire.Primitive) registry.Handler {
	return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
		arguments, err := promptArguments(c)
		if err != nil {
			return nil, err
		}
		return b.invoke(ctx, c, &request{
			current: func() *CallError { return b.current(d) },
			ask: func(ctx context.Context, s *session, p *mcp.CallToolParams, sent *mcpclient.Exchange) (*mcp.CallToolResult, error) {
				return getPrompt(ctx, s, &mcp.GetPromptParams{
					Name: d.Key, Arguments: arguments, Meta: p.Meta, InputResponses: p.InputResponses, RequestState: p.RequestState,
				}, sent)
			},
			result: plainResult,
		})
	}
}

// promptArguments returns the arguments of a call as strings. Only an unchecked prompt can have others.
func promptArguments(c *registry.Call) (map[string]string, error) {
	arguments := make(map[string]string)
	for name, value := range strictjson.Members(c.Arguments) {
		if strictjson.KindOf(value) != strictjson.String {
			return nil, &registry.Error{
				Kind: registry.InvalidArguments, Namespace: c.Function.Namespace(), Name: c.Function.Name(), NotRun: true,
				Message: fmt.Sprintf("The argument %q is no text.", clean.Line(name, 64)), Hint: "Prompts take texts only.",
			}
		}
		arguments[name] = strictjson.Text(value)
	}
	return arguments, nil
}

// getPrompt gets a prompt. Its messages are parsed from the wire, like the contents of resources.
func getPrompt(ctx context.Context, s *session, p *mcp.GetPromptParams, sent *mcpclient.Exchange) (*mcp.CallToolResult, error) {
	res, err := s.client.GetPrompt(ctx, p)
	if err == nil && res.InputRequests != nil {
		return &mcp.CallToolResult{InputRequests: res.InputRequests, RequestState: res.RequestState}, nil
	}
	if sent.Result() == nil || ctx.Err() != nil {
		return nil, err
	}
	return wire.PromptMessages(sent.Result()), nil
}
