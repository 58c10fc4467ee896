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

// maxID is the most bytes of an id that is looked up. No valid id is longer, even with every
// character escaped.
const maxID = 1024

// resolve returns the function with an id. The id may be escaped as in a URL. In a [Proxy] it may
// also be a tool's name on the wire (section 4.1).
func (s *Server) resolve(ctx context.Context, c *catalog, text string) (*registry.Function, error) {
	id, err := s.parse(ctx, c, text)
	return s.find(ctx, c, text, id, err)
}

// find is resolve for a parsed id. id and err are the outcome of the parse.
func (s *Server) find(ctx context.Context, c *catalog, text string, id toolid.Primitive, err error) (*registry.Function, error) {
	switch {
	case err != nil:
		path, name := placeOfText(text)
		ids := s.named(ctx, c, partsOfText(text))
		if ids == nil {
			ids, _ = s.meant(ctx, c, path, name)
		}
		return nil, s.suggest(c, err, fmt.Sprintf("%q is not an id.", clean.Line(text, 80)), ids)
	case id.Kind != c.kind:
		if taker := s.taker(c, id.Kind); taker != "" {
			return nil, &Error{Code: c.unknown, Message: fmt.Sprintf("`%s` is the id of a %s. Use %s for it.", clean.Line(text, 80), id.Kind, taker)}
		}
		return nil, s.suggest(c, nil, fmt.Sprintf("Nothing has the id `%s`.", clean.Line(text, 80)), nil)
	}
	f, err := registry.Find(ctx, c.source, id)
	if errors.Is(err, registry.UnknownFunction) {
		return nil, s.unknown(ctx, c, id, err)
	}
	return f, err
}

// taker returns the tool for ids of a kind that c does not have, or "". The caller has already
// looked for skills.
func (s *Server) taker(c *catalog, kind toolid.Kind) string {
	switch {
	case kind == toolid.Resource && s.resources != nil:
		return "resource_read"
	case kind == toolid.Prompt && s.prompts != nil:
		return "prompt_get"
	case (kind == toolid.Tool || kind == toolid.Skill) && c != s.tools:
		return executeName
	}
	return ""
}

// parseID parses an id, which may be escaped as in a URL.
func parseID(text string) (toolid.Primitive, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxID {
		return toolid.Primitive{}, errors.New("too long")
	}
	id, err := toolid.ParsePrimitive(text)
	if plain, e := url.PathUnescape(text); err != nil && e == nil && plain != text {
		return toolid.ParsePrimitive(plain)
	}
	return id, err
}

// parse parses an id, or a name that stands for one.
func (s *Server) parse(ctx context.Context, c *catalog, text string) (toolid.Primitive, error) {
	id, err := parseID(text)
	if err == nil || len(text) > maxID {
		return id, err
	}
	text = strings.TrimSpace(text)
	if s.opts.Mode == Proxy && c == s.tools && wireForm.MatchString(text) {
		if spelled, ok := toolid.NewWireNames(s.spelledLike(ctx, text)).ID(text); ok {
			return toolid.ParsePrimitive(spelled)
		}
	}
	return id, err
}

// wirePrefix is the number of characters of an id that all of its names on the wire begin with.
const wirePrefix = 31

// spelledLike returns the ids that a name on the wire may stand for, of the functions that the
// caller sees: those in the namespace that it begins with. All ids that share a name are among them.
func (s *Server) spelledLike(ctx context.Context, name string) []string {
	var ids []string
	_ = registry.Walk(ctx, s.tools.source, "", func(l *registry.Listing) error { // earlier ids count
		for _, f := range l.Functions {
			p := f.Primitive()
			if p.Kind == toolid.Tool && !strings.HasPrefix(name, p.Namespace[:min(len(p.Namespace), wirePrefix)]) {
				continue
			}
			if _, err := s.cards.of(f); err == nil { // without a card it is not listed
				ids = append(ids, p.String())
			}
		}
		return ctx.Err()
	})
	return ids
}

