package cash

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/gate"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// call is what a transport knows of a call beyond its arguments.
type call struct {
	connection serve.Connection
	progress   func(context.Context, registry.Progress) error
	direct     []member // arguments of the tool that it does not name
}

// reserved are the arguments that callers also put into kwargs (R105). What
// they mean there is settled by the function: if it declares them, they are its
// own.
var reserved = []string{"sizelimit", "replay"}

func (s *Server) call(ctx context.Context, req *CallRequest, via call) (*registry.Result, error) {
	res, err := s.run(ctx, req, via)
	if err != nil {
		return nil, s.withHint(ctx, err)
	}
	return res, nil
}

func (s *Server) run(ctx context.Context, req *CallRequest, via call) (*registry.Result, error) {
	if req.Function == "" {
		return nil, missingFunction(req.Namespace)
	}
	kwargs := req.Kwargs
	if isNull(kwargs) {
		kwargs = nil
	}
	c, err := s.pipeline.Prepare(ctx, &registry.Request{
		Namespace: req.Namespace, Function: req.Function, Arguments: kwargs,
		Reserved: reserved, Progress: via.progress,
	})
	if err != nil {
		return nil, misplaced(err, kwargs, via.direct)
	}
	if err := beside(c, via.direct); err != nil {
		return nil, err
	}
	g, err := s.newGating(c, req, via)
	if err != nil {
		return nil, err
	}
	if res, err := g.replay(); res != nil || err != nil {
		return res, err
	}
	res, err := s.pipeline.Run(ctx, c)
	if err != nil {
		if e := registry.AsError(err); e.Kind != registry.Failed {
			return nil, err
		}
		// What a function says of its own failure may be as long as a result.
		if over := g.gate(failed(err)); over != nil {
			return over, nil
		}
		return nil, err
	}
	if over := g.gate(res); over != nil {
		return over, nil
	}
	return res, nil
}

func failed(err error) *registry.Result { return renderError(err) }

func isNull(data json.RawMessage) bool {
	return len(data) > 0 && strictjson.KindOf(data) == strictjson.Null && string(strictjson.Trim(data)) == "null"
}

func missingFunction(namespace string) error {
	e := &registry.Error{Kind: registry.InvalidArguments, Message: "The argument `function` is missing."}
	if _, ok := registry.CanonicalPath(namespace); !ok {
		namespace = ""
	}
	e.Hint = fmt.Sprintf("Use `%s` to see available functions.", helpCall(namespace, ""))
	return e
}

// beside refuses arguments of the function that were given beside kwargs
// instead of inside: they would be ignored without a word.
func beside(c *registry.Call, direct []member) error {
	for _, m := range direct {
		for _, p := range c.Function.Params() {
			if sameName(p.Name, m.key) {
				return &registry.Error{
					Kind: registry.InvalidArguments, Namespace: c.Function.Namespace(), Name: c.Function.Name,
					Message: fmt.Sprintf("The argument `%s` belongs into `kwargs`.", p.Name),
				}
			}
		}
	}
	return nil
}

// misplaced adds to an error about missing arguments where they may be.
func misplaced(err error, kwargs json.RawMessage, direct []member) error {
	e := registry.AsError(err)
	if e.Kind != registry.InvalidArguments || len(kwargs) > 0 || len(direct) == 0 {
		return err
	}
	moved := *e
	moved.Message += " The function's arguments belong into `kwargs`."
	return &moved
}

// gating is the gate of one call (RFC 7).
type gating struct {
	server *Server
	call   *registry.Call
	limit  int
	raised bool   // the caller chose the limit
	token  string // the replay value that the caller passed
	owner  any    // of a kept result; nil if the caller can't be recognised
	digest string // key of a kept result; see key
}

