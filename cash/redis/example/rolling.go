package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A rolled is what came of calls during a restart of all replicas.
type rolled struct {
	calls  int   // that were made
	least  int64 // of one client
	failed []error
}

// rolling restarts all replicas, one after the other, while clients call through the proxy, each with a pause after
// each call. Before each restart and at the end, every client has been answered again.
func (c *cluster) rolling(ctx context.Context, clients int, pause time.Duration) (*rolled, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	sessions := make([]*mcp.ClientSession, clients)
	for i := range sessions {
		var err error
		if sessions[i], err = connect(ctx, c.url+"/mcp", "ada"); err != nil {
			return nil, err
		}
		defer sessions[i].Close()
	}
	var (
		group  sync.WaitGroup
		over   = make(chan struct{})
		counts = make([]atomic.Int64, clients)
		mu     sync.Mutex
		result rolled
	)
	for i, session := range sessions {
		group.Go(func() {
			for {
				if err := note(ctx, session); err != nil {
					mu.Lock()
					result.failed = append(result.failed, fmt.Errorf("call %d of client %d: %w", counts[i].Load()+1, i+1, err))
					mu.Unlock()
				}
				counts[i].Add(1)
				select {
				case <-time.After(pause):
				case <-over:
					return
				case <-ctx.Done():
					return
				}
			}
		})
	}
	// answered waits until every client has been answered twice, so that one of its calls began after now.
	answered := func() error {
		since := make([]int64, clients)
		for i := range counts {
			since[i] = counts[i].Load()
		}
		for i := range counts {
			for counts[i].Load() < since[i]+2 {
				select {
				case <-time.After(10 * time.Millisecond):
				case <-ctx.Done():
					return fmt.Errorf("client %d is not answered: %w", i+1, ctx.Err())
				}
			}
		}
		return nil
	}
	err := answered()
	for i := range c.replicas {
		if err == nil {
			err = errors.Join(c.restart(i), answered())
		}
	}
	close(over)
	group.Wait()
	for i := range counts {
		n := counts[i].Load()
		result.calls += int(n)
		if i == 0 || n < result.least {
			result.least = n
		}
	}
	return &result, err
}

// note calls the function note.
func note(ctx context.Context, session *mcp.ClientSession) error {
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "call", Arguments: object{
		"namespace": "orders", "function": "note", "kwargs": object{"id": "A-1"},
	}})
	if err != nil {
		return err
	}
	if text := textOf(res); res.IsError || text != "noted" {
		return errors.New(text)
	}
	return nil
}
