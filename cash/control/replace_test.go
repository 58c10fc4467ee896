package control_test

import (
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

// A changed burst holds for owners that have called before. Their calls of the last minute count against it.
func TestReplaceBurst(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after control.Limit
		calls         int // before the change
		want          int // at once after it
		wait          time.Duration
		then          int // at once after the wait
	}{
		{"lower", control.Limit{PerMinute: 600, Burst: 50}, control.Limit{PerMinute: 60, Burst: 2}, 1, 1, time.Second, 1},
		{"lower than the calls", control.Limit{PerMinute: 600, Burst: 50}, control.Limit{PerMinute: 60, Burst: 2}, 30, 0, time.Second, 1},
		{"higher", control.Limit{PerMinute: 4, Burst: 1}, control.Limit{PerMinute: 600, Burst: 50}, 1, 49, time.Second, 10},
		{"removed", control.Limit{PerMinute: 30, Burst: 1}, control.Limit{PerMinute: 30}, 1, 29, time.Minute, 30},
		{"added", control.Limit{PerMinute: 30}, control.Limit{PerMinute: 30, Burst: 3}, 2, 1, 2 * time.Second, 1},
		{"as much as a minute", control.Limit{PerMinute: 30, Burst: 1}, control.Limit{PerMinute: 30, Burst: 30}, 1, 29, time.Minute, 30},
		{"another rate", control.Limit{PerMinute: 6, Burst: 2}, control.Limit{PerMinute: 60, Burst: 2}, 2, 0, time.Second, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			clock := newClock()
			q := control.NewQuota(&control.QuotaOptions{Default: tt.before, Now: clock.Now})
			r := newRig(nil, q.Middleware())
			for range tt.calls {
				must(r.do("alice", "write", "{}"))
			}
			if err := q.Replace(&control.QuotaOptions{Default: tt.after}); err != nil {
				t.Fatal(err)
			}
			passed := func() (n int) {
				for ; n < 100; n++ {
					if _, err := r.do("alice", "write", "{}"); err != nil {
						refusal(t, err, registry.RateLimited)
						break
					}
				}
				return n
			}
			if n := passed(); n != tt.want {
				t.Errorf("%d calls pass at once, want %d", n, tt.want)
			}
			clock.advance(tt.wait)
			if n := passed(); n != tt.then {
				t.Errorf("%d calls pass %v later, want %d", n, tt.wait, tt.then)
			}
		})
	}
}

// While rules change, the strictest of the former and the new ones holds, in dry runs too.
func TestRestrict(t *testing.T) {
	deny := func(tool string) *control.PolicyOptions {
		return &control.PolicyOptions{Rules: []control.Rule{{Decision: control.Deny, Tools: []string{tool}, Reason: "Not " + tool + "."}}}
	}
	p := control.NewPolicy(deny("shop.read"))
	r := newRig(nil, p.Middleware())
	decide := func(name string) control.Decision {
		f, err := r.reg.Function(t.Context(), "shop", name)
		if err != nil {
			t.Fatal(err)
		}
		d, _ := p.Decide(&registry.Call{Function: f})
		return d
	}
	want := func(read, write, wipe control.Decision) {
		t.Helper()
		if a, b, c := decide("read"), decide("write"), decide("wipe"); a != read || b != write || c != wipe {
			t.Errorf("read %s, write %s, wipe %s; want %s, %s, %s", a, b, c, read, write, wipe)
		}
	}
	asks := &control.PolicyOptions{Default: control.RequireApproval, Rules: []control.Rule{{Decision: control.Allow, Tools: []string{"shop.*e"}}}}
	want(control.Deny, control.Allow, control.Allow)
	for _, opts := range []*control.PolicyOptions{deny("shop.write"), asks} {
		if err := p.Restrict(opts); err != nil {
			t.Fatal(err)
		}
	}
	want(control.Deny, control.Deny, control.Allow)
	if _, err := r.do("alice", "write", "{}"); refusal(t, err, registry.Denied).Message == "" || r.ran("write") != 0 {
		t.Error("write ran")
	}
	if err := p.Restrict(&control.PolicyOptions{Default: "perhaps"}); err == nil {
		t.Error("an unknown default is taken")
	}
	if err := p.Replace(asks); err != nil {
		t.Fatal(err)
	}
	want(control.RequireApproval, control.Allow, control.Allow)

	for range 100 { // the same again needs no room
		if err := p.Restrict(deny("shop.wipe")); err != nil {
			t.Fatal(err)
		}
	}
	tools := []string{"a", "b", "c", "d", "e", "f", "g"}
	for _, tool := range tools {
		if err := p.Restrict(deny(tool)); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Restrict(deny("h")); err == nil {
		t.Error("the rules grow without a bound")
	}
	want(control.RequireApproval, control.Allow, control.Deny)
	if err := p.Replace(nil); err != nil {
		t.Fatal(err)
	}
	want(control.Allow, control.Allow, control.Allow)
}
