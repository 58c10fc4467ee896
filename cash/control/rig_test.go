package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// A rig is a pipeline over functions that count how often they run.
type rig struct {
	*registry.Pipeline
	reg *registry.Registry

	mu   sync.Mutex
	runs map[string]int // by owner and function
}

// newRig has shop.read (read-only), shop.write, shop.wipe (destructive) and
// shop.Big_Read (read-only). All answer with a number that is one higher each
// time, unless answers has a handler by their name.
func newRig(answers map[string]registry.Handler, controls ...registry.Middleware) *rig {
	r := &rig{reg: registry.New(nil), runs: make(map[string]int)}
	for name, fact := range map[string]registry.FuncOption{
		"read": registry.ReadOnly, "write": registry.Tags(), "wipe": registry.Destructive(true), "Big_Read": registry.ReadOnly,
	} {
		f, err := registry.RemoteFunc(name, "Does it.", registry.Remote{Handler: func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			total := r.count(c.Owner(), name)
			if h := answers[name]; h != nil {
				return h(ctx, c)
			}
			return registry.TextResult(fmt.Sprint(total)), nil
		}}, fact)
		if err != nil {
			panic(err)
		}
		r.reg.Namespace("shop", "A shop.").Add(f)
	}
	r.Pipeline = registry.NewPipeline(r.reg, &registry.PipelineOptions{Middleware: controls})
	return r
}

// count notes a run and returns how many there have been of the function.
func (r *rig) count(owner, name string) (total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs[owner+" "+name]++
	for key, n := range r.runs {
		if strings.HasSuffix(key, " "+name) {
			total += n
		}
	}
	return total
}

// ran returns how often the function has run, for whomever.
func (r *rig) ran(name string) (total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, n := range r.runs {
		if strings.HasSuffix(key, " "+name) {
			total += n
		}
	}
	return total
}

// do calls shop.name as the caller; "" is anonymous, and what begins with "@" a
// connection.
func (r *rig) do(caller, name, args string, more ...func(*registry.Request)) (*registry.Result, error) {
	return r.doIn(context.Background(), caller, name, args, more...)
}

func (r *rig) doIn(ctx context.Context, caller, name, args string, more ...func(*registry.Request)) (*registry.Result, error) {
	req := &registry.Request{Namespace: "shop", Function: name, Arguments: json.RawMessage(args)}
	if strings.HasPrefix(caller, "@") {
		req.Client = &registry.Client{Owner: "connection:" + caller}
	} else if caller != "" {
		ctx = registry.WithCaller(ctx, &registry.Caller{ID: caller})
	}
	for _, change := range more {
		change(req)
	}
	return r.Call(ctx, req)
}

func dry(req *registry.Request) { req.DryRun = true }

func withPlan(token string) func(*registry.Request) {
	return func(req *registry.Request) { req.PlanToken = token }
}

// idOf returns the id of a function of the shop.
func (r *rig) idOf(t testing.TB, name string) string {
	t.Helper()
	f, err := r.reg.Function(context.Background(), "shop", name)
	if err != nil {
		t.Fatal(err)
	}
	return f.Primitive().String()
}

// refusal returns the error of a call that was refused with the kind, before
// the function ran.
func refusal(t testing.TB, err error, kind registry.Kind) *registry.Error {
	t.Helper()
	var e *registry.Error
	if !errors.As(err, &e) || e.Kind != kind || !e.NotRun {
		t.Fatalf("error = %#v, want one of kind %s that says that nothing ran", err, kind)
	}
	if e.Message == "" || e.Hint == "" {
		t.Errorf("the error does not say what happened or what to do: %#v", e)
	}
	return e
}

// textOf returns the text of a result that must be there.
func textOf(t testing.TB, res *registry.Result, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return res.Text()
}

// A stopped clock is one that the test moves.
type stopped struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *stopped { return &stopped{now: time.Unix(1_800_000_000, 0)} }

func (s *stopped) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *stopped) advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// wantPanic holds that a constructor panics with err, and the line that calls it.
func wantPanic(t *testing.T, err error, construct func()) {
	t.Helper()
	defer func() {
		text, _ := recover().(string)
		if err == nil || !strings.HasPrefix(text, "control: "+err.Error()+" (") || !strings.Contains(text, "_test.go:") {
			t.Errorf("panic %q, want one of %v", text, err)
		}
	}()
	construct()
}
