package upstream

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/internal/pace"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// request describes what one call sends to a server, and how its answer is read.
type request struct {
	tool string
	args json.RawMessage
	meta mcp.Meta       // added to the metadata of every request; may be nil
	call *registry.Call // the first call, if questions split it into several
	// ask sends a request that is not tools/call, with those fields of p that apply, and reads its answer from the
	// wire. Nil sends tools/call. A nil result means that the answer cannot be read.
	ask func(ctx context.Context, s *session, p *mcp.CallToolParams, x *mcpclient.Exchange) (*mcp.CallToolResult, error)
	// current returns why the call must no longer be made; nil if it may.
	current func() *CallError
	// result turns the answer into the caller's result. moved reports whether there was progress. Nil takes the
	// answer as it is.
	result func(a *wire.Answer, moved bool) (*registry.Result, error)
}

// running is a call in flight. The caller's request waits for its outcome. While a person is asked no request
// waits; a later request takes over.
type running struct {
	*calls
	req       *request
	ctx       context.Context
	cancel    context.CancelCauseFunc
	questions chan *question
	outcome   chan outcome // receives one outcome

	mu       sync.Mutex
	user     *user           // nil unless callers have accounts of their own
	retried  bool            // the second attempt has begun
	call     *registry.Call  // of the request that waits now
	followed context.Context // its context
	session  *session
	exchange *exchange // nil until the request is sent
}

type outcome struct {
	result *registry.Result
	err    error
}

// calls makes the calls of an upstream. Handlers of functions use it.
type calls struct {
	*settings
	link    *link
	traffic *traffic
	asks    *asks
	users   *users // nil unless callers have accounts of their own
}

// invoke makes a call, or continues one that asked a question.
func (k *calls) invoke(ctx context.Context, c *registry.Call, req *request) (*registry.Result, error) {
	if c.Client != nil && isAsk(c.Client.State) {
		return k.asks.resume(ctx, c)
	}
	if !k.traffic.enter() {
		return nil, k.shown(errRemoved, c.Function)
	}
	req.call = c
	r := &running{
		calls: k, req: req, call: c, followed: ctx,
		questions: make(chan *question), outcome: make(chan outcome, 1),
	}
	// The call may outlive this request while a person is asked.
	r.ctx, r.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	go func() { // ends with the call, which has a deadline
		defer k.traffic.leave()
		defer r.cancel(nil)
		var o outcome
		if err := apart.Guard(func() error { o.result, o.err = r.run(); return nil }); err != nil {
			o.err = r.shown(asCallError(err), c.Function)
		}
		r.outcome <- o
	}()
	return r.attend(ctx)
}

// attend waits for the outcome on behalf of the request with ctx.
func (r *running) attend(ctx context.Context) (*registry.Result, error) {
	select {
	case o := <-r.outcome:
		return o.result, o.err
	case q := <-r.questions:
		return r.asks.put(r, q)
	case <-ctx.Done():
		r.cancel(context.Cause(ctx))
		return nil, ctx.Err()
	}
}

