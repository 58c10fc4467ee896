package disclosure_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/registry"
)

// sharedCounts counts for all replicas that it is given to. Nothing ends by time.
type sharedCounts struct {
	mu    sync.Mutex
	taken map[string]int // by owner and scope
	err   error
}

func (s *sharedCounts) Take(_ context.Context, t *control.Taking) (*control.Refusal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	for _, w := range t.Windows {
		key := t.Owner + "\x00" + w.Scope
		if s.taken[key] >= w.Limit.PerMinute {
			return &control.Refusal{Window: w, Wait: 17 * time.Second}, nil
		}
		s.taken[key]++
	}
	return nil, nil
}

func (s *sharedCounts) Forget(context.Context, string) error { return nil }

// TestReplicasShareFetchLimit: two replicas with one store count a caller's fetches together, by the tool and by the
// resource, each caller for itself, and anonymous callers as one. A session counts for itself.
func TestReplicasShareFetchLimit(t *testing.T) {
	counts := &sharedCounts{taken: make(map[string]int)}
	opts := &disclosure.Options{
		FetchesPerMinute: 3, Fetches: counts, Tool: true, Serve: byHeaderOptions,
		Grants: &disclosure.Grants{Keys: [][]byte{[]byte("a key of thirty-two bytes, shared")}},
	}
	one := disclosure.NewServer(shop(), opts)
	dialOne, dialTwo := stateless(t, one), stateless(t, disclosure.NewServer(shop(), opts))
	for _, who := range []string{"ada", "bob", ""} {
		a, b := dialOne(who), dialTwo(who)
		a.fetch("tools=ping")
		b.fetch("tools=ping")
		a.describe(`{"tools":["orders-drop"]}`)
		for _, c := range []*client{a, b} {
			f := wantCode(t, c.Tool(disclosure.ToolName, json.RawMessage(`{"tools":["ping"]}`)), "RATE_LIMITED")
			if f.Details["retry_after"] != 17.0 {
				t.Errorf("%q: %+v", who, f)
			}
		}
		b.grants = a.grants
		b.call("ping", "{}").OK() // the grant of another replica
	}
	for range 2 {
		c := over(t, links[1], one, &registry.Caller{ID: "ada"})
		for range 3 {
			c.fetch("tools=ping")
		}
	}
	counts.err = errors.New("a store at a secret address")
	f := wantCode(t, dialOne("cyd").Tool(disclosure.ToolName, json.RawMessage(`{"tools":["ping"]}`)), "UNAVAILABLE")
	if f.Message != "Fetches of descriptions cannot be counted now. Nothing was fetched. Try again in a moment." {
		t.Errorf("%+v", f)
	}
}
