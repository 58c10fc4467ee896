package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// maxID bounds the ids that are looked at: none is longer, also with every
// character escaped.
const maxID = 1024

// resolve returns the function that an id stands for. The spelling may be that of
// a URL, or in a [Proxy] that of a tool's name on the wire (section 4.1).
func (s *Server) resolve(ctx context.Context, c *catalog, text string) (*registry.Function, error) {
	id, err := s.parse(ctx, c, text)
	if err != nil {
		return nil, &Error{Code: c.unknown, Err: err, Message: fmt.Sprintf("%q is not an id. Take one from a card, as it stands there.", clean.Line(text, 80))}
	}
	if id.Kind == toolid.Skill && c == s.tools && s.opts.Mode == Gateway { // those that there are have been looked for
		return nil, &Error{Code: c.unknown, Message: fmt.Sprintf("Nothing has the id `%s`. Browse again for what there is.", clean.Line(text, 80))}
	}
	if id.Kind != c.kind {
		return nil, &Error{Code: c.unknown, Message: fmt.Sprintf("%s is the id of a %s. %s", clean.Line(text, 80), id.Kind, whatTakes[id.Kind])}
	}
	f, err := registry.Find(ctx, c.source, id)
	if errors.Is(err, registry.UnknownFunction) {
		return nil, s.unknown(ctx, c, id, err)
	}
	return f, err
}

// whatTakes says which tool takes the ids of a kind.
var whatTakes = map[toolid.Kind]string{
	toolid.Tool:     "Use tool_execute for it.",
	toolid.Resource: "Use resource_read for it.",
	toolid.Prompt:   "Use prompt_get for it.",
	toolid.Skill:    "Use tool_execute for it.",
}

func (s *Server) parse(ctx context.Context, c *catalog, text string) (toolid.Primitive, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxID {
		return toolid.Primitive{}, errors.New("too long")
	}
	id, err := toolid.ParsePrimitive(text)
	if err == nil {
		return id, nil
	}
	if plain, e := url.PathUnescape(text); e == nil && plain != text {
		return toolid.ParsePrimitive(plain)
	}
	if s.opts.Mode == Proxy && s.opts.WireNames != nil && c == s.tools {
		if spelled, ok := toolid.NewWireNames(s.ids(ctx)).ID(text); ok {
			return toolid.ParsePrimitive(spelled)
		}
	}
	return id, err
}

// ids are those of all functions that the caller sees.
func (s *Server) ids(ctx context.Context) []string {
	var ids []string
	_ = registry.Walk(ctx, s.tools.source, "", func(l *registry.Listing) error { // what was seen before an error will do
		for _, f := range l.Functions {
			ids = append(ids, f.ID().String())
		}
		return nil
	})
	return ids
}

// unknown is the error for an id that is not there. It names what may be meant:
// the same function under its present id, or others of a similar name.
func (s *Server) unknown(ctx context.Context, c *catalog, id toolid.Primitive, cause error) *Error {
	e := &Error{Code: c.unknown, Err: cause, Message: registry.AsError(cause).Message}
	path, name := place(id)
	var ids []string
	f, err := c.source.Function(ctx, path, name)
	if err != nil && path == "mcp" { // where the root's own are
		f, err = c.source.Function(ctx, "", name)
	}
	if err == nil {
		ids = []string{f.Primitive().String()}
		e.Message += fmt.Sprintf(" What stands in its place has changed: its id is `%s` now.", ids[0])
	} else {
		for _, m := range registry.Suggest(ctx, c.source, registry.NoFunction(path, name)) {
			if f, err := c.source.Function(ctx, m.Namespace, m.Name); m.Name != "" && err == nil {
				ids = append(ids, f.Primitive().String())
			}
		}
		if len(ids) > 0 {
			e.Message += fmt.Sprintf(" Did you mean `%s`?", strings.Join(ids, "` or `"))
		}
	}
	if len(ids) > 0 {
		e.Details = map[string]any{"suggestions": ids}
	}
	e.Message = clean.Line(e.Message+" Browse again for what there is.", maxMessage)
	return e
}

// place returns where in the tree an id points, if nothing was changed to make it
// fit.
func place(id toolid.Primitive) (path, name string) {
	rest, name := "", strings.ReplaceAll(id.Name, "-", "_")
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		rest, name = name[:i], name[i+1:]
	}
	parts := slices.DeleteFunc([]string{strings.ReplaceAll(id.Namespace, "-", "_"), rest}, func(p string) bool { return p == "" })
	return strings.Join(parts, "."), name
}
