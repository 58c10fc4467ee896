package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

// exchange is a call that is on its way: whom its messages are for.
type exchange struct {
	ctx   context.Context // of the call
	call  *registry.Call
	clock *clock
	n     int    // they are numbered in order
	asked bool   // a question has been put to it that is not answered
	key   string // the progress token
	done  float64
	ask   func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) // nil if nobody can be asked
	queue chan func()
	ended chan struct{} // closed when the queue has been worked off
	moved bool          // the server has reported progress
}

// exchanges are the calls on their way over one session. Messages of the server,
// its questions among them, go to the call that they are for.
type exchanges struct {
	*settings

	mu    sync.Mutex
	calls map[string]*exchange // by progress token
	last  int                  // number of the last token
	asked int                  // questions that wait for an answer
	unput int                  // questions that were put to nobody
	left  map[string]time.Time // until when calls may still be running that were given up, by their owner
}

func newExchanges(s *settings) *exchanges {
	return &exchanges{settings: s, calls: make(map[string]*exchange), left: make(map[string]time.Time)}
}

// queueLength bounds the messages of a call that wait for a slow client; what
// does not fit is dropped.
const queueLength = 32

// begin enters a call. The queue is worked off by a goroutine that end ends.
func (s *exchanges) begin(ctx context.Context, c *registry.Call, clock *clock, ask func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error)) *exchange {
	x := &exchange{ctx: ctx, call: c, clock: clock, ask: ask, queue: make(chan func(), queueLength), ended: make(chan struct{})}
	s.mu.Lock()
	s.last++
	x.n, x.key = s.last, fmt.Sprint("p", s.last)
	s.calls[x.key] = x
	s.mu.Unlock()
	go func() {
		defer close(x.ended)
		for f := range x.queue {
			f()
		}
	}()
	return x
}

// follow lets the messages of the call go to another request of its client.
func (s *exchanges) follow(x *exchange, ctx context.Context, c *registry.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.ctx, x.call = ctx, c
}

// end takes the call out. Messages that wait are delivered before the result,
// if that does not take long. It reports whether there was progress. A call that
// was given up may go on on the server.
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

// giveUp notes that a call of owner may still be running. If there are too many
// owners it could be anybody's. The caller holds s.mu.
func (s *exchanges) giveUp(owner string) {
	if len(s.left) >= maxAsks {
		clear(s.left)
		owner = ""
	}
	s.left[owner] = time.Now().Add(s.cfg.Timeout)
}

// deliverTimeout is how long a result waits for the messages before it.
const deliverTimeout = time.Second

// progress hands a report on to the call that it belongs to.
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

// offer puts a message into the queue, if there is room. The caller holds the
// lock of the exchanges.
func (x *exchange) offer(f func()) {
	select {
	case x.queue <- f:
	default:
	}
}

// only returns the call that a message without a name of its own must belong
// to: all that are on their way, or may be, are of one caller. The caller holds
// s.mu.
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
	for owner, until := range s.left {
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

// logMessage is the params of notifications/message.
type logMessage struct {
	Level  string          `json:"level"`
	Logger string          `json:"logger"`
	Data   json.RawMessage `json:"data"`
}

// maxLog bounds the data of a log message, in bytes; a longer one is dropped.
const maxLog = 64 << 10

// message hands a log message on, if it is certain for whom it is.
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
