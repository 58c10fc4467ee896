package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/cashsource"
	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/registry"
)

// settings are what is known of an upstream from the beginning. They do not change.
type settings struct {
	cfg       Server
	mounts    []mount
	log       *slog.Logger
	server    string             // tells the server from every other one
	connector mcp.Implementation // who connects
	self      string             // the instance of the registry that it is mounted in
}

// mount is a place in the tree where a server stands.
type mount = cashsource.Mount

// describe is the line that stands at a mount.
func (s *settings) describe(m mount, about string) string {
	return cmp.Or(m.Description, s.cfg.Description, about)
}

// patience is the deadline of the function in the pipeline. The ones that count
// are set where the call is made: this one leaves room for connecting, for
// waiting and for the answer of a person.
func (s *settings) patience() time.Duration {
	return s.cfg.ConnectTimeout + 2*s.cfg.Timeout + askTimeout
}

// via is the metadata by which servers notice that they mount one another.
func (s *settings) via(ctx context.Context) mcp.Meta {
	return mcp.Meta{registry.MetaVia: append(slices.Clip(registry.Via(ctx)), s.self)}
}

// hints takes over what the server and the operator say of the effects of a
// tool.
func (s *settings) hints(e *entry) []registry.FuncOption {
	var a struct{ ReadOnlyHint, IdempotentHint, DestructiveHint, OpenWorldHint *bool }
	if !s.cfg.IgnoreHints && len(e.def.Annotations) > 0 {
		_ = json.Unmarshal(e.def.Annotations, &a) // hints of a wrong type are none
	}
	var facts []registry.FuncOption
	if a.OpenWorldHint != nil {
		facts = append(facts, registry.OpenWorld(*a.OpenWorldHint))
	}
	if a.ReadOnlyHint != nil && *a.ReadOnlyHint || slices.Contains(s.cfg.ReadOnly, e.def.Name) || s.vouched(e.name) {
		return append(facts, registry.ReadOnly)
	}
	if a.IdempotentHint != nil {
		facts = append(facts, registry.Idempotent(*a.IdempotentHint))
	}
	if a.DestructiveHint != nil {
		facts = append(facts, registry.Destructive(*a.DestructiveHint))
	}
	return facts
}

// vouched reports whether the operator says that calling changes nothing.
func (s *settings) vouched(path string) bool {
	for _, name := range s.cfg.ReadOnly {
		if name == path || canonicalPath(name) != "" && canonicalPath(name) == canonicalPath(path) {
			return true
		}
	}
	return false
}

// returns says what a tool answers.
func returns(outputSchema json.RawMessage) string {
	if len(outputSchema) == 0 {
		return ""
	}
	s, err := schema.Parse(outputSchema)
	if err != nil {
		return ""
	}
	return s.Summary()
}

// labelOf returns where the upstream of a function stands.
func (s *settings) labelOf(f *registry.Function) string {
	key, _ := registry.CanonicalPath(f.Namespace())
	for _, m := range s.mounts {
		if k := m.Key(); k == key || overlap(k, key) && len(k) < len(key) {
			return m.Label
		}
	}
	return s.mounts[0].Label
}

// shown words the failure of a call for its caller: what happened, whether the
// call may have had an effect, and what to do (RFC 4.4).
func (s *settings) shown(e *CallError, f *registry.Function) *registry.Error {
	label := s.labelOf(f)
	r := &registry.Error{Namespace: f.Namespace(), Name: f.Name(), Err: e, NotRun: !e.Sent}
	r.Kind, r.Message, r.Hint = s.words(e, label)
	if e.RetryAfter > 0 {
		r.Details = map[string]any{"retry_after": int(math.Ceil(e.RetryAfter.Seconds()))}
	}
	kind := f.Primitive().Kind
	switch {
	case !e.Sent:
		r.Message += notDone[kind]
	case e.unknown(kind):
		r.Kind, r.Hint = registry.UnknownFunction, "It may have been removed: look up again what there is."
	case e.Class == Refused && e.unmade():
	case !f.ReadOnly():
		r.Message += " It may have taken effect: check before you repeat it."
		if r.Details == nil {
			r.Details = make(map[string]any)
		}
		r.Details["outcome"] = "unknown"
	}
	return r
}

// words returns kind, message and hint for a failure.
func (s *settings) words(e *CallError, label string) (registry.Kind, string, string) {
	if e.before {
		return e.kept(label, s.cfg.Timeout)
	}
	return e.cause(label, s.cfg.Timeout)
}

func canonicalPath(path string) string {
	c, _ := registry.CanonicalPath(path)
	return c
}
