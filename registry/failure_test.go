package registry_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// loop is an error that unwraps to itself until it is told to stop.
type loop struct{ stop *atomic.Bool }

func (loop) Error() string { return "loop" }

func (l loop) Unwrap() error {
	if l.stop.Load() {
		return nil
	}
	return l
}

// TestErrorThatUnwrapsToItself holds that such an error holds its own call only
// until the deadline.
func TestErrorThatUnwrapsToItself(t *testing.T) {
	stop := new(atomic.Bool)
	defer stop.Store(true)
	f := registry.Func("f", "", func(context.Context, struct{}) (string, error) { return "", loop{stop} })
	p, _ := pipelineOf(f, &registry.PipelineOptions{Timeout: 20 * time.Millisecond})
	_, err := run(p, "f", "{}")
	wantKind(t, err, registry.TimedOut)
}

// runtimeError is a panic value that passes for one of the Go runtime's.
type runtimeError struct{}

func (runtimeError) RuntimeError() {}
func (runtimeError) Error() string { return "the secret" }

// silent is an error that has nothing to say.
type silent struct{}

func (silent) Error() string { panic("the secret") }

func TestFailures(t *testing.T) {
	var typedNil *registry.Error
	for _, tt := range []struct {
		name string
		err  error
		kind registry.Kind
		want string
	}{
		{"R83 typed nil", typedNil, registry.Failed, "The function `f` failed without saying why."},
		{"R83 wrapped typed nil", fmt.Errorf("x: %w", error(typedNil)), registry.Failed, ""},
		{"R83 empty", &registry.Error{}, registry.Failed, "The function `f` failed without saying why."},
		{"R83 blank", errors.New(" \x00\u202e \n"), registry.Failed, "The function `f` failed without saying why."},
		{"R83 panics when asked", silent{}, registry.Failed, "The function `f` failed without saying why."},
		{"R83 unknown kind", &registry.Error{Kind: "WEIRD", Message: "No."}, registry.Failed, "No."},
		{"R83 only a hint", &registry.Error{Kind: registry.Denied, Hint: "Ask the boss."}, registry.Denied, "Ask the boss."},
		{"R83 invisible", errors.New("\x1b[31mred\u202e\u2066 \x00text\r\nnext\tcell"), registry.Failed, "red text\nnext\tcell"},
		{"R83 invisible characters", errors.New("no\u200b \U000e0068\U000e0069ac\u2060cess\u3164\ufeff\U000e0100"), registry.Failed, "no access"},
		{"R83 pictures", errors.New("⚠\ufe0f 👨\u200d👩 failed"), registry.Failed, "⚠\ufe0f 👨\u200d👩 failed"},
		{"R83 not UTF-8", errors.New("caf\xe9 \ufffd"), registry.Failed, "caf? ?"},
		{"R83 own kind is cleaned", &registry.Error{Kind: registry.Denied, Message: "a\x00b", Hint: "c\u202ed"}, registry.Denied, "ab cd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := registry.Func("f", "", func(context.Context, struct{}) (string, error) { return "", tt.err })
			p, _ := pipelineOf(f, nil)
			_, err := run(p, "f", "{}")
			wantKind(t, err, tt.kind)
			if err == nil || tt.want != "" && err.Error() != tt.want || strings.TrimSpace(err.Error()) == "" {
				t.Errorf("says %q, want %q", err, tt.want)
			}
		})
	}
}

// TestErrorsOfHandlersAreNotModified holds that a shared error stays as it is.
func TestErrorsOfHandlersAreNotModified(t *testing.T) {
	shared := &registry.Error{Kind: "WEIRD", Message: "a\x1bb"}
	f := registry.Func("f", "", func(context.Context, struct{}) (string, error) { return "", shared })
	p, _ := pipelineOf(f, nil)
	if _, err := run(p, "f", "{}"); err == nil || shared.Kind != "WEIRD" || shared.Message != "a\x1bb" {
		t.Errorf("%v; the shared error is now %+v", err, shared)
	}
}

