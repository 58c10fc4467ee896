package control

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

// An Audit logs one event for each call, after it has ended: who called what,
// how it went and how long it took. It never logs arguments, results or the
// texts of errors. It is safe for concurrent use once it has been set up.
//
// The message of an event is one of
//
//	execute.completed   the function, or the cache, has answered
//	execute.failed      there was an error, or the answer says that it is one
//	execute.denied      the caller may not, or a person has to approve or did not
//	execute.dry_run     nothing was to be run
//	execute.asked       the client is asked for more; its next call goes on
//
// and its attributes are id, path, tool (the name that the server behind the
// function knows), kind, class, caller (if there is one), outcome (ok, or the
// error's [registry.Kind]), is_error, duration, size (of the result, in bytes),
// repairs (how many of the arguments), and, where that applies, cache_hit,
// attempts and approved_by.
//
// Of a call that is given up while its function goes on running, the event comes
// when it is given up.
type Audit struct {
	// Logger takes the events. One that panics loses them and breaks nothing; one
	// that blocks holds up the calls. Nil is slog.Default.
	Logger *slog.Logger
	// Level is that of the events. Zero is slog.LevelInfo.
	Level slog.Level
}

// Middleware returns the audit as middleware, which should be outermost: it
// sees what lies within.
func (a *Audit) Middleware() registry.Middleware {
	return func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			e := &event{audit: a, call: c, start: time.Now(), outcome: string(registry.Internal)}
			inner := context.WithValue(ctx, recordKey{}, &e.record)
			stop := context.AfterFunc(ctx, func() { e.abandoned(ctx) })
			defer func() { // also after a panic
				stop()
				e.log(ctx)
			}()
			res, err := next(inner, c)
			e.ended(res, err)
			return res, err
		}
	}
}

// A record is what the controls within have to say of one call.
type record struct {
	mu       sync.Mutex
	cacheHit bool
	attempts int    // how often the function was tried; zero is not known
	approval string // who approved: hook, client or operator; empty is nobody
}

type recordKey struct{}

// note adds to the record of the call that ctx belongs to, if it is audited.
func note(ctx context.Context, add func(*record)) {
	r, ok := ctx.Value(recordKey{}).(*record)
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	add(r)
}

// An event is one call on its way into the log.
type event struct {
	audit   *Audit
	call    *registry.Call
	start   time.Time
	once    sync.Once
	record  record
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
	case res != nil:
		e.outcome, e.isError = outcomeOK, res.IsError
		e.asked, e.size = res.InputRequests != nil, size(res)
	}
}

// abandoned logs a call that its caller, or its deadline, has given up.
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
	defer func() { _ = recover() }() // a logger may panic
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

// subject says what was called and by whom, and what the controls did.
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
	r := &e.record
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cacheHit {
		attrs = append(attrs, slog.Bool("cache_hit", true))
	}
	if r.attempts > 0 {
		attrs = append(attrs, slog.Int("attempts", r.attempts))
	}
	if r.approval != "" {
		attrs = append(attrs, slog.String("approved_by", r.approval))
	}
	return attrs
}

// shownName is a name from outside in a line of a log or of a question.
func shownName(name string) string { return clean.Line(name, 200) }

// size is how many bytes of content a result has. Nobody has looked at the
// result yet, so its contents may be nil.
func size(r *registry.Result) int {
	n := len(r.Structured)
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			if c != nil {
				n += len(c.Text)
			}
		case *mcp.ImageContent:
			if c != nil {
				n += len(c.Data)
			}
		case *mcp.AudioContent:
			if c != nil {
				n += len(c.Data)
			}
		case *mcp.EmbeddedResource:
			if c != nil && c.Resource != nil {
				n += len(c.Resource.Text) + len(c.Resource.Blob)
			}
		}
	}
	return n
}
