package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/pace"
	"github.com/cash-mcp/go-sdk/registry"
)

// exchange is one call in flight on a session. It receives the server's messages for that call.
type exchange struct {
	ctx   context.Context // of the call
	call  *registry.Call
	clock *pace.Clock
	n     int    // sequence number
	asked bool   // it has an open question
	key   string // progress token
	done  float64
	ask   func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) // asks the caller; may be nil
	queue chan func()
	ended chan struct{} // closed when the queue has been delivered
	moved bool          // the server has reported progress
}

// exchanges are the calls in flight on one session. They route the server's messages, questions included, to the
// call they belong to.
type exchanges struct {
	*settings

	mu          sync.Mutex
	calls       map[string]*exchange // by progress token
	last        int                  // last sequence number
	asked       int                  // open questions
	undelivered int                  // questions that could not be put to anybody
	givenUp     map[string]time.Time // by owner: until when a call that was given up may still run
}

func newExchanges(s *settings) *exchanges {
	return &exchanges{settings: s, calls: make(map[string]*exchange), givenUp: make(map[string]time.Time)}
}

// queueLength bounds the messages that wait for a slow client, per call. Further ones are dropped.
const queueLength = 32

// begin adds a call. A goroutine delivers its queue until end is called.
func (s *exchanges) begin(ctx context.Context, c *registry.Call, clock *pace.Clock, ask func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)) *exchange {
	x := &exchange{ctx: ctx, call: c, clock: clock, ask: ask, queue: make(chan func(), queueLength), ended: make(chan struct{})}
	s.mu.Lock()
	s.last++
	x.n, x.key = s.last, fmt.Sprint("p", s.last)
	s.calls[x.key] = x
	s.mu.Unlock()
	go func() {
		defer close(x.ended)
		for f := range x.queue {
			if err := apart.Guard(func() error { f(); return nil }); err != nil {
				s.log.Error("what a caller does with a message panicked", "error", err)
			}
		}
	}()
	return x
}

// follow redirects the messages of the call to a later request of its client.
func (s *exchanges) follow(x *exchange, ctx context.Context, c *registry.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.ctx, x.call = ctx, c
}

// end removes the call. Waiting messages are delivered before the result, within deliverTimeout. It reports whether
// there was progress. A call that was given up may go on running on the server.
func (s *exchanges) end(x *exchange, answered bool) (moved bool) {
	s.mu.Lock()
	delete(s.calls, x.key)
	if !answered {
		s.giveUp(x.owner())
	}
	moved = x.moved
	close(x.queue)
	s.mu.Unlock()
	timer := time.NewTimer(deliverTimeout)
	defer timer.Stop()
	select {
	case <-x.ended:
	case <-timer.C:
	}
	return moved
}

// giveUp notes that a call of owner may still be running. If there are too many owners, it counts as anybody's. The
// caller holds s.mu.
func (s *exchanges) giveUp(owner string) {
	if len(s.givenUp) >= maxAsks {
		clear(s.givenUp)
		owner = ""
	}
	s.givenUp[owner] = time.Now().Add(s.cfg.Timeout)
}

// deliverTimeout is how long a result waits for earlier messages.
const deliverTimeout = time.Second

// progress delivers a progress report to its call.
func (s *exchanges) progress(p *mcp.ProgressNotificationParams) {
	if p == nil {
		return
	}
	token, _ := p.ProgressToken.(string)
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.calls[token]
	if x == nil || x.moved && p.Progress <= x.done {
		return
	}
	x.done, x.moved = p.Progress, true
	report := registry.Progress{Done: p.Progress, Total: p.Total, Message: clean.Line(p.Message, maxReason)}
	ctx, call := x.ctx, x.call
	x.offer(func() { _ = call.Report(ctx, report) })
}

// offer queues a message if there is room. The caller holds the lock of the exchanges.
func (x *exchange) offer(f func()) {
	select {
	case x.queue <- f:
	default:
	}
}

// only returns the latest call if all calls in flight, or possibly still running, belong to one caller; otherwise
// nil. It is for messages that name no call. The caller holds s.mu.
func (s *exchanges) only() *exchange {
	var only *exchange
	for _, x := range s.calls {
		switch {
		case only == nil:
			only = x
		case only.owner() == "" || only.owner() != x.owner():
			return nil
		}
	}
	for owner, until := range s.givenUp {
		if only == nil || (owner == "" || owner != only.owner()) && time.Now().Before(until) {
			return nil
		}
	}
	return only
}

func (x *exchange) owner() string {
	if x.call.Client == nil {
		return ""
	}
	return x.call.Client.Owner
}

// logMessage holds the params of notifications/message.
type logMessage struct {
	Level  string          `json:"level"`
	Logger string          `json:"logger"`
	Data   json.RawMessage `json:"data"`
}

// maxLog bounds the data of a log message, in bytes. A longer one is dropped.
const maxLog = 64 << 10

// message delivers a log message if its recipient is certain.
func (s *exchanges) message(m logMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.only()
	if x == nil || x.call.Client == nil || x.call.Client.Log == nil {
		return
	}
	ctx, send := x.ctx, x.call.Client.Log
	shown := registry.LogMessage{Level: clean.Line(m.Level, 20), Logger: clean.Line(s.mounts[0].Label+" "+m.Logger, 100), Data: json.RawMessage(clean.ContentJSON(m.Data))}
	x.offer(func() { _ = send(ctx, shown) })
}