// TestMiddlewareThatLosesTheFunction holds that handlers work on a copy of the
// call: what they do to it does not reach the recovery from their panics.
func TestMiddlewareThatLosesTheFunction(t *testing.T) {
	for name, then := range map[string]func() (*registry.Result, error){
		"panic":          func() (*registry.Result, error) { panic("x") },
		"error":          func() (*registry.Result, error) { return nil, errors.New("x") },
		"nothing":        func() (*registry.Result, error) { return nil, nil },
		"runtime error":  func() (*registry.Result, error) { panic(runtimeError{}) },
		"no usable form": func() (*registry.Result, error) { return &registry.Result{Content: []mcp.Content{nil}}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			lose := func(registry.Handler) registry.Handler {
				return func(_ context.Context, c *registry.Call) (*registry.Result, error) {
					*c = registry.Call{}
					return then()
				}
			}
			p, log := pipelineOf(echo("f"), &registry.PipelineOptions{Middleware: []registry.Middleware{lose}})
			if _, err := run(p, "f", `{}`); err == nil || registry.AsError(err).Name != "f" {
				t.Errorf("got %v", err)
			}
			if strings.Contains(log.String(), "the secret") || name != "error" && log.Len() == 0 {
				t.Errorf("logged %q", log)
			}
		})
	}
}

// panickingLog is a log handler that fails.
type panickingLog struct{ slog.Handler }

func (panickingLog) Enabled(context.Context, slog.Level) bool  { return true }
func (panickingLog) Handle(context.Context, slog.Record) error { panic("log") }

func TestLoggerThatPanics(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("", "").Add(
		registry.Func("panics", "", func(context.Context, struct{}) (string, error) { panic("x") }),
		registry.Func("nothing", "", func(context.Context, struct{}) (*registry.Result, error) { return nil, nil }))
	p := registry.NewPipeline(reg, &registry.PipelineOptions{Logger: slog.New(panickingLog{})})
	for _, name := range []string{"panics", "nothing"} {
		_, err := run(p, name, "{}")
		wantKind(t, err, registry.Internal)
	}
}

// TestEndedContextDoesNotRun holds that a call that nobody waits for any more
// has no effect.
func TestEndedContextDoesNotRun(t *testing.T) {
	var ran atomic.Int32
	f := registry.Func("f", "", func(context.Context, struct{}) (string, error) { ran.Add(1); return "", nil })
	p, _ := pipelineOf(f, nil)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	prepared, err := p.Prepare(context.Background(), &registry.Request{Function: "f"})
	if err != nil {
		t.Fatal(err)
	}
	for ctx, kind := range map[context.Context]registry.Kind{cancelled: registry.Canceled, late: registry.TimedOut} {
		for range 50 {
			_, err := p.Call(ctx, &registry.Request{Function: "f"})
			wantKind(t, err, kind)
			_, err = p.Call(ctx, &registry.Request{Find: registry.Found(prepared.Function)})
			wantKind(t, err, kind)
			if err == nil || !strings.Contains(err.Error(), "The function was not run.") {
				t.Errorf("says %v", err)
			}
		}
	}
	if ran.Load() != 0 {
		t.Errorf("ran %d times", ran.Load())
	}
}

// TestCauseOfTheEnd holds that a server which ends a call says why.
func TestCauseOfTheEnd(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cause error
		kind  registry.Kind
		says  string
	}{
		{"R84 why", &registry.Error{Kind: registry.Unavailable, Message: "Going down."}, registry.Unavailable, "Going down. It may have taken effect"},
		{"R84 another error", errors.New("the secret"), registry.Canceled, "was cancelled."},
		{"R84 none", nil, registry.Canceled, "was cancelled."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(context.Background())
			f := registry.Func("f", "", func(ctx context.Context, _ struct{}) (string, error) {
				cancel(tt.cause)
				<-ctx.Done()
				return "", ctx.Err()
			})
			p, _ := pipelineOf(f, nil)
			_, err := p.Call(ctx, &registry.Request{Function: "f"})
			wantKind(t, err, tt.kind)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("says %v", err)
			}
		})
	}
}

// TestOwnDeadline holds that the answer of a function with a deadline of its own is
// delivered, however close its end is to that of its context.
func TestOwnDeadline(t *testing.T) {
	for _, timeout := range []time.Duration{-1, time.Hour} {
		f := registry.Func("f", "", func(context.Context, struct{}) (string, error) { return "fine", nil }, registry.Timeout(timeout))
		p, _ := pipelineOf(f, nil)
		for range 5_000 {
			if r, err := p.Call(t.Context(), &registry.Request{Function: "f"}); err != nil || r.Text() != "fine" {
				t.Fatalf("%v: %v, %v", timeout, r, err)
			}
		}
	}
}
