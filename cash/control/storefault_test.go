package control_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/cashtest/storetest"
	"github.com/cash-mcp/go-sdk/cash/control"
)

// crowded counts those who are inside at once.
type crowded struct{ inside atomic.Int32 }

// enter reports whether somebody else is inside, after giving them time to come.
func (c *crowded) enter() (others bool, leave func()) {
	c.inside.Add(1)
	time.Sleep(time.Millisecond)
	return c.inside.Load() > 1, func() { c.inside.Add(-1) }
}

// hang does not answer in time. Only the row about deadlines has one.
func hang(ctx context.Context) {
	if _, ok := ctx.Deadline(); ok {
		time.Sleep(2 * time.Second)
	}
}

type claimFunc func(ctx context.Context, token, state string, expires time.Time) (string, bool, error)

// spoiledPlans is a store of plans with another Claim and Release.
type spoiledPlans struct {
	control.PlanStore
	claim    claimFunc
	released sync.Map // state by token
	seen     sync.Map
	returns  bool // Release does not return tokens
	crowded
}

func (f *spoiledPlans) Claim(ctx context.Context, token, state string, expires time.Time) (string, bool, error) {
	return f.claim(ctx, token, state, expires)
}

func (f *spoiledPlans) Release(ctx context.Context, token, state string) error {
	f.released.Store(token, state)
	if f.returns && state == "" {
		return nil
	}
	return f.PlanStore.Release(ctx, token, state)
}

func TestSuiteOfPlansFindsFaults(t *testing.T) {
	t.Parallel()
	spoil := func(f func(s *spoiledPlans) claimFunc) func(control.PlanStore) control.PlanStore {
		return func(inner control.PlanStore) control.PlanStore {
			s := &spoiledPlans{PlanStore: inner}
			s.claim = f(s)
			return s
		}
	}
	wantBroken(t, func(f func(control.PlanStore) control.PlanStore) []storetest.Row {
		return storetest.Plans(plansSubject(f))
	}, map[string]func(control.PlanStore) control.PlanStore{
		"anyone claims an unused token": spoil(func(s *spoiledPlans) claimFunc {
			return func(ctx context.Context, token, state string, expires time.Time) (string, bool, error) {
				if _, held := s.released.Load(token); !held && state != "" {
					return "", false, nil
				}
				return s.PlanStore.Claim(ctx, token, state, expires)
			}
		}),
		"a used token is used": spoil(func(s *spoiledPlans) claimFunc {
			return func(ctx context.Context, token, state string, expires time.Time) (string, bool, error) {
				was, claimed, err := s.PlanStore.Claim(ctx, token, state, expires)
				_, held := s.released.Load(token)
				return was, claimed || !held && state != "", err
			}
		}),
		"one of many claims a token": spoil(func(s *spoiledPlans) claimFunc {
			return func(ctx context.Context, token, state string, expires time.Time) (string, bool, error) {
				others, leave := s.enter()
				defer leave()
				was, claimed, err := s.PlanStore.Claim(ctx, token, state, expires)
				return was, claimed || others && state == "", err
			}
		}),
		"a held token is claimed with its state only": spoil(func(s *spoiledPlans) claimFunc {
			return func(ctx context.Context, token, state string, expires time.Time) (string, bool, error) {
				if held, _ := s.released.Load(token); held != nil && state != "" {
					state = held.(string)
				}
				return s.PlanStore.Claim(ctx, token, state, expires)
			}
		}),
		"a held token is claimed once": spoil(func(s *spoiledPlans) claimFunc {
			return func(ctx context.Context, token, state string, expires time.Time) (string, bool, error) {
				others, leave := s.enter()
				defer leave()
				was, claimed, err := s.PlanStore.Claim(ctx, token, state, expires)
				return was, claimed || others && state != "", err
			}
		}),
		"a returned token is unused": func(inner control.PlanStore) control.PlanStore {
			return &spoiledPlans{PlanStore: inner, claim: inner.Claim, returns: true}
		},
		"an expired token is not claimed": spoil(func(s *spoiledPlans) claimFunc {
			return func(ctx context.Context, token, state string, expires time.Time) (string, bool, error) {
				return s.PlanStore.Claim(ctx, token, state, expires.Add(50*time.Millisecond))
			}
		}),
		"a used token is remembered until it expires": spoil(func(s *spoiledPlans) claimFunc {
			return func(ctx context.Context, token, state string, expires time.Time) (string, bool, error) {
				if _, seen := s.seen.LoadOrStore(token, true); !seen {
					expires = expires.Add(-150 * time.Millisecond)
				}
				return s.PlanStore.Claim(ctx, token, state, expires)
			}
		}),
		"tokens are compared byte by byte": spoil(func(s *spoiledPlans) claimFunc {
			return func(ctx context.Context, token, state string, expires time.Time) (string, bool, error) {
				return s.PlanStore.Claim(ctx, strings.TrimSpace(token), state, expires)
			}
		}),
		"a full store forgets nothing": spoil(func(s *spoiledPlans) claimFunc {
			return func(ctx context.Context, token, state string, expires time.Time) (string, bool, error) {
				was, claimed, err := s.PlanStore.Claim(ctx, token, state, expires)
				return was, claimed || err != nil, nil
			}
		}),
		"answers come within the deadline": spoil(func(s *spoiledPlans) claimFunc {
			return func(ctx context.Context, token, state string, expires time.Time) (string, bool, error) {
				hang(ctx)
				return s.PlanStore.Claim(ctx, token, state, expires)
			}
		}),
	})
}

