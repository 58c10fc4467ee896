package registry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// pipelineOf returns a pipeline over one root function, and what it logs.
func pipelineOf(f *registry.Function, opts *registry.PipelineOptions) (*registry.Pipeline, *bytes.Buffer) {
	reg := registry.New(nil)
	reg.Namespace("", "").Add(f)
	var log bytes.Buffer
	if opts == nil {
		opts = &registry.PipelineOptions{}
	}
	opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
	return registry.NewPipeline(reg, opts), &log
}

func run(p *registry.Pipeline, name, args string) (*registry.Result, error) {
	return p.Call(context.Background(), &registry.Request{Function: name, Arguments: json.RawMessage(args)})
}

// raw returns a function that takes anything and answers with its arguments.
func raw(t *testing.T, schema string) *registry.Function {
	t.Helper()
	f, err := registry.RawFunc("raw", "Echo.", json.RawMessage(schema), func(_ context.Context, args json.RawMessage) (*registry.Result, error) {
		return registry.TextResult(string(args)), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestArguments(t *testing.T) {
	const closed = `{"type":"object","additionalProperties":false,"properties":{"customer_id":{},"items":{},"n":{"type":"integer"}}}`
	for _, tt := range []struct {
		name, schema, args string
		want               string // result, or part of the error if it begins with "!"
	}{
		{"R10 omitted", closed, "", "{}"},
		{"R22 normalised", closed, `{"customerID":1}`, `{"customer_id":1}`},
		{"R22 upper case", closed, `{"CUSTOMERID":1,"N":2}`, `{"customer_id":1,"n":2}`},
		{"R22 verbatim", closed, ` { "customer_id" : 1 } `, `{ "customer_id" : 1 }`},
		{"R23 nested keys are data", closed, `{"items":[{"Product_ID":1,"productid":2}]}`, `{"items":[{"Product_ID":1,"productid":2}]}`},
		{"R24 colliding", closed, `{"customer_id":1,"customerID":2}`, "!`customer_id` and `customerID`"},
		{"R24 colliding, open", "", `{"foo_bar":1,"fooBar":2}`, "!`foo_bar` and `fooBar`"},
		{"R25 open", "", `{"Any_Thing":1,"customer-id":2}`, `{"Any_Thing":1,"customer-id":2}`},
		{"R25 illegal key", closed, `{"customer-id":1}`, "!customer_id"},
		{"R25 names what there is", closed, `{"zzz":1}`, "!items"},
		{"R14 array", closed, `[1]`, "!object"},
		{"R14 number", closed, `1`, "!object"},
		{"R14 string", closed, `"{\"n\":1}"`, "!string"},
		{"X15 null", closed, ` null `, `{}`},
		{"no JSON", closed, `nonsense`, "!not valid JSON"},
		{"duplicate key", closed, `{"n":1,"n":2}`, "!duplicate"},
		{"duplicate nested key", closed, `{"items":{"a":1,"a":2}}`, "!duplicate"},
		{"bad UTF-8", closed, "{\"n\":\"\xff\"}", "!UTF-8"},
		{"trailing data", closed, `{} {}`, "!JSON"},
		{"too deep", "", `{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, "!JSON"},
		{"wrong type", closed, `{"n":"x"}`, "!n: must be an integer"},
		{"spelling of numbers", closed, `{"items":[12.50,9007199254740993,1e2]}`, `{"items":[12.50,9007199254740993,1e2]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := pipelineOf(raw(t, tt.schema), nil)
			for range 20 {
				res, err := run(p, "raw", tt.args)
				part, wantError := strings.CutPrefix(tt.want, "!")
				if wantError {
					wantKind(t, err, registry.InvalidArguments)
					if err != nil && !strings.Contains(err.Error(), part) {
						t.Fatalf("error %q does not say %q", err, part)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := res.Text(); got != tt.want {
					t.Fatalf("got %s, want %s", got, tt.want)
				}
			}
		})
	}
}

func TestArgumentValuesAreNotEchoed(t *testing.T) {
	const secret = "hunter2hunter2"
	type in struct {
		N     int      `json:"n,omitempty" cash:"max=3"`
		Mode  string   `json:"mode,omitempty" cash:"enum=a|b"`
		Code  string   `json:"code,omitempty" cash:"pattern=^x+$"`
		Items []string `json:"items,omitempty" cash:"maxLength=2"`
	}
	f := registry.Func("f", "", func(context.Context, in) (string, error) { return "", nil })
	p, log := pipelineOf(f, nil)
	for _, args := range []string{
		`{"n":"` + secret + `"}`, `{"mode":"` + secret + `"}`, `{"code":"` + secret + `"}`, `{"items":["` + secret + `"]}`,
		`{"n":{"` + secret + `":1}}`, `"` + secret + `"`, `{"n":` + secret + `}`,
	} {
		_, err := run(p, "f", args)
		wantKind(t, err, registry.InvalidArguments)
		if err != nil && strings.Contains(err.Error(), secret) || strings.Contains(log.String(), secret) {
			t.Errorf("%s is echoed: %v; log %s", args, err, log)
		}
	}
}

func TestMaxArguments(t *testing.T) {
	p, _ := pipelineOf(raw(t, ""), nil)
	_, err := run(p, "raw", `{"a":"`+strings.Repeat("x", 10<<20)+`"}`)
	wantKind(t, err, registry.InvalidArguments)
	if err != nil && len(err.Error()) > 600 {
		t.Errorf("the error has %d bytes", len(err.Error()))
	}
}

func TestMisbehavingFunctions(t *testing.T) {
	const secret = "the secret"
	for _, tt := range []struct {
		name string
		f    func(context.Context, json.RawMessage) (*registry.Result, error)
		kind registry.Kind
		says string
	}{
		{"R83 error", func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, errors.New("no stock") }, registry.Failed, "no stock"},
		{"R83 own kind", func(context.Context, json.RawMessage) (*registry.Result, error) {
			return nil, fmt.Errorf("wrapped: %w", &registry.Error{Kind: registry.RateLimited, Message: "Slow down."})
		}, registry.RateLimited, "Slow down."},
		{"R83 panic", func(context.Context, json.RawMessage) (*registry.Result, error) { panic(secret) }, registry.Internal, "unexpectedly"},
		{"R83 nil dereference", func(context.Context, json.RawMessage) (*registry.Result, error) {
			var p *registry.Result
			p.IsError = true
			return p, nil
		}, registry.Internal, "unexpectedly"},
		{"Goexit", func(context.Context, json.RawMessage) (*registry.Result, error) { runtime.Goexit(); return nil, nil }, registry.Internal, "unexpectedly"},
		{"nil result", func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil }, registry.Internal, "no usable result"},
		{"nil content", func(context.Context, json.RawMessage) (*registry.Result, error) {
			return &registry.Result{Content: []mcp.Content{nil}}, nil
		}, registry.Internal, "no usable result"},
		{"typed nil content", func(context.Context, json.RawMessage) (*registry.Result, error) {
			return &registry.Result{Content: []mcp.Content{(*mcp.TextContent)(nil)}}, nil
		}, registry.Internal, "no usable result"},
		{"structured content that is no JSON", func(context.Context, json.RawMessage) (*registry.Result, error) {
			return &registry.Result{Structured: json.RawMessage("{")}, nil
		}, registry.Internal, "no usable result"},
		{"typed nil error", func(context.Context, json.RawMessage) (*registry.Result, error) {
			var e *nilError
			return nil, e
		}, registry.Failed, "without saying why"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := registry.RawFunc("raw", "", nil, tt.f)
			if err != nil {
				t.Fatal(err)
			}
			p, log := pipelineOf(f, nil)
			for range 2 { // the second call finds the pipeline as it was
				_, err = run(p, "raw", "{}")
				wantKind(t, err, tt.kind)
				if err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("error %v does not say %q", err, tt.says)
				}
			}
			if strings.Contains(err.Error(), secret) || strings.Contains(log.String(), secret) {
				t.Error("what was panicked with is told")
			}
			if tt.kind == registry.Internal && log.Len() == 0 {
				t.Error("nothing is logged")
			}
		})
	}
}

type nilError struct{ text string }

func (e *nilError) Error() string { return e.text }

func TestDeadlines(t *testing.T) {
	hang := func(ctx context.Context, _ echoIn) (string, error) { <-ctx.Done(); return "", ctx.Err() }
	for _, tt := range []struct {
		name           string
		server, own    time.Duration
		readOnly       bool
		wantAfter      time.Duration
		says, saysMore string
	}{
		{"server-wide", 3 * time.Second, 0, false, 3 * time.Second, "within 3s", "may have taken effect"},
		{"of the function", 3 * time.Second, 5 * time.Second, false, 5 * time.Second, "within 5s", "may have taken effect"},
		{"default", 0, 0, false, registry.DefaultTimeout, "within 1m0s", "may have"},
		{"read-only", time.Second, 0, true, time.Second, "within 1s", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				facts := []registry.FuncOption{registry.Timeout(tt.own)}
				if tt.readOnly {
					facts = append(facts, registry.ReadOnly)
				}
				f := registry.Func("f", "", hang, facts...)
				p, _ := pipelineOf(f, &registry.PipelineOptions{Timeout: tt.server})
				start := time.Now()
				_, err := run(p, "f", "{}")
				wantKind(t, err, registry.TimedOut)
				if took := time.Since(start); took != tt.wantAfter {
					t.Errorf("took %v, want %v", took, tt.wantAfter)
				}
				if !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "may have") != !tt.readOnly {
					t.Errorf("error %q", err)
				}
			})
		})
	}
}