// unknown is the error for an unknown id. It names similar ids: that of the same function now, or
// those of functions with a similar name.
func (s *Server) unknown(ctx context.Context, c *catalog, id toolid.Primitive, cause error) *Error {
	path, name := place(id)
	ids := s.named(ctx, c, id.ID)
	there := ids != nil
	if !there {
		ids, there = s.meant(ctx, c, path, name)
	}
	if slices.Contains(ids, id.String()) { // several functions have it; the cause says so
		e := s.asError(cause)
		e.Code = c.unknown
		return e
	}
	message := registry.AsError(cause).Message
	if there {
		message += " What stands in its place has changed."
	}
	return s.suggest(c, cause, message, ids)
}

// maxNamed is the most ids that are suggested for one namespace and name.
const maxNamed = 3

// named returns the ids with the namespace and the name of id, whatever their places, versions and
// hashes are.
func (s *Server) named(ctx context.Context, c *catalog, id toolid.ID) (ids []string) {
	if id.Namespace == "" || id.Name == "" {
		return nil
	}
	_ = registry.Walk(ctx, c.source, "", func(l *registry.Listing) error { // earlier ids count
		for _, f := range l.Functions {
			if p := f.Primitive(); p.Namespace == id.Namespace && p.Name == id.Name && p.Kind == c.kind && len(ids) < maxNamed {
				ids = append(ids, p.String())
			}
		}
		return nil
	})
	return ids
}

// partsOfText returns the namespace and name of a text that is an id without its version or hash.
func partsOfText(text string) toolid.ID {
	if len(text) > maxID {
		return toolid.ID{}
	}
	if _, rest, ok := strings.Cut(text, "::"); ok {
		text = rest
	}
	if i := strings.IndexAny(text, "#@"); i >= 0 {
		text = text[:i]
	}
	namespace, name, _ := strings.Cut(strings.TrimSpace(text), ":")
	return toolid.ID{Namespace: namespace, Name: name}
}

// meant returns the ids of the functions at a place in the tree, or else of functions with a
// similar name. there is true for the former.
func (s *Server) meant(ctx context.Context, c *catalog, path, name string) (ids []string, there bool) {
	if name == "" {
		return nil, false
	}
	f, err := c.source.Function(ctx, path, name)
	if err != nil && path == "mcp" { // mcp stands for the root
		f, err = c.source.Function(ctx, "", name)
	}
	if err == nil {
		return []string{f.Primitive().String()}, true
	}
	for _, m := range registry.Suggest(ctx, c.source, registry.NoFunction(path, name)) {
		if f, err := c.source.Function(ctx, m.Namespace, m.Name); m.Name != "" && err == nil {
			ids = append(ids, f.Primitive().String())
		}
	}
	return ids, false
}

// suggest is the error for an unknown id, with similar ids, or else with the way to find ids.
func (s *Server) suggest(c *catalog, cause error, message string, ids []string) *Error {
	e := &Error{Code: c.unknown, Err: cause}
	switch {
	case len(ids) > 0:
		message += fmt.Sprintf(" Did you mean `%s`?", strings.Join(ids, "` or `"))
		e.Details = map[string]any{"suggestions": ids}
	case c == s.tools && s.opts.Mode == Proxy:
		message += " The ids are the names in tools/list."
	default:
		message += " Browse for what there is: ids stand on the cards."
	}
	e.Message = clean.Line(message, maxMessage)
	return e
}

// place returns the path and name of an id's function, if they can be told from the id.
func place(id toolid.Primitive) (path, name string) {
	rest, name := "", strings.ReplaceAll(id.Name, "-", "_")
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		rest, name = name[:i], name[i+1:]
	}
	parts := slices.DeleteFunc([]string{strings.ReplaceAll(id.Namespace, "-", "_"), rest}, func(p string) bool { return p == "" })
	return strings.Join(parts, "."), name
}

// placeOfText returns the path and name of a text that is no id: one without its hash, a dotted name,
// or a path.
func placeOfText(text string) (path, name string) {
	if len(text) > maxID {
		return "", ""
	}
	if _, rest, ok := strings.Cut(text, "::"); ok {
		text = rest
	}
	if i := strings.IndexAny(text, "#@"); i >= 0 {
		text = text[:i]
	}
	parts := strings.FieldsFunc(strings.ReplaceAll(text, "-", "_"), func(r rune) bool { return strings.ContainsRune(":./ \t\n", r) })
	if len(parts) == 0 {
		return "", ""
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], "."), parts[last]
}
