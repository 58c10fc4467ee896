package cash

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/gate"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// gating is the gate of one call (RFC 7). It also replays a withheld result. The execution of the
// call makes it.
type gating struct {
	server *Server
	call   *registry.Call
	limit  int
	raised bool   // the caller chose the limit
	token  string // the replay value that the caller sent or gets
	owner  string // the owner of a kept result; empty if the caller cannot be recognised
	digest string // of the function and its arguments; see key
	// found reports that the result is a kept one. It is atomic because the function's goroutine
	// sets it and may be abandoned.
	found atomic.Bool
}

// reserved are the face's arguments that callers may also put into kwargs (R105). If the function
// declares a parameter of the name, the value belongs to the function.
var reserved = []registry.Reserved{{Name: "sizelimit"}, {Name: "replay", Takes: isReplay}}

// The indexes of the reserved arguments in [registry.Call.Reserved].
const (
	inSizeLimit = iota
	inReplay
	inDryRun
	inPlanToken
)

// planned are the reserved arguments on a server with plans.
var planned = append(slices.Clip(reserved), registry.Reserved{Name: "dryrun", Takes: isBool}, registry.Reserved{Name: "plantoken", Takes: isText})

func isBool(value json.RawMessage) bool { return strictjson.KindOf(value) == strictjson.Bool }

func isText(value json.RawMessage) bool { return strictjson.KindOf(value) == strictjson.String }

// replayPrefix begins every replay value. A function's own argument of that name is therefore not
// mistaken for one.
const replayPrefix = "replay-"

func isReplay(value json.RawMessage) bool {
	return strictjson.KindOf(value) == strictjson.String && strings.HasPrefix(strictjson.Text(value), replayPrefix)
}

// newGating returns the gate of a call, with the limit and the replay value from the request or from kwargs.
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
	return g, nil
}

// mayReplay reports whether the call may repeat one with a kept result: it has a replay value, or
// its limit is above the default.
func (g *gating) mayReplay() bool {
	return !g.repeatable() && (g.token != "" || g.raised && g.owner != "")
}

// repeatable reports whether the same call gives the result again: the function is read-only, or it
// is a dry run, which must not be kept as a result of the function.
func (g *gating) repeatable() bool { return g.call.Function.ReadOnly() || g.call.Plan != nil }

// kept returns the withheld result of an earlier call ([registry.Call.Kept]).
func (g *gating) kept(ctx context.Context) (*registry.Result, error) {
	kept, _, err := g.server.opts.Replays.Find(ctx, g.key(g.token))
	f := g.call.Function
	switch {
	case err != nil:
		return nil, &registry.Error{
			Kind: registry.Unavailable, Namespace: f.Namespace(), Name: f.Name(), Err: err,
			Message: "Results that were withheld cannot be reached now. The function was not run.",
			Hint:    "Try again in a moment.",
		}
	case kept != nil && (g.token != "" || g.limit > kept.Limit):
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

// key returns the key of a kept result: of the function and its arguments, whose order does not
// matter, and of the owner or the token.
func (g *gating) key(token string) control.ResultKey {
	if g.digest == "" {
		sum := sha256.Sum256(strictjson.Canonical(g.call.Arguments))
		g.digest = g.server.opts.Name + "\x00" + g.call.Function.Path() + "\x00" + string(sum[:])
	}
	if token != "" {
		return control.ResultKey{Key: token + "\x00" + g.digest}
	}
	return control.ResultKey{Owner: g.owner, Key: g.digest}
}

// measure returns the characters of a result for the gate.
func measure(r *registry.Result) int {
	n := gate.Length(r.Content, r.Structured)
	for key, value := range r.Meta { // the pipeline has encoded the values
		// The mark of a cached result does not count.
		if data, ok := value.(json.RawMessage); ok && (key != control.MetaCacheHit || string(data) != "true") {
			n += len(data)
		}
	}
	return n
}

// surelyFits reports whether a plain text has no more bytes than the limit has characters. Most
// results do and need no count.
func surelyFits(r *registry.Result, limit int) bool {
	if len(r.Content) != 1 || r.Structured != nil || r.Meta != nil {
		return false
	}
	t, ok := r.Content[0].(*mcp.TextContent)
	return ok && len(t.Text) <= limit
}

// shortError is the most characters of an error that passes any limit, unless it is the function's
// own. Such errors contain the next step.
const shortError = 1000

// gateError returns the notice for an error that is too long (R104), or nil.
func (g *gating) gateError(ctx context.Context, e *registry.Error) *registry.Result {
	r := renderError(e)
	if n := measure(r); (e.Kind != registry.Failed || e.NotRun) && n <= shortError {
		return nil
	}
	return g.limited(ctx, r, e.NotRun || g.repeatable())
}

// deliver returns the result, or the notice in its place if it is too large.
func (g *gating) deliver(ctx context.Context, r *registry.Result) *registry.Result {
	if over := g.limited(ctx, r, g.repeatable()); over != nil {
		return over
	}
	if (g.call.Function.Streaming() || r.Ungated && !r.IsError) && len(registry.Via(ctx)) > 0 {
		return streamed(r)
	}
	return r
}

// limited returns the notice for a result that is too large, or nil if it passes. again reports
// whether the same call gives the result again.
func (g *gating) limited(ctx context.Context, r *registry.Result, again bool) *registry.Result {
	if r.Ungated || r.InputRequests != nil || !g.found.Load() && surelyFits(r, g.limit) {
		return nil
	}
	length := measure(r)
	streaming := g.call.Function.Streaming() // R102
	if length <= g.limit || streaming {
		if g.found.Load() && ctx.Err() == nil {
			// After an error, the result is only kept longer.
			_ = g.server.opts.Replays.Expire(ctx, g.key(g.token), grace)
		}
		return nil
	}
	n := gate.Notice{
		Length: length, Limit: g.limit,
		Summary: gate.Count(r.Content, r.Structured).String(),
		Filters: g.call.Function.Filters(),
	}
	if !again {
		n.AlreadyRan = g.found.Load() || g.keep(ctx, r, length)
		n.NotKept, n.Replay = !n.AlreadyRan, g.token
	}
	out := registry.TextResult(n.Text())
	out.IsError = true
	out.Meta = map[string]any{registry.MetaCode: CodeGated}
	return out
}

// grace is how long a result is kept after its delivery, for a client that lost the answer and repeats.
const grace = 30 * time.Second

// keep stores a withheld result for its owner. Without an owner, it stores it under a new token.
func (g *gating) keep(ctx context.Context, r *registry.Result, length int) (kept bool) {
	defer func() {
		if recover() != nil { // the embedder's store panicked
			kept = false
		}
	}()
	token, made := g.token, ""
	if token == "" && g.owner == "" {
		made = replayPrefix + rand.Text()
		token = made
	}
	// The function has run, so its result is kept even if the caller is gone.
	kept, err := g.server.opts.Replays.Keep(context.WithoutCancel(ctx), g.key(token), &control.StoredResult{
		Result: r, Size: size(r, length), Limit: g.limit, Lasts: g.server.opts.ReplayAge, Promised: true,
	})
	if err != nil || !kept {
		return false
	}
	g.token = made
	return true
}

// size estimates the bytes of a kept result.
func size(r *registry.Result, length int) int {
	const overhead = 1 << 10
	return overhead + 4*length + len(r.Structured)
}
