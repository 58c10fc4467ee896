package observe_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/cash-mcp/go-sdk/registry/observe"
)

// teller is a hook that writes what it is told.
type teller struct {
	name string
	to   *strings.Builder
}

type nameKey struct{}

func (h teller) Begin(ctx context.Context, _ *observe.Request) context.Context {
	fmt.Fprintf(h.to, "begin %s in %v, ", h.name, ctx.Value(nameKey{}))
	if h.name == "" {
		return nil
	}
	return context.WithValue(ctx, nameKey{}, h.name)
}

func (h teller) End(ctx context.Context, r *observe.Request) {
	fmt.Fprintf(h.to, "end %s in %v: %s, ", h.name, ctx.Value(nameKey{}), r.Outcome)
}

// TestHooks holds the order of combined hooks, and that a nil context changes nothing.
func TestHooks(t *testing.T) {
	if observe.Hooks() != nil || observe.Hooks(nil, nil) != nil || observe.New(nil, nil) != nil {
		t.Error("no hooks are a hook")
	}
	var told strings.Builder
	all := observe.Hooks(teller{"a", &told}, nil, observe.Hooks(teller{"", &told}, teller{"b", &told}))
	const want = "begin a in <nil>, begin  in a, begin b in a, end b in b: ok, end  in b: ok, end a in b: ok, "
	ctx, rec := observe.New(all, nil).Begin(t.Context(), observe.Request{})
	if ctx.Value(nameKey{}) != "b" {
		t.Error("the context is not that of the hooks")
	}
	rec.End()
	rec.End()
	if told.String() != want {
		t.Errorf("got %s, want %s", &told, want)
	}
	told.Reset()
	ctx = all.Begin(t.Context(), new(observe.Request))
	all.End(ctx, &observe.Request{Outcome: observe.OK})
	if told.String() != want {
		t.Errorf("got %s, want %s", &told, want)
	}
}

// TestEnded holds that nothing is noted after the end, and that there may be no race.
func TestEnded(t *testing.T) {
	var ended observe.Request
	o := observe.New(keeper{&ended}, nil)
	_, rec := o.Begin(t.Context(), observe.Request{Sent: true})
	if rec.Request().Meta["added"] != true {
		t.Error("what the hook has added is lost")
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				rec.Note(func(r *observe.Request) { r.Attempts++; r.Outcome = observe.Asked })
			}
		})
	}
	rec.End()
	told := ended.Attempts
	all.Wait()
	if rec.Request().Attempts != told || ended.Start.IsZero() || ended.Duration < 0 {
		t.Errorf("%d noted, %+v told", rec.Request().Attempts, ended)
	}
}

type keeper struct{ ended *observe.Request }

func (k keeper) Begin(_ context.Context, r *observe.Request) context.Context {
	r.Meta["added"] = true
	return nil
}

func (k keeper) End(_ context.Context, r *observe.Request) { *k.ended = *r }

// TestPanics holds that a hook that panics costs others nothing, and that its log shows no value.
func TestPanics(t *testing.T) {
	var log bytes.Buffer
	var told strings.Builder
	o := observe.New(observe.Hooks(panicking{}, teller{"b", &told}), slog.New(slog.NewTextHandler(&log, nil)))
	for range 5 {
		_, rec := o.Begin(t.Context(), observe.Request{})
		rec.End()
	}
	if n := strings.Count(told.String(), "end b"); n != 5 {
		t.Errorf("told %d times", n)
	}
	if n := strings.Count(log.String(), "observe hook panicked"); n != 1 || strings.Contains(log.String(), "secret") {
		t.Errorf("logged %d times: %s", n, &log)
	}
}

type panicking struct{}

func (panicking) Begin(context.Context, *observe.Request) context.Context { panic("secret") }
func (panicking) End(context.Context, *observe.Request)                   { panic("secret") }

// TestNobody holds that nothing is allocated for nobody.
func TestNobody(t *testing.T) {
	var o *observe.Observer
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		in, rec := o.Begin(ctx, observe.Request{Method: "tools/call"})
		attempts := 1
		rec.Note(func(r *observe.Request) { r.Attempts = attempts })
		rec.End()
		if in != ctx || rec.Request().Method != "" {
			t.Error("somebody is told")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	kept := new(observe.Record)
	kept.Note(func(r *observe.Request) { r.Attempts = 2 })
	kept.End()
	if r := kept.Request(); r.Attempts != 2 || r.Outcome != observe.OK {
		t.Errorf("%+v", r)
	}
}