// TestHangingFunction holds that a function that ignores its context does not
// hold its caller, and that such calls do not pile up without bound.
func TestHangingFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		f := registry.Func("f", "", func(context.Context, echoIn) (string, error) { <-release; return "late", nil })
		p, _ := pipelineOf(f, &registry.PipelineOptions{Timeout: time.Second})
		for range 64 {
			_, err := run(p, "f", "{}")
			wantKind(t, err, registry.TimedOut)
		}
		_, err := run(p, "f", "{}")
		wantKind(t, err, registry.Unavailable)
		close(release)
		synctest.Wait()
		if res, err := run(p, "f", "{}"); err != nil || res.Text() != "late" {
			t.Errorf("after the hanging calls have ended: %v, %v", res, err)
		}
	})
}

// TestManyCallsAtATime holds that the bound on hanging calls does not bound
// those that are merely at work.
func TestManyCallsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := registry.Func("f", "", func(context.Context, echoIn) (string, error) { time.Sleep(time.Second); return "done", nil })
		p, _ := pipelineOf(f, nil)
		var ok atomic.Int32
		for range 500 {
			go func() {
				if res, err := run(p, "f", "{}"); err == nil && res.Text() == "done" {
					ok.Add(1)
				}
			}()
		}
		time.Sleep(2 * time.Second)
		if ok.Load() != 500 {
			t.Errorf("%d of 500 calls were answered", ok.Load())
		}
	})
}

