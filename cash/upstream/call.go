package upstream

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/registry"
)

// request is what is asked of a server for a call.
type request struct {
	tool string
	args json.RawMessage
	meta mcp.Meta
	// ask asks for something else than a tool: it sends p, as far as it applies,
	// and reads what comes over the wire. Nil calls the tool. No result is one
	// that cannot be read.
	ask func(ctx context.Context, s *session, p *mcp.CallToolParams, wire *mcpclient.Exchange) (*mcp.CallToolResult, error)
	// current returns why the call must not be made any more; nil if it may.
	current func() *CallError
	// result turns the answer into what the caller gets. moved says that there
	// was progress.
	result func(a *answer, moved bool) (*registry.Result, error)
}

// running is a call on its way. It is followed by the caller's request or, while
// a person is asked, by none; the outcome is delivered to whoever follows.
type running struct {
	up        *upstream
	req       *request
	ctx       context.Context
	cancel    context.CancelCauseFunc
	questions chan *question
	outcome   chan outcome // one comes

	mu       sync.Mutex
	call     *registry.Call  // that follows
	followed context.Context // of it
	session  *session
	exchange *exchange // nil until it is sent
}

type outcome struct {
	result *registry.Result
	err    error
}

// invoke makes a call, or goes on with one that asked a question.
func (u *upstream) invoke(ctx context.Context, c *registry.Call, req *request) (*registry.Result, error) {
	if c.Client != nil && isAsk(c.Client.State) {
		return u.agg.asks.resume(ctx, c)
	}
	if !u.enter() {
		return nil, u.shown(errRemoved, c.Function)
	}
	r := &running{
		up: u, req: req, call: c, followed: ctx,
		questions: make(chan *question), outcome: make(chan outcome, 1),
	}
	// The call may outlive the request, while a person is asked.
	r.ctx, r.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	go func() { // ends with the call, which has a deadline
		defer u.leave()
		defer r.cancel(nil)
		res, err := r.run()
		r.outcome <- outcome{res, err}
	}()
	return r.attend(ctx)
}

// attend waits for the call on behalf of the request with ctx.
func (r *running) attend(ctx context.Context) (*registry.Result, error) {
	select {
	case o := <-r.outcome:
		return o.result, o.err
	case q := <-r.questions:
		return r.up.agg.asks.put(r, q)
	case <-ctx.Done():
		r.cancel(context.Cause(ctx))
		return nil, ctx.Err()
	}
}

