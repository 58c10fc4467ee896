package upstream

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/cashsource"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// settings are the configuration of an upstream. They are immutable, and shared by all its parts.
type settings struct {
	cfg       Server
	mounts    []mount
	log       *slog.Logger
	server    string             // fingerprint of the endpoint
	connector mcp.Implementation // name and version of this client
	self      string             // the instance of the registry it is mounted in, to detect loops
	observer  *observe.Observer  // nil tells nobody
	shared    bool               // what is read is recorded for other replicas
	pending   chan struct{}      // closed when the first attempt to connect has ended, or after firstWait
}

// mount is a place of a server in the tree.
type mount = cashsource.Mount

// describe returns the line that help shows at a mount.
func (s *settings) describe(m mount, about string) string {
	return cmp.Or(m.Description, s.cfg.Description, about)
}

// pipelineTimeout is the deadline of the function in the pipeline. It leaves room for connecting, for a slot and for a
// person's answer. The deadlines of the call itself are set where it is made.
func (s *settings) pipelineTimeout() time.Duration {
	return s.cfg.ConnectTimeout + 2*s.cfg.Timeout + askTimeout
}

// via returns the metadata by which servers detect that they mount each other.
func (s *settings) via(ctx context.Context) mcp.Meta {
	return mcp.Meta{registry.MetaVia: append(slices.Clip(registry.Via(ctx)), s.self)}
}

// hints turns the hints of the server and the operator on a tool's effects into options.
func (s *settings) hints(e *entry) []registry.FuncOption {
	vouched := slices.Contains(s.cfg.ReadOnly, e.def.Name) || s.vouched(e.name)
	if s.cfg.IgnoreHints {
		return wire.Hints{}.Options(vouched)
	}
	facts := wire.ReadFacts(e.def.Meta, e.def.Annotations)
	return append(facts.Options(), wire.ReadHints(e.def.Annotations).Options(vouched)...)
}

// vouched reports whether the operator declares the function read-only.
func (s *settings) vouched(path string) bool {
	for _, name := range s.cfg.ReadOnly {
		if name == path || wire.CanonicalPath(name) != "" && wire.CanonicalPath(name) == wire.CanonicalPath(path) {
			return true
		}
	}
	return false
}

// labelOf returns the label at which a function's upstream is mounted.
func (s *settings) labelOf(f *registry.Function) string {
	key, _ := registry.CanonicalPath(f.Namespace())
	for _, m := range s.mounts {
		if k := m.Key(); k == key || overlap(k, key) && len(k) < len(key) {
			return m.Label
		}
	}
	return s.mounts[0].Label
}

// shown words the failure of a call for its caller: what happened, whether it may have had an effect, and the next
// step (RFC 4.4).
func (s *settings) shown(e *CallError, f *registry.Function) *registry.Error {
	label := s.labelOf(f)
	r := &registry.Error{Namespace: f.Namespace(), Name: f.Name(), Err: e, NotRun: !e.Sent}
	r.Kind, r.Message, r.Hint = s.words(e, label)
	r.Next, r.Details = e.next(), e.details()
	kind := f.Primitive().Kind
	switch {
	case e.gone:
		r.Message += notDone[kind]
		r.NotRun = true
	case !e.Sent:
		r.Message += notDone[kind]
	case e.unknown(kind):
		r.Kind, r.Hint = registry.UnknownFunction, "It may have been removed: look up again what there is."
	case e.Class == Refused && e.invalidRequest():
	case !f.ReadOnly():
		r.Message += " It may have taken effect: check before you repeat it."
		if r.Details == nil {
			r.Details = make(map[string]any)
		}
		r.Details["outcome"] = "unknown"
	}
	return r
}

// next returns the step to which the hint of a failure leads; none if it leads to no tool.
func (e *CallError) next() registry.Step {
	if e.Class == Changed && !e.gone {
		return registry.ReadDefinition
	}
	return registry.NoStep
}

// details returns the facts of a failure for programs; nil if there are none.
func (e *CallError) details() map[string]any {
	d := make(map[string]any)
	if e.RetryAfter > 0 {
		d["retry_after"] = int(math.Ceil(e.RetryAfter.Seconds()))
	}
	if e.denied != nil && e.denied.scope != "" {
		d["scope"] = e.denied.scope
	}
	switch {
	case e.gone:
	case e.connect != nil:
		d[registry.DetailReason] = registry.ReasonConnect
		if page := e.connect.page(); page != "" {
			d["url"] = page
		}
	case e.Class == BadStatus && (e.HTTPStatus == 401 || e.HTTPStatus == 403):
		d[registry.DetailReason] = registry.ReasonUpstream
	case e.Class == Refused:
		d[registry.DetailReason], d["code"] = registry.ReasonUpstream, e.Code
	}
	if len(d) == 0 {
		return nil
	}
	return d
}

// words returns kind, message and hint for a failure.
func (s *settings) words(e *CallError, label string) (registry.Kind, string, string) {
	if e.before {
		return e.kept(label, s.cfg.Timeout)
	}
	return e.cause(label, s.cfg.Timeout)
}
