package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// An argument is one of those that a prompt takes, all of them texts.
type argument struct {
	name, description string
	required          bool
}

// parsePrompt reads an entry of a list of prompts.
func parsePrompt(raw []byte) (*primitive, error) {
	p, err := parsePrimitive(raw, (*primitive).setPrompt)
	p.key = p.name
	if err == nil && p.name == "" {
		err = errors.New("no name")
	}
	return p, err
}

func (p *primitive) setPrompt(key string, value []byte) (err error) {
	switch key {
	case "name":
		return setText(&p.name, key, value)
	case "title":
		return setText(&p.title, key, value)
	case "description":
		return setText(&p.description, key, value)
	case "arguments":
		p.arguments, err = parseArguments(value)
	}
	return err
}

// maxArguments bounds the arguments of a prompt.
const maxArguments = 1000

func parseArguments(raw []byte) ([]argument, error) {
	switch kind := strictjson.KindOf(raw); kind {
	case strictjson.Array:
	case strictjson.Null:
		return nil, nil
	default:
		return nil, fmt.Errorf("arguments: want an array, got type %s", kind)
	}
	var list []argument
	for i, value := range strictjson.Elements(raw) {
		if i >= maxArguments {
			return nil, fmt.Errorf("arguments: at most %d are read", maxArguments)
		}
		a, err := parseArgument(value)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		list = append(list, a)
	}
	names := make(map[string]bool, len(list))
	for i, a := range list {
		if names[a.name] {
			return nil, fmt.Errorf("argument %d: the name of another", i+1)
		}
		names[a.name] = true
	}
	return list, nil
}

func parseArgument(raw []byte) (argument, error) {
	var a argument
	var title string
	if kind := strictjson.KindOf(raw); kind != strictjson.Object {
		return a, fmt.Errorf("want an object, got type %s", kind)
	}
	for key, value := range strictjson.Members(raw) {
		var err error
		switch key {
		case "name":
			err = setText(&a.name, key, value)
		case "title":
			err = setText(&title, key, value)
		case "description":
			err = setText(&a.description, key, value)
		case "required":
			err = setBool(&a.required, key, value)
		}
		if err != nil {
			return a, err
		}
	}
	if a.name == "" {
		return a, errors.New("no name")
	}
	a.description = firstOf(a.description, title)
	return a, nil
}

func setBool(field *bool, key string, value []byte) error {
	switch kind := strictjson.KindOf(value); kind {
	case strictjson.Bool:
		*field = string(strictjson.Trim(value)) == "true"
	case strictjson.Null:
	default:
		return fmt.Errorf("%s: want a boolean, got type %s", key, kind)
	}
	return nil
}

// argumentSchema is the schema of the arguments of a prompt.
func argumentSchema(arguments []argument) json.RawMessage {
	list := make([]schema.Property, len(arguments))
	for i, a := range arguments {
		about := clean.Cut(clean.Text(a.description), maxDescription)
		list[i] = schema.Property{Name: a.name, Type: "string", Description: about, Required: a.required}
	}
	return schema.Object(list, true)
}

// getter gets a prompt, as long as it is what the function was made of.
func (u *upstream) getter(b *branch, d *primitive) registry.Handler {
	return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
		arguments, err := promptArguments(c)
		if err != nil {
			return nil, err
		}
		return u.invoke(ctx, c, &request{
			meta:    u.via(ctx),
			current: func() *CallError { return b.current(d) },
			ask: func(ctx context.Context, s *session, p *mcp.CallToolParams, wire *mcpclient.Exchange) (*mcp.CallToolResult, error) {
				return s.getPrompt(ctx, &mcp.GetPromptParams{
					Name: d.key, Arguments: arguments, Meta: p.Meta, InputResponses: p.InputResponses, RequestState: p.RequestState,
				}, wire)
			},
			result: u.plainResult(c),
		})
	}
}

// promptArguments returns the arguments of a call as texts. Only those of a
// prompt that is unchecked can be anything else.
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

// getPrompt gets a prompt. Its messages are read from the wire, as are the
// contents of resources.
func (s *session) getPrompt(ctx context.Context, p *mcp.GetPromptParams, wire *mcpclient.Exchange) (*mcp.CallToolResult, error) {
	res, err := s.client.GetPrompt(ctx, p)
	if err == nil && res.InputRequests != nil {
		return &mcp.CallToolResult{InputRequests: res.InputRequests, RequestState: res.RequestState}, nil
	}
	if wire.Result() == nil || ctx.Err() != nil {
		return nil, err
	}
	return promptMessages(wire.Result()), nil
}

// promptMessages reads the messages of a prompt: a text each, with the role of
// who speaks in front. What is no text is a block of its own, after a text with
// the role. It returns nil if there is no list of them, or too long a one.
func promptMessages(raw json.RawMessage) *mcp.CallToolResult {
	return blocksOf(raw, "messages", maxBlocks, messageBlocks)
}

func messageBlocks(message json.RawMessage) []mcp.Content {
	role, content := "message", message
	for key, value := range strictjson.Members(message) {
		switch {
		case key == "role" && strictjson.KindOf(value) == strictjson.String:
			role = firstOf(clean.Line(strictjson.Text(value), maxRole), role)
		case key == "content":
			content = strictjson.Trim(value)
		}
	}
	block := readableBlock(content)
	if t, ok := block.(*mcp.TextContent); ok {
		return []mcp.Content{&mcp.TextContent{Text: role + ": " + t.Text, Meta: t.Meta, Annotations: t.Annotations}}
	}
	return []mcp.Content{&mcp.TextContent{Text: role + ":"}, block}
}

// maxRole bounds what is shown of a role, in characters.
const maxRole = 20