// run makes the call. One that a server has surely not run because the
// connection had ended is made once more, over a new one.
func (r *running) run() (*registry.Result, error) {
	release, err := r.admit()
	if err == nil {
		defer release()
		var o outcome
		if o, err = r.try(); err != nil && err.stale() && r.ctx.Err() == nil {
			o, err = r.try()
		}
		if err == nil {
			return o.result, o.err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return nil, r.up.shown(err, r.call.Function)
}

// stale reports whether a call failed because its connection had ended before
// it, so that it was not run.
func (e *CallError) stale() bool {
	return !e.Sent && !e.before && (e.Class == Lost || e.Class == BadStatus && e.session)
}

// try makes the call over the current connection.
func (r *running) try() (outcome, *CallError) {
	u := r.up
	if wait, ok := u.breaker.admit(); !ok {
		return outcome{}, &CallError{Class: Busy, RetryAfter: wait, before: true, Reason: "its last calls have all failed"}
	}
	s, e := r.connected()
	if e == nil {
		e = r.req.current()
	}
	if e != nil {
		u.breaker.forget()
		return outcome{}, e
	}
	answer, moved, e := r.send(s)
	u.judge(s, e)
	if e != nil {
		if e.stale() { // there is a new one soon
			u.leaveSession(s)
			go s.close() // a process takes its time to end
		}
		return outcome{}, e
	}
	res, failure := r.req.result(answer, moved)
	return outcome{res, failure}, nil
}

func (r *running) connected() (*session, *CallError) {
	ctx, cancel := context.WithTimeout(r.ctx, r.up.cfg.ConnectTimeout)
	defer cancel()
	return r.up.connected(ctx)
}

// send sends the request and waits for the answer.
func (r *running) send(s *session) (*answer, bool, *CallError) {
	r.mu.Lock()
	clock := startClock(r.up.cfg.Timeout, func() { r.cancel(context.DeadlineExceeded) })
	x := s.begin(r.followed, r.call, clock, r.asker())
	r.session, r.exchange = s, x
	params := r.params(x)
	if s.logs {
		//lint:ignore SA1019 deprecated in the newest protocol, and how servers of it are asked
		params.Meta[mcp.MetaKeyLogLevel] = logLevel
	}
	r.mu.Unlock()
	ctx, wire := mcpclient.WithExchange(r.ctx)
	ask := r.req.ask
	if ask == nil {
		ask = callTool
	}
	res, err := ask(ctx, s, params, wire)
	clock.stop()
	moved := s.end(x, err == nil || r.ctx.Err() == nil)
	if res == nil {
		return nil, moved, classify(r.ctx, err, wire)
	}
	return newAnswer(res, wire.Result()), moved, nil
}

// callTool calls the tool.
func callTool(ctx context.Context, s *session, p *mcp.CallToolParams, wire *mcpclient.Exchange) (*mcp.CallToolResult, error) {
	res, err := s.client.CallTool(ctx, p)
	if err != nil && ctx.Err() == nil {
		res = readable(wire.Result()) // what the SDK cannot read as a whole
	}
	return res, err
}

// params are what is sent. The caller holds r.mu.
func (r *running) params(x *exchange) *mcp.CallToolParams {
	p := &mcp.CallToolParams{Name: r.req.tool, Arguments: r.req.args, Meta: mcp.Meta{}}
	for key, value := range r.req.meta {
		p.Meta[key] = value
	}
	p.SetProgressToken(x.key)
	if c := r.call.Client; c != nil {
		p.InputResponses, p.RequestState = c.Answers, strings.TrimPrefix(c.State, theirPrefix)
	}
	return p
}

// waiters bounds the calls that wait for others to end, as a multiple of those
// that may run.
const waiters = 4

// admit waits until the call may run, and returns what to do when it has.
func (r *running) admit() (release func(), err *CallError) {
	u := r.up
	select {
	case u.slots <- struct{}{}:
	default:
		if u.waiting.Add(1) > int32(waiters*u.cfg.Concurrency) {
			u.waiting.Add(-1)
			return nil, &CallError{Class: Busy, Reason: "too many calls at a time"}
		}
		defer u.waiting.Add(-1)
		timer := time.NewTimer(u.cfg.Timeout)
		defer timer.Stop()
		select {
		case u.slots <- struct{}{}:
		case <-timer.C:
			return nil, &CallError{Class: Busy, Reason: "earlier calls have not ended"}
		case <-r.ctx.Done():
			return nil, classify(r.ctx, r.ctx.Err(), new(mcpclient.Exchange))
		}
	}
	return func() { <-u.slots }, nil
}

// judge tells the breaker how a request over s went. One that was given up, or
// came too late for its connection, says nothing about the server.
func (u *upstream) judge(s *session, e *CallError) {
	if e != nil && (e.Class == Canceled || e.stale()) {
		u.breaker.forget()
		return
	}
	if e != nil && e.Class == Refused && e.unmade() { // not all servers say that their tools have changed
		s.doubts.Do(func() { signal(s.changed) })
	}
	if pause := u.breaker.report(e != nil && e.broken()); pause > 0 {
		u.tripped(e, pause)
		go s.probe() // has a deadline
	}
}

// tripped shows that calls are kept from the server, for so long.
func (u *upstream) tripped(e *CallError, pause time.Duration) {
	u.log.Warn("calls fail", "error", e, "pause", pause.Round(time.Millisecond))
	if !u.change(Connected, Failing, e, pause) {
		return
	}
	time.AfterFunc(pause, func() { u.change(Failing, Connected, nil, 0) })
}

// change is setState for an upstream that is as was said; it reports whether it
// is.
func (u *upstream) change(from, to State, err *CallError, retry time.Duration) bool {
	u.mu.Lock()
	if u.state != from {
		u.mu.Unlock()
		return false
	}
	u.become(to, err, retry)
	u.mu.Unlock()
	u.publish()
	return true
}
