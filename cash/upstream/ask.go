package upstream

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/pace"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// How a server's question reaches a person:
//   - A server up to 2025-11-25 asks in the middle of a call.
//   - A client up to 2025-11-25 is asked in the same way.
//   - A later client gets the question as the result of its request. The call stays open. The client's next request
//     brings the answer and takes over the call.

// question is an elicitation that a server sends while a call runs.
type question struct {
	params *mcp.ElicitParams
	answer chan *mcp.ElicitResult // buffered, so that sending never blocks
}

// noAnswer is the server's answer if nobody can be asked or nobody answers.
func noAnswer() *mcp.ElicitResult { return &mcp.ElicitResult{Action: "cancel"} }

// elicit puts a question of the server to the caller it is meant for. If calls of several callers are in flight,
// nobody is asked: on a shared connection nothing says whose call asks.
func (s *exchanges) elicit(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	s.mu.Lock()
	x := s.toAsk()
	if x == nil || !wire.Harmless(p) || s.asked >= max(s.cfg.Concurrency/2, 1) {
		s.undelivered++
		n := s.undelivered
		s.mu.Unlock()
		if n&(n-1) == 0 { // log the first, second, fourth ... only: a server may send a flood
			s.log.Info("a question of the server was not put to anybody", "count", n)
		}
		return noAnswer(), nil
	}
	// The question may belong to any of the calls, so all their clocks pause.
	var clocks []*pace.Clock
	for _, y := range s.calls {
		y.clock.Pause()
		clocks = append(clocks, y.clock)
	}
	s.asked++
	x.asked = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.asked--
		x.asked = false
		s.mu.Unlock()
		for _, c := range clocks {
			c.Resume()
		}
	}()
	return x.ask(ctx, wire.Presentable(p))
}

// toAsk returns the call whose client is asked: the latest one without an open question. Which call of a client the
// question belongs to does not matter, because the answer goes to the server. The caller holds s.mu.
func (s *exchanges) toAsk() *exchange {
	if s.only() == nil {
		return nil
	}
	var last *exchange
	for _, x := range s.calls {
		if x.ask != nil && !x.asked && (last == nil || x.n > last.n) {
			last = x
		}
	}
	return last
}

// asker returns the function that asks the caller of r; nil if the caller cannot be asked. The caller holds r.mu.
func (r *running) asker() func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	c := r.call.Client
	if c == nil || c.Elicit == nil && !c.TakesInputRequests {
		return nil
	}
	return func(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		r.mu.Lock()
		c, followed := r.call.Client, r.followed
		r.mu.Unlock()
		if c.Elicit != nil {
			return c.Elicit(followed, p)
		}
		return r.question(ctx, p), nil
	}
}

// question asks the caller through the result of its request.
func (r *running) question(ctx context.Context, p *mcp.ElicitParams) *mcp.ElicitResult {
	q := &question{p, make(chan *mcp.ElicitResult, 1)}
	select {
	case r.questions <- q:
	case <-r.ctx.Done():
		return noAnswer()
	case <-ctx.Done():
		return noAnswer()
	}
	select {
	case a := <-q.answer:
		return a
	case <-r.ctx.Done():
	case <-ctx.Done():
	}
	return noAnswer()
}

const (
	askPrefix  = "cash-ask-"
	askKey     = "question"       // the id of the only question in a result
	askTimeout = 10 * time.Minute // time for a person to answer
	maxAsks    = 1000             // open questions at a time
)

// foreignPrefix marks a state that the server made. Without it, the state of another aggregator would look like one
// of ours.
const foreignPrefix = "cash-their-"

func isAsk(state string) bool { return strings.HasPrefix(state, askPrefix) }

// asks are the calls that wait for a person's answer, by state. There is one for each [Aggregator].
type asks struct {
	mu   sync.Mutex
	open map[string]*ask
}

type ask struct {
	running  *running
	question *question
	owner    string
	function string
	args     json.RawMessage
	timer    *time.Timer
}

// put returns the result that asks the client. The call goes on waiting.
func (a *asks) put(r *running, q *question) (*registry.Result, error) {
	r.mu.Lock()
	c := r.call
	r.mu.Unlock()
	state := askPrefix + rand.Text()
	entry := &ask{running: r, question: q, owner: c.Client.Owner, function: c.Function.Path(), args: c.Arguments}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.open) >= maxAsks {
		r.cancel(errRemoved)
		return nil, &registry.Error{
			Kind: registry.RateLimited, Namespace: c.Function.Namespace(), Name: c.Function.Name(),
			Message: "Too many calls wait for the answer of a person. This one was ended; it may have taken effect.",
		}
	}
	if a.open == nil {
		a.open = make(map[string]*ask)
	}
	entry.timer = time.AfterFunc(askTimeout, func() {
		if a.take(state) != nil {
			r.cancel(context.DeadlineExceeded)
		}
	})
	a.open[state] = entry
	return &registry.Result{InputRequests: mcp.InputRequestMap{askKey: q.params}, RequestState: state}, nil
}

func (a *asks) take(state string) *ask {
	a.mu.Lock()
	defer a.mu.Unlock()
	entry := a.open[state]
	delete(a.open, state)
	return entry
}

// peek returns the waiting call that c continues; nil if c has another caller, function or arguments.
func (a *asks) peek(c *registry.Call) *ask {
	a.mu.Lock()
	defer a.mu.Unlock()
	entry := a.open[c.Client.State]
	if entry == nil || entry.owner != c.Client.Owner || entry.function != c.Function.Path() || !bytes.Equal(entry.args, c.Arguments) {
		return nil // a foreign state is treated as none
	}
	return entry
}

// resume answers the question and waits for the rest of the call.
func (a *asks) resume(ctx context.Context, c *registry.Call) (*registry.Result, error) {
	entry := a.peek(c)
	if entry == nil || a.take(c.Client.State) == nil {
		return nil, &registry.Error{
			Kind: registry.Failed, Namespace: c.Function.Namespace(), Name: c.Function.Name(),
			Message: "The question that this answers is not open any more. The call that asked it was ended, or had its answer.",
			Hint:    "Make the call again, from the beginning.",
		}
	}
	entry.timer.Stop()
	r := entry.running
	r.mu.Lock()
	r.call, r.followed = c, ctx
	if r.exchange != nil {
		r.session.exchanges.follow(r.exchange, ctx, c)
	}
	r.mu.Unlock()
	answer, ok := c.Client.Answers[askKey].(*mcp.ElicitResult)
	if !ok || answer == nil {
		answer = noAnswer()
	}
	entry.question.answer <- answer
	return r.attend(ctx)
}

// asking passes a server's result that asks for input on to the client.
func asking(a *wire.Answer, c *registry.Call) (*registry.Result, error) {
	can := c.Client != nil && (c.Client.TakesInputRequests || c.Client.Elicit != nil)
	shown := make(mcp.InputRequestMap, len(a.InputRequests))
	for id, q := range a.InputRequests {
		p, ok := q.(*mcp.ElicitParams)
		if !can || !ok || !wire.Harmless(p) || clean.Content(id) != id { // the id must travel unchanged
			return nil, &registry.Error{
				Kind: registry.Failed, Namespace: c.Function.Namespace(), Name: c.Function.Name(),
				Message: fmt.Sprintf("The function `%s` asks the user a question, and there is no way to put it to them from here.", c.Function.Name()),
				Hint:    "Repeating it does not help.",
			}
		}
		shown[id] = wire.Presentable(p)
	}
	return &registry.Result{InputRequests: shown, RequestState: foreignPrefix + a.RequestState}, nil
}