func (s *Server) newGating(c *registry.Call, req *CallRequest, via call) (gating, error) {
	g := gating{server: s, call: c, limit: s.opts.SizeLimit, token: req.Replay}
	limit := req.SizeLimit
	if limit != nil && *limit < 0 {
		return g, errSizeLimit
	}
	if c.Reserved != nil {
		if value := c.Reserved[0]; limit == nil && value != nil {
			var err error
			if limit, err = parseSizeLimit(value); err != nil {
				return g, err
			}
		}
		if value := c.Reserved[1]; g.token == "" && value != nil {
			if g.token = strictjson.Text(value); g.token == "" {
				return g, invalid("`replay` must be the text that a gated response gave.")
			}
		}
	}
	if limit != nil {
		g.limit, g.raised = *limit, true
	}
	switch {
	case !c.Caller.Anonymous():
		g.owner = callerOwner{c.Caller.ID}
	case via.connection != serve.Connection{}:
		g.owner = via.connection
	}
	return g, nil
}

// callerOwner owns the results kept for an authenticated caller.
type callerOwner struct{ id string }

// key identifies the function and its arguments, in whatever order they are.
func (g *gating) key() string {
	if g.digest == "" {
		sum := sha256.Sum256(strictjson.Canonical(g.call.Arguments))
		g.digest = g.call.Function.Path() + "\x00" + string(sum[:])
	}
	return g.digest
}

// replay answers with a result that was kept, where the caller repeats its
// call with a larger limit. A nil result means that the function has to run.
func (g *gating) replay() (*registry.Result, error) {
	if g.call.Function.ReadOnly || g.token == "" && (!g.raised || g.owner == nil) {
		return nil, nil
	}
	store := g.server.opts.Replays
	kept, ok := store.Find(g.owner, g.key(), g.token)
	switch {
	case ok && g.length(kept.Result) <= g.limit:
		store.Drop(g.owner, g.key(), g.token)
		return kept.Result, nil
	case ok && (g.token != "" || g.limit > kept.Limit):
		return g.notice(kept.Result, gate.Notice{AlreadyRan: true, Replay: g.token}), nil
	case g.token != "":
		f := g.call.Function
		return nil, &registry.Error{
			Kind: registry.Failed, Namespace: f.Namespace(), Name: f.Name,
			Message: "No result is kept for this `replay` value and these arguments.",
			Hint:    "The function was not run. It ran when the value was given; pass no `replay` to run it again.",
		}
	}
	return nil, nil
}

func (g *gating) length(r *registry.Result) int { return gate.Length(r.Content, r.Structured) }

// gate returns what the caller gets in place of a result that is too large, or
// nil if the result passes.
func (g *gating) gate(r *registry.Result) *registry.Result {
	if g.call.Function.Streaming() {
		return nil // R102
	}
	length := g.length(r)
	if length <= g.limit {
		return nil
	}
	if g.call.Function.ReadOnly {
		return g.notice(r, gate.Notice{Filters: g.filters()})
	}
	kept := control.Replayed{Result: r, Length: length, Limit: g.limit}
	token, ok := g.server.opts.Replays.Keep(g.owner, g.key(), kept, size(r, length))
	return g.notice(r, gate.Notice{AlreadyRan: ok, NotKept: !ok, Replay: token})
}

// size estimates the bytes that keeping a result takes.
func size(r *registry.Result, length int) int {
	const overhead = 1 << 10
	return overhead + 4*length + len(r.Structured)
}

func (g *gating) notice(r *registry.Result, n gate.Notice) *registry.Result {
	n.Length = g.length(r)
	n.Limit = g.limit
	n.Summary = gate.Count(r.Content, r.Structured).String()
	out := registry.TextResult(n.Text())
	out.IsError = true
	out.Meta = map[string]any{errorMeta: gatedCode}
	return out
}

// filters returns the optional parameters, by which the result may be narrowed.
func (g *gating) filters() []string {
	var names []string
	for _, p := range g.call.Function.Params() {
		if !p.Required {
			names = append(names, p.Name)
		}
	}
	return names
}
