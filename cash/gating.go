package cash

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/gate"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// gating is the gate of one call (RFC 7), with the replay of what it withheld.
type gating struct {
	server *Server
	call   *registry.Call
	limit  int
	raised bool   // the caller chose the limit
	token  string // the replay value that the caller passed, or was given
	owner  string // of a kept result; empty if the caller can't be recognised
	digest string // key of a kept result; see key
	// found says that the result is one that was kept. The function's goroutine
	// sets it, which may be left behind.
	found atomic.Bool
}

// reserved are the arguments that callers also put into kwargs (R105). What
// they mean there is settled by the function: if it declares them, they are its
// own.
var reserved = []registry.Reserved{{Name: "sizelimit"}, {Name: "replay", Takes: isReplay}}

// The places of the reserved arguments in [registry.Call.Reserved].
const (
	inSizeLimit = iota
	inReplay
	inDryRun
	inPlanToken
)

// planned are reserved where there are plans.
var planned = append(slices.Clip(reserved), registry.Reserved{Name: "dryrun", Takes: isBool}, registry.Reserved{Name: "plantoken", Takes: isText})

func isBool(value json.RawMessage) bool { return strictjson.KindOf(value) == strictjson.Bool }

func isText(value json.RawMessage) bool { return strictjson.KindOf(value) == strictjson.String }

// replayPrefix begins every replay value, so that a function's own argument of
// that name is not mistaken for one.
const replayPrefix = "replay-"

func isReplay(value json.RawMessage) bool {
	return strictjson.KindOf(value) == strictjson.String && strings.HasPrefix(strictjson.Text(value), replayPrefix)
}

func (s *Server) newGating(c *registry.Call, req *CallRequest) (*gating, error) {
	g := &gating{server: s, call: c, limit: s.opts.SizeLimit, token: req.Replay}
	limit := req.SizeLimit
	if limit != nil && *limit < 0 {
		return nil, errSizeLimit
	}
	if c.Reserved != nil {
		if value := c.Reserved[inSizeLimit]; limit == nil && value != nil {
			var err error
			if limit, err = parseSizeLimit(value); err != nil {
				return nil, err
			}
		}
		if value := c.Reserved[inReplay]; g.token == "" && value != nil {
			g.token = strictjson.Text(value)
		}
	}
	if limit != nil {
		g.limit, g.raised = *limit, true
	}
	g.owner = c.Owner()
	if c.Function.Gated() {
		c.Gate = &registry.Gate{Limit: g.limit, Asked: g.raised, Replay: g.token}
	}
	if g.token != "" {
		g.owner = control.Nobody + g.token
	}
	return g, nil
}

// mayReplay reports whether the call may be the repeat of one whose result was
// kept: it says so, or it asks for more than it would get by default.
func (g *gating) mayReplay() bool {
	return !g.repeatable() && (g.token != "" || g.raised && g.owner != "")
}

// repeatable reports whether the call may simply be made again for its result.
// That is so for a dry run: what it found out must not be kept as the result of
// the function.
func (g *gating) repeatable() bool { return g.call.Function.ReadOnly() || g.call.Plan != nil }

// kept is [registry.Call.Kept]: it looks for the result that was withheld.
func (g *gating) kept(ctx context.Context) (*registry.Result, error) {
	kept, found, err := g.server.opts.Replays.Find(ctx, g.owner, g.key())
	f := g.call.Function
	switch {
	case err != nil:
		return nil, &registry.Error{
			Kind: registry.Unavailable, Namespace: f.Namespace(), Name: f.Name(), Err: err,
			Message: "Results that were withheld cannot be reached now. The function was not run.",
			Hint:    "Try again in a moment.",
		}
	case found && (g.token != "" || g.limit > kept.Limit):
		g.found.Store(true)
		return kept.Result, nil
	case g.token != "" && !f.Gated():
		return nil, &registry.Error{
			Kind: registry.Failed, Namespace: f.Namespace(), Name: f.Name(), NotRun: true,
			Message: "No result is kept for this `replay` value and these arguments. The function was not run again.",
			Hint:    "It ran when the value was given. Pass no `replay` to run it once more.",
		}
	}
	return nil, nil
}

