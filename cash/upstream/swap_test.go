package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/registry"
)

// swaps is how often definitions change, less under the race detector, which takes ten times as long.
func swaps() int { return sized(1_000_000/raceFactor, 20_000/min(raceFactor, 2)) }

func catalog(t *testing.T, agg *upstream.Aggregator, defs ...*pin.Definition) func() {
	t.Helper()
	adopt, err := upstream.Catalog(agg, "a", defs...)
	if err != nil {
		t.Fatal(err)
	}
	return adopt
}

// version is a definition of the tool act, of which there are two: they take
// different arguments.
func version(n int) *pin.Definition {
	return &pin.Definition{
		Name: "act", Description: fmt.Sprint("Does what version ", n, " does."),
		InputSchema: json.RawMessage(fmt.Sprintf(
			`{"type":"object","properties":{"v%d":{"type":"integer"}},"required":["v%d"],"additionalProperties":false}`, n, n)),
	}
}

// acting is a server that notes what reaches it.
func acting(calls *atomic.Int64, seen func(args string)) *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "acting"}, nil)
	srv.AddTool(&mcp.Tool{Name: "act", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			calls.Add(1)
			if seen != nil {
				seen(string(req.Params.Arguments))
			}
			return text("done"), nil
		})
	return srv
}

// A call is prepared (found, its arguments validated) and then made. Wherever
// definitions change in between, it is made with the definition that it was
// prepared with, or not at all.
func TestW37SwapsBetweenPreparingAndCalling(t *testing.T) {
	var calls atomic.Int64
	_, agg, reg := aggregate(t, nil, upstream.Server{Label: "a", Endpoint: upstream.InMemory{Server: acting(&calls, nil)}})
	p := registry.NewPipeline(reg, nil)
	versions := [2]func(){catalog(t, agg, version(0)), catalog(t, agg, version(1))}
	current := 0
	swap := func() {
		current = 1 - current
		versions[current]()
	}
	swap()
	rnd := rand.New(rand.NewPCG(1, 2))
	made, refused := 0, 0
	for n, all := 0, swaps(); n < all; {
		want := rnd.IntN(2)
		args := json.RawMessage(fmt.Sprintf(`{"v%d":1}`, want))
		for range rnd.IntN(3) {
			swap()
			n++
		}
		c, err := p.Prepare(t.Context(), &registry.Request{Namespace: "a", Function: "act", Arguments: args})
		if fits := want == current; (err == nil) != fits {
			t.Fatalf("version %d is current, arguments of version %d: %v", current, want, err)
		}
		if err != nil {
			continue
		}
		// Mostly an odd number, so that most calls must be refused: those that
		// go out take their time.
		for range 1 + 2*rnd.IntN(20) - rnd.IntN(100)/99 {
			swap()
			n++
		}
		before := calls.Load()
		_, err = runPrepared(t.Context(), p, c)
		ran := calls.Load() > before
		var call *upstream.CallError
		switch {
		case ran != (err == nil):
			t.Fatalf("the tool ran: %v; the error is %v", ran, err)
		case ran != (want == current):
			t.Fatalf("a call prepared with version %d ran: %v, while version %d was current", want, ran, current)
		case err != nil && (!errors.As(err, &call) || call.Class != upstream.Changed || call.Sent):
			t.Fatalf("refused by %v", err)
		case ran:
			made++
		default:
			refused++
		}
	}
	t.Logf("%d calls made, %d refused", made, refused)
	if made == 0 || refused == 0 {
		t.Error("one of the two never happened")
	}
}

// The same side by side: whoever calls gets what the help says at one time.
func TestW37SwapsUnderLoad(t *testing.T) {
	var calls atomic.Int64
	_, agg, reg := aggregate(t, nil, upstream.Server{Label: "a", Endpoint: upstream.InMemory{Server: acting(&calls, nil)}})
	p := registry.NewPipeline(reg, nil)
	versions := [2]func(){catalog(t, agg, version(0)), catalog(t, agg, version(1))}
	versions[0]()
	var stop atomic.Bool
	var callers sync.WaitGroup
	for caller := range 4 {
		callers.Go(func() {
			for n := caller; !stop.Load(); n++ {
				args := json.RawMessage(fmt.Sprintf(`{"v%d":1}`, n%2))
				c, err := p.Prepare(t.Context(), &registry.Request{Namespace: "a", Function: "act", Arguments: args})
				if errors.Is(err, registry.InvalidArguments) {
					continue // it is the other version's turn
				}
				if err != nil {
					t.Error(err)
					return
				}
				if want := version(n % 2).Description; c.Function.Description() != want {
					t.Errorf("arguments of version %d were taken by %q", n%2, c.Function.Description())
				}
				_, err = runPrepared(t.Context(), p, c)
				var call *upstream.CallError
				if err != nil && (!errors.As(err, &call) || call.Class != upstream.Changed || call.Sent) {
					t.Error(err)
				}
			}
		})
	}
	// On a busy machine the swaps are over before a caller has had its turn, so
	// that they go on until some have.
	for n, all := 0, swaps(); n < all/10 || calls.Load() < 10 && n < 10_000_000; n++ {
		versions[n%2]()
	}
	stop.Store(true)
	callers.Wait()
	if calls.Load() < 10 {
		t.Errorf("%d calls were made", calls.Load())
	}
}
