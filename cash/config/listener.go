package config

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"github.com/cash-mcp/go-sdk/firewall/redact"
	"github.com/cash-mcp/go-sdk/internal/clean"
)

// A listener is a log that keeps the last lines of the servers' standard error, and passes all records on.
type listener struct {
	slog.Handler
	label string // of the server, once it is known
	last  *lastLines
}

func (l *listener) Enabled(context.Context, slog.Level) bool { return true }

func (l *listener) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := &listener{l.Handler.WithAttrs(attrs), l.label, l.last}
	for _, a := range attrs {
		if a.Key == "upstream" {
			c.label = a.Value.String()
		}
	}
	return c
}

func (l *listener) WithGroup(name string) slog.Handler {
	return &listener{l.Handler.WithGroup(name), l.label, l.last}
}

func (l *listener) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "standard error" { // of package upstream
		r.Attrs(func(a slog.Attr) bool {
			l.last.add(l.label, a.Value.String())
			return true
		})
	}
	if !l.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return l.Handler.Handle(ctx, r)
}

// lastLines are the last lines of each server, without secrets.
type lastLines struct {
	redact *redact.Filter
	mu     sync.Mutex
	lines  map[string][]string
}

func newLastLines() *lastLines {
	return &lastLines{redact: redact.New(redact.DefaultRules()...), lines: make(map[string][]string)}
}

// Bounds of what is kept of a server.
const (
	maxLines = 4
	maxLine  = 300 // bytes
)

func (l *lastLines) add(label, line string) {
	line, _ = l.redact.Text(line)
	l.mu.Lock()
	defer l.mu.Unlock()
	list := append(l.lines[label], clean.Beginning(line, maxLine))
	l.lines[label] = list[max(0, len(list)-maxLines):]
}

func (l *lastLines) of(label string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines[label])
}