type takeFunc func(ctx context.Context, t *control.Taking) (*control.Refusal, error)

// spoiledQuota is a store of counts with another Take and Forget.
type spoiledQuota struct {
	control.QuotaStore
	take     takeFunc
	forgets  bool // Forget does nothing
	crowding crowded
}

func (f *spoiledQuota) Take(ctx context.Context, t *control.Taking) (*control.Refusal, error) {
	return f.take(ctx, t)
}

func (f *spoiledQuota) Forget(ctx context.Context, owner string) error {
	if f.forgets {
		return nil
	}
	return f.QuotaStore.Forget(ctx, owner)
}

func TestSuiteOfQuotaFindsFaults(t *testing.T) {
	t.Parallel()
	spoil := func(f func(ctx context.Context, s *spoiledQuota, t control.Taking) (*control.Refusal, error)) func(control.QuotaStore) control.QuotaStore {
		return func(inner control.QuotaStore) control.QuotaStore {
			s := &spoiledQuota{QuotaStore: inner}
			s.take = func(ctx context.Context, t *control.Taking) (*control.Refusal, error) { return f(ctx, s, *t) }
			return s
		}
	}
	wantBroken(t, func(f func(control.QuotaStore) control.QuotaStore) []storetest.Row {
		return storetest.Quota(quotaSubject(f))
	}, map[string]func(control.QuotaStore) control.QuotaStore{
		"calls pass up to the limit of the minute": spoil(func(ctx context.Context, s *spoiledQuota, t control.Taking) (*control.Refusal, error) {
			refused, err := s.QuotaStore.Take(ctx, &t)
			if refused != nil && refused.Wait > 0 && refused.Window.Limit.Burst == 0 {
				refused.Wait += time.Minute
			}
			return refused, err
		}),
		"calls pass again after a minute": spoil(func(ctx context.Context, s *spoiledQuota, t control.Taking) (*control.Refusal, error) {
			t.Idle = min(t.Idle, 30*time.Second)
			return s.QuotaStore.Take(ctx, &t)
		}),
		"no more than the limit pass at once": spoil(func(ctx context.Context, s *spoiledQuota, t control.Taking) (*control.Refusal, error) {
			others, leave := s.crowding.enter()
			defer leave()
			if others {
				return nil, nil
			}
			return s.QuotaStore.Take(ctx, &t)
		}),
		"a call counts in all windows or in none": spoil(func(ctx context.Context, s *spoiledQuota, t control.Taking) (refused *control.Refusal, err error) {
			for _, w := range t.Windows {
				one := t
				one.Windows = []control.Window{w}
				r, e := s.QuotaStore.Take(ctx, &one)
				if err = errors.Join(err, e); refused == nil || r != nil && r.Session {
					refused = r
				}
			}
			return refused, err
		}),
		"a dry call counts nothing": spoil(func(ctx context.Context, s *spoiledQuota, t control.Taking) (*control.Refusal, error) {
			t.Dry = false
			return s.QuotaStore.Take(ctx, &t)
		}),
		"the longest wait is told": spoil(func(ctx context.Context, s *spoiledQuota, t control.Taking) (*control.Refusal, error) {
			for _, w := range t.Windows {
				one := t
				one.Windows, one.Dry = []control.Window{w}, true
				if r, err := s.QuotaStore.Take(ctx, &one); r != nil || err != nil {
					if !t.Dry { // a refused call keeps its session
						_, _ = s.QuotaStore.Take(ctx, &t)
					}
					return r, err
				}
			}
			return s.QuotaStore.Take(ctx, &t)
		}),
		"a burst is spread over the minute": spoil(func(ctx context.Context, s *spoiledQuota, t control.Taking) (*control.Refusal, error) {
			t.Windows = slices.Clone(t.Windows)
			for i := range t.Windows {
				t.Windows[i].Limit.Burst = min(t.Windows[i].Limit.Burst, 0)
			}
			return s.QuotaStore.Take(ctx, &t)
		}),
		"a negative limit allows nothing": spoil(func(ctx context.Context, s *spoiledQuota, t control.Taking) (*control.Refusal, error) {
			if l := t.Windows[0].Limit; l.PerMinute < 0 || l.Burst < 0 {
				return nil, nil
			}
			return s.QuotaStore.Take(ctx, &t)
		}),
		"a session ends when it is idle": spoil(func(ctx context.Context, s *spoiledQuota, t control.Taking) (*control.Refusal, error) {
			t.Idle = time.Hour
			return s.QuotaStore.Take(ctx, &t)
		}),
		"Forget ends a session": func(inner control.QuotaStore) control.QuotaStore {
			return &spoiledQuota{QuotaStore: inner, take: inner.Take, forgets: true}
		},
		"owners and scopes are compared byte by byte": spoil(func(ctx context.Context, s *spoiledQuota, t control.Taking) (*control.Refusal, error) {
			t.Owner = strings.ToLower(t.Owner)
			return s.QuotaStore.Take(ctx, &t)
		}),
		"no lasting owner is forgotten in a full store": spoil(func(ctx context.Context, s *spoiledQuota, t control.Taking) (*control.Refusal, error) {
			t.Lasting = false
			return s.QuotaStore.Take(ctx, &t)
		}),
		"answers come within the deadline": spoil(func(ctx context.Context, s *spoiledQuota, t control.Taking) (*control.Refusal, error) {
			hang(ctx)
			return s.QuotaStore.Take(ctx, &t)
		}),
	})
}

