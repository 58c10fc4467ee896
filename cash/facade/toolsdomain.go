package facade

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// toolRef is the schema of arguments that name a function and its arguments.
const toolRef = `{"type":"object","properties":{` +
	`"name":{"type":"string","description":"Dotted name of the tool, such as orders.create."},` +
	`"arguments":{"type":"object","description":"The tool's arguments by name."}},"required":["name"],"additionalProperties":false}`

// toolCommands returns the commands of ToolsExecute (F12).
func (s *Server) toolCommands() []*registry.Function {
	execute := func(context.Context, json.RawMessage) (*registry.Result, error) {
		return nil, &registry.Error{Kind: registry.Internal, Message: "No tool was run."} // see execution.tool
	}
	return []*registry.Function{
		registry.Func("list", "List the tools that there are, or those that fit a query, best first.", s.listTools, registry.ReadOnly),
		registry.Func("get", "Show the definition of a tool.", s.getTool, registry.ReadOnly),
		rawFunc("validate", "Check arguments for a tool, without running it.", s.validateTool, registry.ReadOnly, registry.Untrimmed),
		rawFunc(executeName, "Run a tool.", execute, registry.Destructive(true)), // the function may be anything
	}
}

func rawFunc(name, description string, f func(context.Context, json.RawMessage) (*registry.Result, error), facts ...registry.FuncOption) *registry.Function {
	fn, err := registry.RawFunc(name, description, json.RawMessage(toolRef), f, facts...)
	if err != nil {
		panic("facade: " + err.Error())
	}
	return fn
}

// maxFound bounds the tools that a query counts.
const maxFound = 1 << 20

// toolQuery is the input of the command list.
type toolQuery struct {
	Query     string `json:"query,omitempty" jsonschema:"What is needed, in words. Omit it for all tools."`
	Namespace string `json:"namespace,omitempty" jsonschema:"Only the tools in it and below, such as orders."`
	Limit     int    `json:"limit,omitempty" jsonschema:"Most tools to list." cash:"min=1,max=200,default=50"`
}

// toolEntry is a tool in a list.
type toolEntry struct {
	Name        string          `json:"name" cash:"detail=minimal"` // dotted
	Description string          `json:"description,omitempty" cash:"detail=standard,excerpt=160"`
	Safety      control.Class   `json:"safety" cash:"detail=standard"`
	Returns     string          `json:"returns,omitempty" cash:"detail=full"`
	InputSchema json.RawMessage `json:"inputSchema" cash:"detail=full"`
}

// found is the shown part of a list, with the total number of items.
type found[T any] struct {
	items []T
	total int
}

// Count implements [registry.Counter].
func (f found[T]) Count() int { return f.total }

// Detail implements [registry.Detailer].
func (f found[T]) Detail(registry.Detail) any { return f.items }

// MarshalJSON writes the list alone.
func (f found[T]) MarshalJSON() ([]byte, error) { return strictjson.MustMarshal(f.items), nil }

func (s *Server) listTools(ctx context.Context, in toolQuery) (found[toolEntry], error) {
	functions, total, err := s.functions(ctx, in)
	if err != nil {
		return found[toolEntry]{}, err
	}
	list := found[toolEntry]{items: make([]toolEntry, len(functions)), total: total}
	for i, f := range functions {
		list.items[i] = toolEntry{
			Name: f.Path(), Description: clean.FirstLine(f.About(), maxAbout), Safety: control.ClassOf(f),
			Returns: clean.Text(f.Returns()), InputSchema: clean.JSON(f.InputSchema()),
		}
	}
	return list, nil
}

// functions returns the matching functions that the caller in ctx sees, up to the limit, and their total number.
func (s *Server) functions(ctx context.Context, in toolQuery) (list []*registry.Function, total int, err error) {
	src := s.source
	l, err := src.List(ctx, in.Namespace)
	switch {
	case err != nil:
		return nil, 0, err
	case l.Unavailable != nil && len(l.Functions)+len(l.Namespaces) == 0: // an error, not an empty list
		return nil, 0, unavailable("`"+l.Namespace+"`", l.Unavailable)
	case in.Query == "":
		err = registry.Walk(ctx, src, in.Namespace, func(l *registry.Listing) error {
			list = append(list, l.Functions...)
			return ctx.Err()
		})
		return list[:min(len(list), in.Limit)], len(list), err
	}
	matches := registry.Search(ctx, src, in.Namespace, in.Query, maxFound)
	for _, m := range matches[:min(len(matches), in.Limit)] {
		if f, err := src.Function(ctx, m.Namespace, m.Name); err == nil { // a function that has disappeared is skipped
			list = append(list, f)
		}
	}
	return list, len(matches), nil
}

// namedTool is the input of the command get.
type namedTool struct {
	Name string `json:"name" jsonschema:"Dotted name of the tool, such as orders.create."`
}

// definition is a tool as shown by the command get.
type definition struct {
	Name        string          `json:"name" cash:"detail=minimal"`
	Description string          `json:"description,omitempty" cash:"detail=standard"`
	Safety      control.Class   `json:"safety" cash:"detail=standard"`
	InputSchema json.RawMessage `json:"inputSchema" cash:"detail=standard"`
	Returns     string          `json:"returns,omitempty" cash:"detail=standard"`
	Idempotent  bool            `json:"idempotent,omitempty" cash:"detail=full"`
	Aliases     []string        `json:"aliases,omitempty" cash:"detail=full"`
	Tags        []string        `json:"tags,omitempty" cash:"detail=full"`
}

func (s *Server) getTool(ctx context.Context, in namedTool) (*definition, error) {
	f, err := s.tool(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	return &definition{
		Name: f.Path(), Description: f.About(), Safety: control.ClassOf(f),
		InputSchema: clean.JSON(f.InputSchema()), Returns: clean.Text(f.Returns()),
		Idempotent: f.Idempotent(), Aliases: f.Aliases(), Tags: f.Tags(),
	}, nil
}

// validateTool checks arguments like a call, without running it.
func (s *Server) validateTool(ctx context.Context, data json.RawMessage) (*registry.Result, error) {
	f, arguments, err := s.named(ctx, data)
	if err != nil {
		return nil, err
	}
	verdict := struct {
		Name   string `json:"name"`
		Valid  bool   `json:"valid"`
		Reason string `json:"reason,omitempty"`
	}{Name: f.Path(), Valid: true}
	if _, err := s.pipeline.Prepare(ctx, &registry.Request{Find: registry.Found(f), Arguments: arguments}); err != nil {
		e := registry.AsError(withParameters(f.Path(), f, err))
		if e.Kind != registry.InvalidArguments {
			return nil, e
		}
		verdict.Valid, verdict.Reason = false, cleanError(e.For(word).Error())
	}
	r := registry.TextResult(string(strictjson.MustMarshal(verdict)))
	r.JSON = true
	return r, nil
}

// tool returns the function of the source with a dotted name.
func (s *Server) tool(ctx context.Context, name string) (*registry.Function, error) {
	f, err := lookup(ctx, s.source, "", name)
	if isUnknown(err) {
		return nil, &registry.Error{
			Kind: registry.UnknownFunction, NotRun: true,
			Message: fmt.Sprintf("Unknown tool: %s.", shown(name)),
			Hint:    "The command list shows the names that there are.",
		}
	}
	if errors.Is(err, registry.Unavailable) {
		return nil, unavailable("`"+shown(name)+"`", err)
	}
	return f, err
}
