package control

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// An Audit logs one event per call, after the call has ended: who called what, the outcome and the duration. It never
// logs arguments, results or error texts. It is safe for concurrent use once it is configured.
//
// The message of an event is one of
//
//	execute.completed   the function or the cache has answered
//	execute.failed      an error, or a result with isError
//	execute.denied      the caller lacks the right, or a person's approval
//	execute.dry_run     a dry run
//	execute.asked       the client is asked for input; its next call continues
//
// The attributes are id, path, tool (the name on the server of the function), kind, class, caller (if known), outcome
// (ok, or the error's [registry.Kind]), is_error, duration, size (of the result, in bytes), repairs (number of repaired
// arguments), and, where they apply, cache_hit, attempts and approved_by.
//
// A call that is given up while its function still runs is logged at that moment.
type Audit struct {
	// Logger receives the events. If it panics, the event is lost and the call goes on; if it blocks, the calls wait.
	// Nil is slog.Default.
	Logger *slog.Logger
	// Level is the level of the events. Zero is slog.LevelInfo.
	Level slog.Level
}

// Middleware returns the audit as middleware. It should be outermost, because it only sees the middleware inside.
func (a *Audit) Middleware() registry.Middleware {
	return func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			if c.Record == nil {
				own := *c
				own.Record = new(observe.Record)
				c = &own
			}
			e := &event{audit: a, call: c, start: time.Now(), outcome: string(registry.Internal)}
			stop := context.AfterFunc(ctx, func() { e.abandoned(ctx) })
			defer func() { // also after a panic
				stop()
				e.log(ctx)
			}()
			res, err := next(ctx, c)
			e.ended(res, err)
			return res, err
		}
	}
}

// An event is the log entry of one call.
type event struct {
	audit   *Audit
	call    *registry.Call
	start   time.Time
	once    sync.Once
	outcome string
	isError bool
	asked   bool
	size    int
}

const outcomeOK = "ok"

func (e *event) ended(res *registry.Result, err error) {
	switch {
	case err != nil:
		e.outcome = string(registry.AsError(err).Kind)
	case e.call.Plan.Failure() != nil:
		e.outcome = string(e.call.Plan.Failure().Kind)
	case res != nil:
		e.outcome, e.isError = outcomeOK, res.IsError
		e.asked, e.size = res.InputRequests != nil, res.Size()
	}
}

// abandoned logs a call that its caller or its deadline has given up.
func (e *event) abandoned(ctx context.Context) {
	kind := registry.Canceled
	var cause *registry.Error
	switch {
	case errors.As(context.Cause(ctx), &cause) && cause != nil:
		kind = cause.Kind
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		kind = registry.TimedOut
	}
	e.once.Do(func() { e.write(ctx, string(kind), false, false, 0) })
}

func (e *event) log(ctx context.Context) {
	e.once.Do(func() { e.write(ctx, e.outcome, e.isError, e.asked, e.size) })
}

func (e *event) write(ctx context.Context, outcome string, isError, asked bool, size int) {
	defer func() { _ = recover() }() // the logger may panic
	log := e.audit.Logger
	if log == nil {
		log = slog.Default()
	}
	if !log.Enabled(ctx, e.audit.Level) {
		return
	}
	log.LogAttrs(ctx, e.audit.Level, e.name(outcome, isError, asked), append(e.subject(),
		slog.String("outcome", outcome),
		slog.Bool("is_error", isError || outcome != outcomeOK),
		slog.Duration("duration", time.Since(e.start)),
		slog.Int("size", size))...)
}

func (e *event) name(outcome string, isError, asked bool) string {
	switch {
	case e.call.Plan != nil:
		return "execute.dry_run"
	case outcome == string(registry.Denied):
		return "execute.denied"
	case outcome != outcomeOK || isError:
		return "execute.failed"
	case asked:
		return "execute.asked"
	}
	return "execute.completed"
}

// subject returns the attributes about the function, the caller and the controls.
func (e *event) subject() []slog.Attr {
	f := e.call.Function
	id := f.Primitive()
	attrs := []slog.Attr{
		slog.String("id", id.String()),
		slog.String("path", shownName(f.Path())),
		slog.String("tool", shownName(f.Tool())),
		slog.String("kind", string(id.Kind)),
		slog.String("class", string(ClassOf(f))),
		slog.Int("repairs", len(e.call.Repairs)),
	}
	if c := e.call.Caller; !c.Anonymous() {
		attrs = append(attrs, slog.String("caller", shownName(c.ID)))
	}
	r := e.call.Record.Request()
	if r.Cached {
		attrs = append(attrs, slog.Bool("cache_hit", true))
	}
	if r.Attempts > 0 {
		attrs = append(attrs, slog.Int("attempts", r.Attempts))
	}
	if r.Approval != "" {
		attrs = append(attrs, slog.String("approved_by", r.Approval))
	}
	return attrs
}

// shownName returns a foreign name for a line of a log or a question.
func shownName(name string) string { return clean.Line(name, 200) }
