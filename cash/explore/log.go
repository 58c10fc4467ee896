package explore

import (
	"context"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/firewall/redact"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// Bounds of a log.
const (
	defaultEntries = 500
	maxArguments   = 2000 // characters
)

// A Log is an [observe.Hook] that keeps the latest requests for the page. It is safe for concurrent use.
//
//	log := explore.NewLog(nil)
//	srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{Observe: log}})
//	page := explore.New(reg, &explore.Options{Log: log})
type Log struct {
	opts   LogOptions
	redact *redact.Filter

	mu   sync.Mutex
	ring []*logEntry // the oldest is at next, once it is full
	next int
}

// LogOptions configure a [Log]. Nil is all defaults.
type LogOptions struct {
	// Entries is how many requests are kept. Zero is 500.
	Entries int
	// Arguments keeps the beginning of the arguments of calls too, redacted, if [Log.Middleware] is among the
	// middleware of the server. They may be personal. False keeps sizes alone.
	Arguments bool
}

// A logEntry is a request that has ended, or is running.
type logEntry struct {
	observe.Request
	Arguments string
	Running   bool
}

type logKey struct{}

// NewLog returns an empty log.
func NewLog(o *LogOptions) *Log {
	l := &Log{redact: redact.New(redact.DefaultRules()...)}
	if o != nil {
		l.opts = *o
	}
	if l.opts.Entries <= 0 {
		l.opts.Entries = defaultEntries
	}
	return l
}

// Begin implements [observe.Hook].
func (l *Log) Begin(ctx context.Context, r *observe.Request) context.Context {
	e := &logEntry{Request: kept(r), Running: true}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.ring) < l.opts.Entries {
		l.ring = append(l.ring, e)
	} else {
		l.ring[l.next] = e
		l.next = (l.next + 1) % len(l.ring)
	}
	return context.WithValue(ctx, logKey{}, e)
}

// End implements [observe.Hook].
func (l *Log) End(ctx context.Context, r *observe.Request) {
	e, ok := ctx.Value(logKey{}).(*logEntry)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Request, e.Running = kept(r), false
}

// kept returns a request without what may be large or secret.
func kept(r *observe.Request) observe.Request {
	k := *r
	k.Meta, k.Header = nil, nil
	k.Session, k.Owner = clean.Line(k.Session, 80), clean.Line(k.Owner, 80)
	return k
}

// Middleware notes the arguments of calls, if [LogOptions].Arguments is set.
func (l *Log) Middleware(next registry.Handler) registry.Handler {
	if !l.opts.Arguments {
		return next
	}
	return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
		if e, ok := ctx.Value(logKey{}).(*logEntry); ok {
			text, _ := l.redact.Text(string(c.Arguments)) // before the cut, which may leave half of a secret
			l.mu.Lock()
			e.Arguments = clean.Beginning(text, maxArguments)
			l.mu.Unlock()
		}
		return next(ctx, c)
	}
}

// entries returns copies of the entries, the latest first.
func (l *Log) entries() []logEntry {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]logEntry, 0, len(l.ring))
	for i := range l.ring {
		e := *l.ring[(l.next+len(l.ring)-1-i)%len(l.ring)]
		if e.Running {
			e.Duration = time.Since(e.Start)
		}
		list = append(list, e)
	}
	return list
}

// Kind is what the request is, in a word or two.
func (e *logEntry) Kind() string {
	switch {
	case e.Method != "":
		return e.Method
	case e.Function != "" || e.Tool != "":
		return "call"
	}
	return "unreadable"
}

// Notes are further facts in words.
func (e *logEntry) Notes() (list []string) {
	for _, n := range []struct {
		word string
		yes  bool
	}{
		{"dry run", e.DryRun}, {"repaired", e.Repairs > 0}, {"cached", e.Cached}, {"gated", e.Gated},
		{"retried", e.Attempts > 1}, {"approved by " + e.Approval, e.Approval != ""},
	} {
		if n.yes {
			list = append(list, n.word)
		}
	}
	return list
}

// Fails reports whether the request has failed.
func (e *logEntry) Fails() bool {
	return !e.Running && e.Outcome != observe.OK && e.Outcome != observe.Asked
}

// log shows the latest requests.
func (h *Handler) log(r *request) error {
	l := h.opts.Log
	p := struct {
		frame
		Entries   []logEntry
		Most      int
		Arguments bool
	}{r.frame("Log"), l.entries(), l.opts.Entries, l.opts.Arguments}
	return r.render(200, "log", &p)
}