// spoiledApprovals is a store of tickets with other methods.
type spoiledApprovals struct {
	control.ApprovalStore
	ask      func(ctx context.Context, t *control.Ticket) (*control.Ticket, error)
	settle   func(ctx context.Context, id, by string, d control.Decision) (bool, error)
	take     func(ctx context.Context, id, call string) (*control.Ticket, error)
	pending  func(ctx context.Context) ([]control.ApprovalRequest, error)
	crowding crowded
	mu       sync.Mutex
	counts   map[string]int
}

func (f *spoiledApprovals) Ask(ctx context.Context, t *control.Ticket) (*control.Ticket, error) {
	return f.ask(ctx, t)
}

func (f *spoiledApprovals) Settle(ctx context.Context, id, by string, d control.Decision) (bool, error) {
	return f.settle(ctx, id, by, d)
}

func (f *spoiledApprovals) Take(ctx context.Context, id, call string) (*control.Ticket, error) {
	return f.take(ctx, id, call)
}

func (f *spoiledApprovals) Pending(ctx context.Context) ([]control.ApprovalRequest, error) {
	return f.pending(ctx)
}

// nth returns how often name has come.
func (f *spoiledApprovals) nth(name string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[name]++
	return f.counts[name]
}

func TestSuiteOfApprovalsFindsFaults(t *testing.T) {
	t.Parallel()
	spoil := func(f func(s *spoiledApprovals)) func(control.ApprovalStore) control.ApprovalStore {
		return func(inner control.ApprovalStore) control.ApprovalStore {
			s := &spoiledApprovals{ApprovalStore: inner, ask: inner.Ask, settle: inner.Settle, take: inner.Take, pending: inner.Pending, counts: make(map[string]int)}
			f(s)
			return s
		}
	}
	// asked changes the ticket that is stored, or what Ask returns.
	asked := func(f func(ctx context.Context, s *spoiledApprovals, t control.Ticket) (*control.Ticket, error)) func(control.ApprovalStore) control.ApprovalStore {
		return spoil(func(s *spoiledApprovals) {
			s.ask = func(ctx context.Context, t *control.Ticket) (*control.Ticket, error) { return f(ctx, s, *t) }
		})
	}
	wantBroken(t, func(f func(control.ApprovalStore) control.ApprovalStore) []storetest.Row {
		return storetest.Approvals(approvalsSubject(f))
	}, map[string]func(control.ApprovalStore) control.ApprovalStore{
		"a ticket comes back once, as it was": spoil(func(s *spoiledApprovals) {
			s.take = func(ctx context.Context, id, call string) (*control.Ticket, error) {
				t, err := s.ApprovalStore.Take(ctx, id, call)
				if t != nil {
					t.State = strings.ToValidUTF8(t.State, "?")
				}
				return t, err
			}
		}),
		"a ticket is for its call": spoil(func(s *spoiledApprovals) {
			s.take = func(ctx context.Context, id, call string) (*control.Ticket, error) {
				return s.ApprovalStore.Take(ctx, id, strings.ToLower(call))
			}
		}),
		"one of many takes a ticket": spoil(func(s *spoiledApprovals) {
			s.take = func(ctx context.Context, id, call string) (*control.Ticket, error) {
				others, leave := s.crowding.enter()
				defer leave()
				t, err := s.ApprovalStore.Take(ctx, id, call)
				if t == nil && others {
					t = &control.Ticket{ID: id, Call: call}
				}
				return t, err
			}
		}),
		"equal calls wait for one ticket": spoil(func(s *spoiledApprovals) {
			s.ask = func(ctx context.Context, t *control.Ticket) (*control.Ticket, error) {
				other, err := s.ApprovalStore.Ask(ctx, t)
				if other != nil && other.By != t.By {
					return t, nil
				}
				return other, err
			}
		}),
		"the first decision of the approver counts": spoil(func(s *spoiledApprovals) {
			s.settle = func(ctx context.Context, id, by string, d control.Decision) (bool, error) {
				did, err := s.ApprovalStore.Settle(ctx, id, by, d)
				if !did && by == "client" {
					return s.ApprovalStore.Settle(ctx, id, "operator", d)
				}
				return did, err
			}
		}),
		"one of many settles a ticket": spoil(func(s *spoiledApprovals) {
			s.settle = func(ctx context.Context, id, by string, d control.Decision) (bool, error) {
				others, leave := s.crowding.enter()
				defer leave()
				did, err := s.ApprovalStore.Settle(ctx, id, by, d)
				return did || others, err
			}
		}),
		"a ticket that waits for the operator is not the client's to bring": spoil(func(s *spoiledApprovals) {
			s.take = func(ctx context.Context, id, call string) (*control.Ticket, error) {
				t, err := s.ApprovalStore.Take(ctx, id, call)
				if t == nil && id != "" {
					return s.ApprovalStore.Take(ctx, "", call)
				}
				return t, err
			}
		}),
		"a decision reaches all who wait": spoil(func(s *spoiledApprovals) {
			s.ask = func(ctx context.Context, t *control.Ticket) (*control.Ticket, error) {
				other, err := s.ApprovalStore.Ask(ctx, t)
				if other != nil && other.ID != t.ID {
					return &control.Ticket{ID: other.ID, Call: other.Call, By: other.By, Settled: make(chan struct{})}, nil
				}
				return other, err
			}
		}),
		"the zero decision removes a ticket": spoil(func(s *spoiledApprovals) {
			s.settle = func(ctx context.Context, id, by string, d control.Decision) (bool, error) {
				if d == "" {
					d = control.Deny
				}
				return s.ApprovalStore.Settle(ctx, id, by, d)
			}
		}),
		"an expired ticket is gone": asked(func(ctx context.Context, s *spoiledApprovals, t control.Ticket) (*control.Ticket, error) {
			if time.Until(t.Expires) < time.Second {
				t.Expires = t.Expires.Add(time.Minute)
			}
			return s.ApprovalStore.Ask(ctx, &t)
		}),
		"the operator's requests are listed": spoil(func(s *spoiledApprovals) {
			s.pending = func(ctx context.Context) ([]control.ApprovalRequest, error) {
				list, err := s.ApprovalStore.Pending(ctx)
				slices.Reverse(list)
				return list, err
			}
		}),
		"a ticket can be put back": spoil(func(s *spoiledApprovals) {
			s.ask = func(ctx context.Context, t *control.Ticket) (*control.Ticket, error) {
				if t.Decision != "" {
					return t, nil
				}
				return s.ApprovalStore.Ask(ctx, t)
			}
		}),
		"an owner's oldest tickets give way": spoil(func(s *spoiledApprovals) {
			s.ask = func(ctx context.Context, t *control.Ticket) (*control.Ticket, error) {
				if t.Owner == "ada" && s.nth(t.Owner) > 4 {
					return nil, control.ErrNoRoom
				}
				return s.ApprovalStore.Ask(ctx, t)
			}
		}),
		"the owners that one caller names share a quarter": spoil(func(s *spoiledApprovals) {
			s.ask = func(ctx context.Context, t *control.Ticket) (*control.Ticket, error) {
				if name, ok := strings.CutPrefix(t.Owner, "mount\x00"); ok {
					t.Owner = "alone " + name
				}
				return s.ApprovalStore.Ask(ctx, t)
			}
		}),
		"the callers that cannot be told apart share a quarter": spoil(func(s *spoiledApprovals) {
			s.ask = func(ctx context.Context, t *control.Ticket) (*control.Ticket, error) {
				if t.Owner == "" {
					t.Owner = "nobody " + t.ID
				}
				return s.ApprovalStore.Ask(ctx, t)
			}
		}),
		"a full store forgets nothing": spoil(func(s *spoiledApprovals) {
			s.ask = func(ctx context.Context, t *control.Ticket) (*control.Ticket, error) {
				other, err := s.ApprovalStore.Ask(ctx, t)
				if errors.Is(err, control.ErrNoRoom) {
					return t, nil
				}
				return other, err
			}
		}),
		"answers come within the deadline": spoil(func(s *spoiledApprovals) {
			s.pending = func(ctx context.Context) ([]control.ApprovalRequest, error) {
				hang(ctx)
				return s.ApprovalStore.Pending(ctx)
			}
		}),
	})
}