// key identifies the function and its arguments, in whatever order they are.
func (g *gating) key() string {
	if g.digest == "" {
		sum := sha256.Sum256(strictjson.Canonical(g.call.Arguments))
		g.digest = g.server.opts.Name + "\x00" + g.call.Function.Path() + "\x00" + string(sum[:])
	}
	return g.digest
}

// measure returns what the gate measures of a result, in characters.
func measure(r *registry.Result) int {
	n := gate.Length(r.Content, r.Structured)
	for key, value := range r.Meta { // which the pipeline has reduced to JSON
		// That a result comes from the cache makes it no longer than it was.
		if data, ok := value.(json.RawMessage); ok && (key != control.MetaCacheHit || string(data) != "true") {
			n += len(data)
		}
	}
	return n
}

// surelyFits reports whether a plain text has fewer bytes than the limit has
// characters: most results do, and need not be counted.
func surelyFits(r *registry.Result, limit int) bool {
	if len(r.Content) != 1 || r.Structured != nil || r.Meta != nil {
		return false
	}
	t, ok := r.Content[0].(*mcp.TextContent)
	return ok && len(t.Text) <= limit
}

// shortError is the length up to which errors pass whatever the limit is, if
// they are not a function's own: they say what to do next.
const shortError = 1000

// gateError returns what the caller gets in place of an error that is too long
// (R104), or nil.
func (g *gating) gateError(ctx context.Context, e *registry.Error) *registry.Result {
	r := renderError(e)
	if n := measure(r); (e.Kind != registry.Failed || e.NotRun) && n <= shortError {
		return nil
	}
	return g.limited(ctx, r, e.NotRun || g.repeatable())
}

// deliver returns a result, or what the caller gets in its place if it is too
// large.
func (g *gating) deliver(ctx context.Context, r *registry.Result) *registry.Result {
	if over := g.limited(ctx, r, g.repeatable()); over != nil {
		return over
	}
	if (g.call.Function.Streaming() || r.Ungated && !r.IsError) && len(registry.Via(ctx)) > 0 {
		return streamed(r)
	}
	return r
}

// limited returns what stands for a result that is too large, which repeating the
// call may bring again, or not. Nil is that it passes.
func (g *gating) limited(ctx context.Context, r *registry.Result, again bool) *registry.Result {
	if r.Ungated || r.InputRequests != nil || !g.found.Load() && surelyFits(r, g.limit) {
		return nil
	}
	length := measure(r)
	streaming := g.call.Function.Streaming() // R102
	if length <= g.limit || streaming {
		if g.found.Load() && ctx.Err() == nil {
			// That this cannot be noted only means that it is kept for longer.
			_ = g.server.opts.Replays.Delivered(ctx, g.owner, g.key())
		}
		return nil
	}
	n := gate.Notice{
		Length: length, Limit: g.limit,
		Summary: gate.Count(r.Content, r.Structured).String(),
	}
	if again {
		n.Filters = g.call.Function.Filters()
	} else {
		n.AlreadyRan = g.found.Load() || g.keep(ctx, r, length)
		n.NotKept, n.Replay = !n.AlreadyRan, g.token
	}
	out := registry.TextResult(n.Text())
	out.IsError = true
	out.Meta = map[string]any{registry.MetaCode: CodeGated}
	return out
}

// keep stores a withheld result for its owner; for nobody in particular under a
// new token.
func (g *gating) keep(ctx context.Context, r *registry.Result, length int) (kept bool) {
	defer func() {
		if recover() != nil { // a store of the embedder's
			kept = false
		}
	}()
	token := ""
	if g.owner == "" {
		token = replayPrefix + rand.Text()
		g.owner = control.Nobody + token
	}
	replay := control.Replayed{Result: r, Length: length, Size: size(r, length), Limit: g.limit}
	// The function has run: its result is kept also if its caller has gone.
	ok, err := g.server.opts.Replays.Keep(context.WithoutCancel(ctx), g.owner, g.key(), replay)
	if err != nil || !ok {
		return false
	}
	g.token = token
	return true
}

// size estimates the bytes that keeping a result takes.
func size(r *registry.Result, length int) int {
	const overhead = 1 << 10
	return overhead + 4*length + len(r.Structured)
}
