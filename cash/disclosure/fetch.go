package disclosure

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/search"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// fetchQuery answers a query of the resource.
func (s *Server) fetchQuery(ctx context.Context, ss *mcp.ServerSession, query string) (json.RawMessage, error) {
	if len(query) > maxQuery {
		return nil, tooMany()
	}
	return s.fetch(ctx, ss, parseTools(strings.TrimPrefix(query, "?")))
}

// fetch returns the descriptions of tools. It authorises them for the session, or with grants if ss is nil.
func (s *Server) fetch(ctx context.Context, ss *mcp.ServerSession, names []string) (json.RawMessage, error) {
	switch {
	case len(names) == 0:
		return nil, s.missing()
	case len(names) > maxNames:
		return nil, tooMany()
	case ss == nil && s.opts.Grants == nil:
		return nil, sessionRequired()
	}
	to := target{Server: s}
	if ss != nil {
		to.session = s.sessions.of(ss, s.fetches.limiter)
	}
	if err := to.allow(ctx); err != nil {
		return nil, err
	}
	if s.opts.Descriptions != nil && s.opts.Reload {
		s.opts.Descriptions.reload(s.opts.Serve.Logger)
	}
	return to.answer(ctx, names)
}

// target is the receiver of a fetch, with cached look-ups.
type target struct {
	*Server
	session *session // nil if grants are used

	functions []*registry.Function // visible to the caller; nil until needed
	names     []string             // of the functions
	unknown   int                  // number of unknown names so far
	single    bool                 // the answer is about one name
	guided    bool                 // the guidance for all tools is in the answer
	granted   bool                 // so is the use of grants
}

// allow counts the fetch against the limit of the session or of the caller.
func (t *target) allow(ctx context.Context) error {
	if t.session != nil {
		return t.fetches.allow(t.session.fetches)
	}
	return t.fetches.allowCaller(ctx, registry.CallerFrom(ctx).Owner())
}

// answer returns the object with the descriptions, in the order of names.
func (t *target) answer(ctx context.Context, names []string) (json.RawMessage, error) {
	var o strictjson.Builder
	seen := make(map[string]bool, len(names))
	t.single = len(names) == 1
	var fetched []*registry.Function
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, &registry.Error{Kind: registry.Canceled, Message: "The request was cancelled.", Err: err}
		}
		key := shown(name)
		if seen[key] {
			continue
		}
		seen[key] = true
		f, err := t.find(ctx, name)
		if err != nil {
			o.Add(key, t.absent(ctx, key, err))
			continue
		}
		fetched = append(fetched, f)
		o.Add(key, t.describe(ctx, f))
	}
	for _, f := range fetched {
		if t.session != nil {
			t.session.authorise(f.FlatName(), t.definition(f))
		}
	}
	return o.Object(), nil
}

// walk lists what the caller sees, once.
func (t *target) walk(ctx context.Context) {
	if t.names != nil {
		return
	}
	t.functions, _ = t.all(ctx) // the functions before an error are good enough
	t.names = make([]string, len(t.functions))
	for i, f := range t.functions {
		t.names[i] = f.FlatName()
	}
}

// grant returns a grant for a tool, or "" if there is a session.
func (t *target) grant(ctx context.Context, f *registry.Function) string {
	if t.session != nil {
		return ""
	}
	return t.opts.Grants.issue(ctx, t.opts.Now(), f.FlatName(), t.definition(f))
}

const (
	maxAvailable = 50 // tools listed for an unknown name
	maxUnknown   = 20 // unknown names that get such a list
)

// absent returns the entry of a name that does not exist for the caller (section 6.3), or is not available now.
func (t *target) absent(ctx context.Context, name string, err error) json.RawMessage {
	var o strictjson.Builder
	if e := registry.AsError(err); e.Kind == registry.Unavailable {
		o.AddText(envelope, fmt.Sprintf("Tool '%s' is not available now: %s", name, clean.Line(e.Error(), maxMessage)))
		return o.Object()
	}
	o.AddText(envelope, fmt.Sprintf("Tool '%s' not found", name))
	available := []string{}
	if t.unknown++; t.unknown <= maxUnknown {
		t.walk(ctx)
		available = closest(name, t.names)
	}
	o.Add("available_tools", asJSON(available))
	return o.Object()
}

// closest returns the names. If there are very many, the most similar ones come first.
func closest(name string, names []string) []string {
	if len(names) <= maxAvailable {
		return append([]string{}, names...)
	}
	list := search.Similar(name, names, maxAvailable)
	near := make(map[string]bool, len(list))
	for _, n := range list {
		near[n] = true
	}
	for _, n := range names {
		if len(list) >= maxAvailable {
			break
		}
		if !near[n] {
			list = append(list, n)
		}
	}
	return list
}
