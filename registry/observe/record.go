package observe

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// An Observer tells a [Hook] of requests. It is for the packages that serve or send them. A nil Observer tells nobody,
// and allocates nothing.
type Observer struct {
	hooks chain
	log   *slog.Logger
	panic rate.Sometimes // limits the log
}

// New returns an observer for a hook; nil if the hook is nil. The logger gets the panics of the hook, at most one a
// minute. Nil discards.
func New(h Hook, log *slog.Logger) *Observer {
	all, _ := Hooks(h).(chain)
	if all == nil {
		return nil
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Observer{hooks: all, log: log, panic: rate.Sometimes{Interval: time.Minute}}
}

// Begin tells of a request that begins. It returns the context for the work, and the record that collects the rest.
// A zero Start is now. The Meta of a Sent request is never nil in the hook; [Record.Request] has what it added.
func (o *Observer) Begin(ctx context.Context, r Request) (context.Context, *Record) {
	if o == nil {
		return ctx, nil
	}
	return o.begin(ctx, r)
}

func (o *Observer) begin(ctx context.Context, r Request) (context.Context, *Record) {
	if r.Start.IsZero() {
		r.Start = time.Now()
	}
	if r.Sent && r.Meta == nil {
		r.Meta = make(map[string]any)
	}
	rec := &Record{observer: o, request: r}
	for _, h := range o.hooks {
		o.guard(ctx, func() {
			if next := h.Begin(ctx, &rec.request); next != nil {
				ctx = next
			}
		})
	}
	rec.ctx = ctx
	return ctx, rec
}

// guard runs a hook's method. A panic is logged by its type: its value may hold secrets.
func (o *Observer) guard(ctx context.Context, f func()) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		o.panic.Do(func() {
			defer func() { _ = recover() }() // a logger may panic too
			o.log.ErrorContext(ctx, "observe hook panicked", "panic", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
		})
	}()
	f()
}

// A Record collects what becomes of a running request. It is safe for concurrent use. All methods accept nil, which
// collects nothing. The zero value collects for nobody but [Record.Request].
type Record struct {
	observer *Observer // nil tells nobody
	ctx      context.Context

	mu      sync.Mutex
	request Request
	ended   bool
}

// Note lets f fill in the request, unless it has ended: code that was abandoned may go on after that.
func (r *Record) Note(f func(*Request)) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		f(&r.request)
	}
}

// Request returns what is known by now.
func (r *Record) Request() Request {
	if r == nil {
		return Request{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.request
}

// End tells that the request has ended. Only the first call counts. An Outcome that nobody noted is [OK].
func (r *Record) End() {
	if r == nil || !r.end() || r.observer == nil {
		return
	}
	for _, h := range slices.Backward(r.observer.hooks) {
		r.observer.guard(r.ctx, func() { h.End(r.ctx, &r.request) }) // nobody writes it any more
	}
}

func (r *Record) end() (first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first = !r.ended
	r.ended = true
	if first {
		r.request.Duration = time.Since(r.request.Start)
		if r.request.Outcome == "" {
			r.request.Outcome = OK
		}
	}
	return first
}
