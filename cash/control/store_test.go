package control_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

var errDown = errors.New("dial tcp 10.0.0.7:6379: refused")

// offline is every store, of an engine that does not answer.
type offline struct{ err error }

func (d offline) Claim(context.Context, string, string, time.Time) (string, bool, error) {
	return "", false, d.err
}
func (d offline) Release(context.Context, string, string) error { return d.err }

func (d offline) Take(context.Context, *control.Taking) (*control.Refusal, error) { return nil, d.err }
func (d offline) Forget(context.Context, string) error                            { return d.err }

func (d offline) Find(context.Context, control.ResultKey) (*control.StoredResult, string, error) {
	return &control.StoredResult{Result: registry.TextResult("stale")}, "", d.err
}
func (d offline) Keep(context.Context, control.ResultKey, *control.StoredResult) (bool, error) {
	return false, d.err
}
func (d offline) Expire(context.Context, control.ResultKey, time.Duration) error { return d.err }
func (d offline) Flush(context.Context) error                                    { return d.err }

type offlineTickets struct{ offline }

func (d offlineTickets) Ask(context.Context, *control.Ticket) (*control.Ticket, error) {
	return nil, d.err
}
func (d offlineTickets) Settle(context.Context, string, string, control.Decision) (bool, error) {
	return false, d.err
}
func (d offlineTickets) Take(context.Context, string, string) (*control.Ticket, error) {
	return nil, d.err
}
func (d offlineTickets) Pending(context.Context) ([]control.ApprovalRequest, error) {
	return nil, d.err
}

// TestStoresThatFail holds that what cannot be claimed, counted or approved does not run,
// and says so without a word of the engine, and that a cache which cannot be reached is a
// miss.
func TestStoresThatFail(t *testing.T) {
	plans := control.NewPlans(&control.PlanOptions{Store: offline{errDown}})
	quota := control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerMinute: 9}, Meta: map[string]control.Limit{"help": {PerMinute: 9}}, Store: offline{errDown}})
	approvals := control.NewApprovals(&control.ApprovalOptions{Store: offlineTickets{offline{errDown}}})
	policy := control.NewPolicy(&control.PolicyOptions{Default: control.RequireApproval, Approvals: approvals})
	for _, tt := range []struct {
		name       string
		middleware registry.Middleware
		request    func(*registry.Request)
	}{
		{"plans", plans.Middleware(), nil},
		{"quota", quota.Middleware(), func(*registry.Request) {}},
		{"approvals", policy.Middleware(), func(*registry.Request) {}},
		{"approvals, by state", policy.Middleware(), rounds("connection:1", "state", nil)},
		{"approvals, by rounds", policy.Middleware(), rounds("", "", nil)},
		{"approvals, while the call waits", policy.Middleware(), waits("", func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			t.Error("somebody was asked")
			return answer("accept", true), nil
		})},
	} {
		r := newRig(nil, tt.middleware)
		if tt.request == nil {
			tt.request = withPlan(plan(t, r, "ada", "write", "").Token)
		}
		_, err := r.do("ada", "write", "", tt.request)
		e := refusal(t, err, registry.Unavailable)
		if r.ran("write") != 0 || strings.Contains(e.Error(), "10.0.0.7") || !errors.Is(e, errDown) {
			t.Errorf("%s: it ran %d times, the error is %v", tt.name, r.ran("write"), e)
		}
	}
	refusal(t, quota.Allow(t.Context(), "ada", "help"), registry.Unavailable)

	cache := control.NewCache(&control.CacheOptions{ReadOnly: true, Store: offline{errDown}})
	r := newRig(nil, cache.Middleware())
	for range 2 {
		if res := must(r.do("ada", "read", "")); isHit(res) || res.Text() == "stale" {
			t.Errorf("from a cache that is down: %+v", res)
		}
	}

	_, err1 := approvals.Pending(t.Context())
	_, err2 := approvals.Approve(t.Context(), "id")
	_, err3 := approvals.Deny(t.Context(), "id")
	for i, err := range []error{err1, err2, err3, quota.Forget(t.Context(), "ada"), cache.Flush(t.Context())} {
		if !errors.Is(err, errDown) {
			t.Errorf("%d: the error is %v", i, err)
		}
	}
}

// TestStoresThatAreFull holds that a store which has no room is told from one that is
// down, also if it wraps the error.
func TestStoresThatAreFull(t *testing.T) {
	full := fmt.Errorf("redis: %w", control.ErrNoRoom)
	plans := newRig(nil, control.NewPlans(&control.PlanOptions{Store: offline{full}}).Middleware())
	_, err := plans.do("ada", "write", "", withPlan(plan(t, plans, "ada", "write", "").Token))
	if e := refusal(t, err, registry.Unavailable); !strings.Contains(e.Message, "Too many plan tokens") {
		t.Error(e)
	}
	_, err = newRig(nil, control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerMinute: 1}, Store: offline{full}}).Middleware()).do("ada", "write", "")
	if e := refusal(t, err, registry.RateLimited); !strings.Contains(e.Message, "Too many callers") {
		t.Error(e)
	}
}

