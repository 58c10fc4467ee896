package control_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

// A journal is a log that a test reads.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

func (j *journal) audit() *control.Audit {
	return &control.Audit{Logger: slog.New(slog.NewJSONHandler(j, nil))}
}

// events returns what was logged since the last time.
func (j *journal) events(t testing.TB) []map[string]any {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	var events []map[string]any
	for line := range strings.Lines(j.buf.String()) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	j.buf.Reset()
	return events
}

// only returns the one event since the last time.
func (j *journal) only(t testing.TB) map[string]any {
	t.Helper()
	events := j.events(t)
	if len(events) != 1 {
		t.Fatalf("%d events: %v", len(events), events)
	}
	return events[0]
}

func TestW38AuditEvents(t *testing.T) {
	var j journal
	answers := map[string]registry.Handler{
		"write": func(_ context.Context, c *registry.Call) (*registry.Result, error) {
			switch string(c.Arguments) {
			case `{"n":1}`:
				return nil, errors.New("secret trouble")
			case `{"n":2}`:
				return &registry.Result{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "secret trouble"}, nil, (*mcp.ImageContent)(nil)}}, nil
			case `{"n":3}`:
				return &registry.Result{InputRequests: mcp.InputRequestMap{"q": &mcp.ElicitParams{Message: "secret?"}}}, nil
			case `{"n":4}`:
				panic("secret trouble")
			case `{"n":5}`:
				return nil, nil
			case `{"n":6}`:
				return nil, (*registry.Error)(nil)
			}
			return registry.TextResult("secret"), nil
		},
	}
	p := policy(t, control.Rule{Decision: control.Deny, Tools: []string{"shop.wipe"}})
	r := newRig(answers, j.audit().Middleware(), p.Middleware())
	for _, tt := range []struct {
		name, args, message, outcome string
		isError                      bool
		size                         int
		more                         []func(*registry.Request)
	}{
		{"write", `{"n":"secret"}`, "execute.completed", "ok", false, 6, nil},
		{"write", `{"n":1}`, "execute.failed", "FAILED", true, 0, nil},
		{"write", `{"n":2}`, "execute.failed", "ok", true, 14, nil},
		{"write", `{"n":3}`, "execute.asked", "ok", false, 0, nil},
		{"write", `{"n":4}`, "execute.failed", "INTERNAL", true, 0, nil},
		{"write", `{"n":5}`, "execute.failed", "INTERNAL", true, 0, nil},
		{"write", `{"n":6}`, "execute.failed", "FAILED", true, 0, nil},
		{"wipe", `{"n":"secret"}`, "execute.denied", "DENIED", true, 0, nil},
		{"write", `{"n":"secret"}`, "execute.dry_run", "ok", false, -1, []func(*registry.Request){dry}},
		{"wipe", `{"n":"secret"}`, "execute.dry_run", "DENIED", true, 0, []func(*registry.Request){dry}},
	} {
		r.do("ada", tt.name, tt.args, tt.more...)
		e := j.only(t)
		if text := fmt.Sprint(e); strings.Contains(text, "secret") {
			t.Errorf("%s %s: contents are logged: %s", tt.name, tt.args, text)
		}
		class := map[string]any{"write": "writes", "wipe": "destructive"}[tt.name]
		for key, want := range map[string]any{
			"msg": tt.message, "level": "INFO", "outcome": tt.outcome, "is_error": tt.isError, "id": r.idOf(t, tt.name),
			"path": "shop." + tt.name, "tool": tt.name, "kind": "tool", "class": class, "caller": "ada", "repairs": 0.0,
		} {
			if e[key] != want {
				t.Errorf("%s %s: %s is %v, want %v", tt.name, tt.args, key, e[key], want)
			}
		}
		if size := e["size"].(float64); tt.size >= 0 && size != float64(tt.size) || tt.size < 0 && size == 0 {
			t.Errorf("%s %s: size is %v", tt.name, tt.args, size)
		}
		if d, ok := e["duration"].(float64); !ok || d < 0 {
			t.Errorf("duration is %v", e["duration"])
		}
	}
	r.do("@session-7", "write", "")
	if e := j.only(t); e["caller"] != nil || strings.Contains(fmt.Sprint(e), "session-7") {
		t.Errorf("who cannot be named is: %v", e)
	}
}

// A name from outside stays in its line.
func TestW35AuditNamesAreClean(t *testing.T) {
	var j journal
	r := newRig(nil, (&control.Audit{Logger: slog.New(slog.NewTextHandler(&j, nil)), Level: slog.LevelWarn}).Middleware())
	r.do("ada\nlevel=ERROR \x1b[31m\u202e"+strings.Repeat("x", 1000), "read", "")
	line := j.buf.String()
	if strings.Count(line, "\n") != 1 || strings.Contains(line, "u202e") || len(line) > 600 || !strings.Contains(line, "level=WARN") {
		t.Errorf("the line is %q", line)
	}
}

type badHandler struct{ slog.Handler }

func (badHandler) Enabled(context.Context, slog.Level) bool { return true }

func TestAuditSurvivesItsLogger(t *testing.T) {
	r := newRig(nil, (&control.Audit{Logger: slog.New(badHandler{})}).Middleware())
	if res, err := r.do("ada", "read", ""); textOf(t, res, err) != "1" {
		t.Error("the call is lost")
	}
}

// A call that is given up is logged then, once, with what its caller is told.
func TestAuditOfAnAbandonedCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j journal
		end := make(chan struct{})
		hangs := func(context.Context, *registry.Call) (*registry.Result, error) {
			<-end
			return registry.TextResult("too late"), nil
		}
		r := newRig(map[string]registry.Handler{"write": hangs}, j.audit().Middleware())
		for _, want := range []string{"TIMEOUT", "UNAVAILABLE"} {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if want == "UNAVAILABLE" {
				time.AfterFunc(time.Second, func() {
					cancel(&registry.Error{Kind: registry.Unavailable, Message: "The server stops."})
				})
			}
			_, err := r.doIn(ctx, "ada", "write", "")
			synctest.Wait()
			if e := j.only(t); !errors.Is(err, registry.Kind(want)) || e["outcome"] != want || e["msg"] != "execute.failed" {
				t.Errorf("%v: the event is %v", err, e)
			}
			end <- struct{}{}
			synctest.Wait()
			if events := j.events(t); len(events) != 0 {
				t.Errorf("later: %v", events)
			}
		}
	})
}

func TestW38AuditSaysWhoApproved(t *testing.T) {
	var j journal
	approvals := control.NewApprovals(nil)
	p := control.NewPolicy(&control.PolicyOptions{Default: control.RequireApproval, Approvals: approvals})
	r := newRig(nil, j.audit().Middleware(), p.Middleware())
	_, err := r.do("ada", "write", "")
	if e := j.only(t); e["msg"] != "execute.denied" || e["approved_by"] != nil {
		t.Errorf("before: %v", e)
	}
	(&operator{approvals, t}).Approve(detail(t, err, "approval_id"))
	r.do("ada", "write", "")
	if e := j.only(t); e["msg"] != "execute.completed" || e["approved_by"] != "operator" {
		t.Errorf("after: %v", e)
	}
	res, err := r.do("", "write", "", rounds("connection:1", "", nil))
	if e := j.only(t); err != nil || e["msg"] != "execute.asked" {
		t.Errorf("%v, asked: %v", err, e)
	}
	r.do("", "write", "", rounds("connection:1", res.RequestState, mcp.InputResponseMap{"approval": answer("accept", true)}))
	if e := j.only(t); e["approved_by"] != "client" {
		t.Errorf("answered: %v", e)
	}
}
