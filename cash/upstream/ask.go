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
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// Servers up to 2025-11-25 ask a question in the middle of a call. A client of
// that time is asked in the same way. A later one is asked by the result of its
// request: the call stays on its way meanwhile, and the client's next request,
// with the answer, follows it on.

// question is what a server asks while a call runs.
type question struct {
	params *mcp.ElicitParams
	answer chan *mcp.ElicitResult // takes one without a reader
}

// noAnswer is what a server gets where nobody can be asked, or nobody answers.
func noAnswer() *mcp.ElicitResult { return &mcp.ElicitResult{Action: "cancel"} }

// elicit puts a question of the server to the one whom it must be meant for.
// It is nobody if calls of several callers are on their way: over one
// connection nothing says which of them asks.
func (s *exchanges) elicit(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	s.mu.Lock()
	x := s.toAsk()
	if x == nil || !wire.Harmless(p) || s.asked >= max(s.cfg.Concurrency/2, 1) {
		s.unput++
		n := s.unput
		s.mu.Unlock()
		if n&(n-1) == 0 { // the first, second, fourth ...: they may be a flood
			s.log.Info("a question of the server was not put to anybody", "count", n)
		}
		return noAnswer(), nil
	}
	// Any of the calls may be the one that waits for the answer.
	var clocks []*clock
	for _, y := range s.calls {
		y.clock.pause()
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
			c.resume()
		}
	}()
	return x.ask(ctx, wire.Presentable(p))
}

// toAsk returns the call by which its client is asked: the last one that is not
// asking already. Which of one client's calls the question belongs to does not
// matter, the answer goes to the server. The caller holds s.mu.
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

// asker returns how the caller of r is asked; nil if it cannot be. The caller
// holds r.mu.
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
		q := &question{p, make(chan *mcp.ElicitResult, 1)}
		select {
		case r.questions <- q:
		case <-r.ctx.Done():
			return noAnswer(), nil
		case <-ctx.Done():
			return noAnswer(), nil
		}
		select {
		case a := <-q.answer:
			return a, nil
		case <-r.ctx.Done():
		case <-ctx.Done():
		}
		return noAnswer(), nil
	}
}

const (
	askPrefix  = "cash-ask-"
	askKey     = "question"       // the id of the one question in a result
	askTimeout = 10 * time.Minute // how long a person may take
	maxAsks    = 1000             // questions that are open at a time
)

// theirPrefix begins a state that is the server's: without it, one of another
// aggregator would be taken for one of ours.
const theirPrefix = "cash-their-"

func isAsk(state string) bool { return strings.HasPrefix(state, askPrefix) }

// asks are the calls that wait for a person.
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

// put returns the result that asks the client. The call waits.
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

// peek returns the entry if it belongs to the call.
func (a *asks) peek(c *registry.Call) *ask {
	a.mu.Lock()
	defer a.mu.Unlock()
	entry := a.open[c.Client.State]
	if entry == nil || entry.owner != c.Client.Owner || entry.function != c.Function.Path() || !bytes.Equal(entry.args, c.Arguments) {
		return nil // a foreign one is as good as none
	}
	return entry
}

// resume answers the question and follows the call on.
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

// asking hands on what a server asks by its result.
func asking(a *wire.Answer, c *registry.Call) (*registry.Result, error) {
	can := c.Client != nil && (c.Client.TakesInputRequests || c.Client.Elicit != nil)
	shown := make(mcp.InputRequestMap, len(a.InputRequests))
	for id, q := range a.InputRequests {
		p, ok := q.(*mcp.ElicitParams)
		if !can || !ok || !wire.Harmless(p) || clean.Content(id) != id { // the id goes back as it came
			return nil, &registry.Error{
				Kind: registry.Failed, Namespace: c.Function.Namespace(), Name: c.Function.Name(),
				Message: fmt.Sprintf("The function `%s` asks the user a question, and there is no way to put it to them from here.", c.Function.Name()),
				Hint:    "Repeating it does not help.",
			}
		}
		shown[id] = wire.Presentable(p)
	}
	return &registry.Result{InputRequests: shown, RequestState: theirPrefix + a.RequestState}, nil
}