func TestCancel(t *testing.T) { // R84
	synctest.Test(t, func(t *testing.T) {
		noticed := make(chan struct{})
		f := registry.Func("f", "", func(ctx context.Context, _ echoIn) (string, error) {
			<-ctx.Done()
			close(noticed)
			return "", ctx.Err()
		})
		p, _ := pipelineOf(f, nil)
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		_, err := p.Call(ctx, &registry.Request{Function: "f"})
		wantKind(t, err, registry.Canceled)
		<-noticed
	})
}

func TestMiddleware(t *testing.T) {
	var order []string
	trace := func(name string) registry.Middleware {
		return func(next registry.Handler) registry.Handler {
			return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
				order = append(order, name+" "+c.Function.Path()+" "+string(c.Arguments)+" "+c.Caller.ID)
				return next(ctx, c)
			}
		}
	}
	deny := func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			if c.Caller.HasRole("clerk") {
				return nil, &registry.Error{Kind: registry.Denied, Message: "Clerks may not."}
			}
			return next(ctx, c)
		}
	}
	type in struct {
		Mode string `json:"mode,omitempty" cash:"default=fast"`
	}
	ran := 0
	f := registry.Func("f", "", func(_ context.Context, in in) (string, error) { ran++; return in.Mode, nil })
	p, _ := pipelineOf(f, &registry.PipelineOptions{Middleware: []registry.Middleware{trace("outer"), trace("inner"), deny}})
	boss := registry.WithCaller(context.Background(), &registry.Caller{ID: "boss"})
	if res, err := p.Call(boss, &registry.Request{Function: "F"}); err != nil || res.Text() != "fast" {
		t.Fatal(res, err)
	}
	if got := strings.Join(order, "; "); got != `outer f {"mode":"fast"} boss; inner f {"mode":"fast"} boss` {
		t.Error(got)
	}
	clerk := registry.WithCaller(context.Background(), &registry.Caller{ID: "c", Roles: []string{"clerk"}})
	_, err := p.Call(clerk, &registry.Request{Function: "f"})
	wantKind(t, err, registry.Denied)
	order = nil
	if _, err := p.Call(boss, &registry.Request{Function: "f", Arguments: json.RawMessage(`{"mode":1}`)}); err == nil || order != nil || ran != 1 {
		t.Errorf("middleware saw arguments that are not valid: %v, %v", err, order)
	}
}

func TestReserved(t *testing.T) { // R105
	p, _ := pipelineOf(raw(t, `{"type":"object","properties":{"a":{}},"additionalProperties":false}`), nil)
	c, err := p.Prepare(context.Background(), &registry.Request{
		Function: "raw", Arguments: json.RawMessage(`{"A":1,"size_limit":5}`), Reserved: []registry.Reserved{{Name: "sizelimit"}, {Name: "replay"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if string(c.Reserved[0]) != "5" || c.Reserved[1] != nil || string(c.Arguments) != `{"a":1}` {
		t.Errorf("reserved %s, arguments %s", c.Reserved, c.Arguments)
	}
	p, _ = pipelineOf(raw(t, `{"type":"object","properties":{"sizelimit":{}}}`), nil)
	c, err = p.Prepare(context.Background(), &registry.Request{
		Function: "raw", Arguments: json.RawMessage(`{"sizeLimit":5}`), Reserved: []registry.Reserved{{Name: "sizelimit"}},
	})
	if err != nil || c.Reserved != nil || string(c.Arguments) != `{"sizelimit":5}` {
		t.Errorf("a declared parameter was taken: %+v, %v", c, err)
	}
}