// forgetful loses what is to become of a token.
type forgetful struct{ control.PlanStore }

func (f forgetful) Release(ctx context.Context, _, _ string) error {
	if ctx.Err() != nil {
		panic("what is noted after a call ends with its context")
	}
	return errDown
}

// TestPlanTokenThatIsNotReleased holds that a token stays used up then.
func TestPlanTokenThatIsNotReleased(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := newRig(map[string]registry.Handler{"write": func(context.Context, *registry.Call) (*registry.Result, error) {
		cancel()
		return nil, &registry.Error{Kind: registry.Unavailable, Message: "Down.", NotRun: true}
	}}, control.NewPlans(&control.PlanOptions{Store: forgetful{control.MemoryPlans(nil)}}).Middleware())
	token := plan(t, r, "ada", "write", "").Token
	_, _ = r.doIn(ctx, "ada", "write", "", withPlan(token))
	_, err := r.do("ada", "write", "", withPlan(token))
	if e := refusal(t, err, registry.InvalidArguments); e.Details["plan_token"] != "used" {
		t.Errorf("details = %v", e.Details)
	}
}

// TestReplicasShareAPlanStore holds that a token runs a function on one of them, once.
func TestReplicasShareAPlanStore(t *testing.T) {
	opts := &control.PlanOptions{Key: bytes.Repeat([]byte{7}, 32), Store: control.MemoryPlans(nil)}
	var replicas [3]*rig
	for i := range replicas {
		replicas[i] = newRig(nil, control.NewPlans(opts).Middleware())
	}
	for range 20 {
		token := plan(t, replicas[0], "ada", "write", "").Token
		var passed atomic.Int32
		var wg sync.WaitGroup
		for i := range 9 {
			wg.Go(func() {
				if _, err := replicas[i%3].do("ada", "write", "", withPlan(token)); err == nil {
					passed.Add(1)
				}
			})
		}
		wg.Wait()
		if passed.Load() != 1 {
			t.Fatalf("%d calls were let through", passed.Load())
		}
	}
}

// TestReplicasShareAQuotaAndACache holds that what one has counted and kept is counted
// and kept for the other.
func TestReplicasShareAQuotaAndACache(t *testing.T) {
	quota, cache := control.MemoryQuota(nil), control.NewResults(nil)
	caches := make([]*control.Cache, 2)
	replicas := make([]*rig, 2)
	for i := range replicas {
		caches[i] = control.NewCache(&control.CacheOptions{ReadOnly: true, Store: cache})
		replicas[i] = newRig(nil, control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerMinute: 4}, Store: quota}).Middleware(), caches[i].Middleware())
	}
	must(replicas[0].do("ada", "read", ""))
	if !isHit(must(replicas[1].do("ada", "read", ""))) {
		t.Error("what one has kept the other runs again")
	}
	if err := caches[1].Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if isHit(must(replicas[0].do("ada", "read", ""))) {
		t.Error("what one has flushed the other answers with")
	}
	must(replicas[1].do("ada", "read", ""))
	for _, r := range replicas {
		_, err := r.do("ada", "read", "")
		refusal(t, err, registry.RateLimited)
	}
}

// TestReplicasShareApprovals holds that a call which waits on one of them may be decided
// about on the next, and run on a third; and that a call which waits for the person at a
// client elsewhere is told as soon as there is an answer.
func TestReplicasShareApprovals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := &control.ApprovalOptions{MaxAge: time.Minute, Store: control.MemoryApprovals(time.Minute)}
		var replicas [3]*rig
		var operators [3]*operator
		for i := range replicas {
			replicas[i], operators[i] = asking(t, nil, opts)
		}
		_, err := replicas[0].do("ada", "write", "")
		id := detail(t, err, "approval_id")
		if list := operators[1].Pending(); len(list) != 1 || list[0].ID != id || !operators[1].Approve(id) {
			t.Errorf("pending is %+v", list)
		}
		must(replicas[2].do("ada", "write", ""))

		asked := make(chan struct{})
		answers := waits("caller:ada", func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			close(asked)
			time.Sleep(time.Second)
			return answer("decline", nil), nil
		})
		go replicas[0].do("ada", "wipe", "", answers)
		<-asked
		began := time.Now()
		_, err = replicas[1].do("ada", "wipe", "", answers)
		if detail(t, err, "approval") != "declined" || time.Since(began) != time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		synctest.Wait()

		// A call for which nobody can be asked here waits for the answer elsewhere, and
		// is told no id that the operator does not have.
		go replicas[0].do("ada", "read", "", waits("caller:ada", func(ctx context.Context, _ *mcp.ElicitParams) (*mcp.ElicitResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}))
		synctest.Wait()
		_, err = replicas[1].do("ada", "read", "")
		if detail(t, err, "approval") != "asked" || detail(t, err, "approval_id") != "" || len(operators[1].Pending()) != 0 {
			t.Errorf("asked elsewhere: %v", err)
		}
		time.Sleep(2 * time.Minute)
	})
}