// run makes the call. It is repeated once, if the server has surely not run it:
//
//   - over a new connection, if the old one had ended;
//   - with another credential, if the server refused the first, or wants more rights.
func (r *running) run() (*registry.Result, error) {
	o, err := r.asCaller()
	if err == nil {
		return o.result, o.err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return nil, r.shown(err, r.call.Function)
}

// asCaller is run with the account of the caller, if callers have accounts of their own.
func (r *running) asCaller() (o outcome, err *CallError) {
	if r.users != nil {
		if r.user, err = r.users.enter(r.req.call.Caller); err != nil {
			return o, err
		}
		defer r.users.leave(r.user)
	}
	o, err = r.admitted()
	switch {
	case err == nil:
	case err.denied != nil && r.again():
		if err = r.stepUp(err); err == nil {
			o, err = r.admitted()
		}
	case err.renewable() && (r.user != nil || r.cfg.web().OAuthHandler != nil) && r.again():
		o, err = r.admitted()
	}
	return o, err
}

// again reports whether the call may be repeated.
func (r *running) again() bool {
	if r.retried || r.ctx.Err() != nil {
		return false
	}
	r.retried = true
	return true
}

// admitted makes the call in a slot of the traffic.
func (r *running) admitted() (o outcome, err *CallError) {
	if err = r.authorize(); err != nil {
		return o, err
	}
	release, err := r.traffic.admit(r.ctx, r.cfg.Timeout)
	if err != nil {
		return o, err
	}
	defer release()
	if o, err = r.try(); err != nil && err.stale() && r.again() {
		o, err = r.try()
	}
	return o, err
}

// stale reports whether the call failed because its connection had already ended, so that the server did not run
// it.
func (e *CallError) stale() bool {
	return !e.Sent && !e.before && (e.Class == Lost || e.Class == BadStatus && e.session)
}

// renewable reports whether the server refused the credential of the call. That of an account has been dropped.
func (e *CallError) renewable() bool {
	return e.Class == BadStatus && e.HTTPStatus == 401 && !e.Sent && !e.before
}

// try makes one attempt over the current connection.
func (r *running) try() (outcome, *CallError) {
	if wait, ok := r.link.breaker.Admit(); !ok {
		return outcome{}, &CallError{Class: Busy, RetryAfter: wait, before: true, Reason: "its last calls have all failed"}
	}
	main, e := r.connected()
	if e == nil {
		e = r.req.current()
	}
	if e != nil {
		r.link.breaker.Forget()
		return outcome{}, e
	}
	var answer *wire.Answer
	var moved bool
	e = r.over(r.ctx, r.user, main, func(ctx context.Context, s *session) (e *CallError) {
		answer, moved, e = r.send(ctx, s)
		return e
	})
	r.judge(main, e)
	if e != nil {
		e.gone = r.removed(main, e)
		if e.stale() && !e.own { // a new session will follow soon
			r.link.leave(main)
			go main.close() // a process needs time to end
		}
		return outcome{}, e
	}
	if answer.InputRequests != nil {
		res, failure := asking(answer, r.req.call)
		return outcome{res, failure}, nil
	}
	if r.req.result == nil {
		return outcome{answer.Result(), nil}, nil
	}
	res, failure := r.req.result(answer, moved)
	return outcome{res, failure}, nil
}

// removed reports whether a server refuses a call because it no longer has the tool, by its words or by the catalog
// that it has announced.
func (r *running) removed(s *session, e *CallError) bool {
	switch {
	case r.req.ask != nil || e.Class != Refused || !e.invalidRequest():
		return false
	case e.deniesTool(r.req.tool):
		return true
	}
	s.outdated.wait(r.ctx, s.ended)
	now := r.req.current()
	return now != nil && now.gone
}

func (r *running) connected() (*session, *CallError) {
	ctx, cancel := context.WithTimeout(r.ctx, r.cfg.ConnectTimeout)
	defer cancel()
	return r.link.take(ctx)
}

// over makes a request with the identity of a user; nil is that of the endpoint. It goes over main, which reads the
// catalog, unless the server keeps sessions: then each user has one.
func (k *calls) over(ctx context.Context, u *user, main *session, send func(context.Context, *session) *CallError) *CallError {
	if u == nil {
		return send(ctx, main)
	}
	ctx = u.as(ctx)
	if main.stateless() {
		return send(ctx, main).byCaller(false)
	}
	s, e := k.users.take(ctx, u)
	if e != nil {
		return e.byCaller(true)
	}
	defer k.users.release(s)
	e = send(ctx, s.session)
	if e != nil && (e.stale() || e.renewable()) {
		k.users.abandon(u, s)
	}
	return e.byCaller(true)
}

// byCaller returns a copy of e, the error of a request with the credential of a caller. own says that it was over a
// session of the caller. A nil e stays nil.
func (e *CallError) byCaller(own bool) *CallError {
	if e == nil {
		return nil
	}
	c := *e
	c.own, c.personal = own, e.Class == NoCredential || e.Class == BadStatus && (e.HTTPStatus == 401 || e.HTTPStatus == 403)
	return &c
}

// send sends the request and waits for the answer.
func (r *running) send(ctx context.Context, s *session) (*wire.Answer, bool, *CallError) {
	r.mu.Lock()
	clock := pace.StartClock(r.cfg.Timeout, func() { r.cancel(context.DeadlineExceeded) })
	x := s.begin(r.followed, r.call, clock, r.asker())
	r.session, r.exchange = s, x
	params := r.params(x)
	if s.logs {
		//lint:ignore SA1019 deprecated in the newest protocol, and how servers of it are asked
		params.Meta[mcp.MetaKeyLogLevel] = logLevel
	}
	r.mu.Unlock()
	ctx, sent := mcpclient.WithExchange(r.calling(ctx, r.req.call.Function))
	ask := r.req.ask
	if ask == nil {
		ask = callTool
	}
	res, err := ask(ctx, s, params, sent)
	clock.Stop()
	moved := s.end(x, err == nil || r.ctx.Err() == nil)
	if res == nil {
		return nil, moved, classify(r.ctx, err, sent)
	}
	return wire.NewAnswer(res, sent.Result()), moved, nil
}

// callTool calls the tool.
func callTool(ctx context.Context, s *session, p *mcp.CallToolParams, x *mcpclient.Exchange) (*mcp.CallToolResult, error) {
	res, err := s.client.CallTool(ctx, p)
	if err != nil && ctx.Err() == nil {
		res = wire.Readable(x.Result()) // what the SDK cannot read as a whole
	}
	return res, err
}

// params are what is sent. The caller holds r.mu.
func (r *running) params(x *exchange) *mcp.CallToolParams {
	p := &mcp.CallToolParams{Name: r.req.tool, Arguments: r.req.args, Meta: r.via(r.ctx)}
	maps.Copy(p.Meta, r.req.meta)
	p.SetProgressToken(x.key)
	if c := r.call.Client; c != nil {
		p.InputResponses, p.RequestState = c.Answers, strings.TrimPrefix(c.State, foreignPrefix)
	}
	return p
}

// judge reports the outcome of a request to the breaker. A request that was given up, that was too late for its
// connection, or whose caller the server refuses, says nothing about the server. s reads the catalog.
func (k *calls) judge(s *session, e *CallError) {
	if e != nil && (e.Class == Canceled || e.stale() || e.personal) {
		k.link.breaker.Forget()
		return
	}
	if e != nil && e.Class == Refused && e.invalidRequest() { // not all servers announce that their tools have changed
		s.doubts.Do(s.toolsChanged)
	}
	if pause := k.link.breaker.Report(e != nil && e.broken(), e != nil && e.Class == Unreachable); pause > 0 {
		k.tripped(e, pause)
		go s.probe() // has a deadline
	}
}

// tripped shows that the breaker keeps calls from the server for that long.
func (k *calls) tripped(e *CallError, pause time.Duration) {
	k.log.Warn("calls fail", "error", e, "pause", pause.Round(time.Millisecond))
	if !k.link.change(Connected, Failing, e, pause) {
		return
	}
	time.AfterFunc(pause, func() { k.link.change(Failing, Connected, nil, 0) })
}

// page reads a page of help or skill for a user, with limited concurrency and under the same admission as calls.
// Errors are *[registry.Error]. Pages are parts of the catalog. A page with metadata is the dry run of a call, made as
// its caller.
func (k *calls) page(ctx context.Context, label, tool string, arguments map[string]any, meta mcp.Meta) (*wire.Answer, error) {
	a, e := k.ask(ctx, tool, arguments, meta)
	if e != nil {
		kind, message, hint := k.words(e, label)
		return nil, &registry.Error{Kind: kind, Message: message, Hint: hint, Next: e.next(), Err: e, NotRun: true}
	}
	return a, nil
}

func (k *calls) ask(ctx context.Context, tool string, arguments map[string]any, meta mcp.Meta) (*wire.Answer, *CallError) {
	return askVia(ctx, k, meta != nil, func(ctx context.Context, s *session) (*wire.Answer, *CallError) {
		return s.tool(ctx, tool, arguments, meta)
	})
}

// askVia reads something for a user over the session, as page does; with the account of the caller, if asCaller is set
// and callers have accounts of their own.
func askVia[T any](ctx context.Context, k *calls, asCaller bool, read func(context.Context, *session) (T, *CallError)) (v T, e *CallError) {
	var none T
	if !k.traffic.enter() {
		return none, errRemoved
	}
	defer k.traffic.leave()
	ctx, cancel := context.WithTimeout(ctx, k.cfg.Timeout)
	defer cancel()
	select {
	case k.traffic.readers <- struct{}{}:
		defer func() { <-k.traffic.readers }()
	case <-ctx.Done():
		return none, &CallError{Class: Busy, Reason: "too many pages are asked for at a time"}
	}
	var u *user
	if asCaller && k.users != nil {
		if u, e = k.users.enter(registry.CallerFrom(ctx)); e != nil {
			return none, e
		}
		defer k.users.leave(u)
	}
	if wait, ok := k.link.breaker.Admit(); !ok {
		return none, &CallError{Class: Busy, RetryAfter: wait, before: true, Reason: "its last calls have all failed"}
	}
	s, e := k.link.take(ctx)
	if e != nil {
		k.link.breaker.Forget()
		return none, e
	}
	e = k.over(ctx, u, s, func(ctx context.Context, s *session) (e *CallError) {
		v, e = read(ctx, s)
		return e
	})
	k.judge(s, e)
	return v, e
}
