package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/toolid"
)

// session is one connection to a server.
type session struct {
	up       *upstream
	client   *mcp.ClientSession
	conn     *remembered
	cancel   context.CancelFunc // of everything that belongs to the connection
	ended    chan struct{}      // closed when the connection has ended
	err      error              // why; set before ended is closed
	changed  chan struct{}      // the server says that its tools have changed
	renewed  chan struct{}      // the same of its resources or prompts
	relist   chan chan error    // somebody wants the resources and prompts to be read again
	unlisted chan struct{}      // closed when they are not read any more
	logs     bool               // each call asks for log messages
	receive  mcp.MethodHandler  // what the SDK does with a message of the server
	doubts   rate.Sometimes     // whether the tools are what they were

	mu    sync.Mutex
	calls map[string]*exchange // by progress token
	last  int                  // number of the last token
	asked int                  // questions that wait for an answer
	unput int                  // questions that were put to nobody
	left  map[string]time.Time // until when calls may still be running that were given up, by their owner
}

// dial connects. The connection outlives ctx, which bounds the time to make it. A
// server that does not know streamable HTTP is tried by what was usual before.
func dial(ctx context.Context, u *upstream) (*session, error) {
	s, err := dialTo(ctx, u, u.cfg.Endpoint)
	if h, ok := u.cfg.Endpoint.(HTTP); ok && err != nil && asCallError(err).maybeSSE() {
		if old, e := dialTo(ctx, u, SSE(h)); e == nil {
			return old, nil
		}
	}
	return s, err
}

// maybeSSE reports whether an endpoint turns away a request as one does that
// speaks the HTTP of before 2025-03-26.
func (e *CallError) maybeSSE() bool {
	return e.Class == BadStatus && (e.HTTPStatus == 400 || e.HTTPStatus == 404 || e.HTTPStatus == 405)
}

func dialTo(ctx context.Context, u *upstream, endpoint Endpoint) (*session, error) {
	life, cancel := context.WithCancel(u.ctx)
	s := &session{
		up: u, cancel: cancel, ended: make(chan struct{}), changed: make(chan struct{}, 1), renewed: make(chan struct{}, 1),
		relist: make(chan chan error), unlisted: make(chan struct{}),
		calls: make(map[string]*exchange), left: make(map[string]time.Time),
		doubts: rate.Sometimes{Interval: time.Minute},
	}
	life, x := mcpclient.WithExchange(life)
	s.conn = &remembered{Transport: s.transport(life, endpoint)}
	type outcome struct {
		cs  *mcp.ClientSession
		err error
	}
	done := make(chan outcome, 1)
	go func() { // ends with life at the latest
		cs, err := s.newClient().Connect(life, s.conn, nil)
		done <- outcome{cs, err}
	}()
	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
		cancel()
		s.conn.close()
		go func() { // what came too late is closed
			if late := <-done; late.err == nil {
				_ = late.cs.Close()
			}
		}()
		e := classify(ctx, ctx.Err(), x)
		e.Sent, e.Reason = false, fmt.Sprintf("it did not answer within %v", u.cfg.ConnectTimeout)
		if e.talked > 0 {
			e.Reason = fmt.Sprintf("it sent %s messages, but not its answer, within %v", mcpclient.Count(e.talked), u.cfg.ConnectTimeout)
		}
		return nil, e
	}
	if o.err != nil {
		cancel()
		s.conn.close()
		e := classify(ctx, o.err, x)
		e.Sent = false
		return nil, e
	}
	s.client = o.cs
	go s.watch()
	s.wantLogs(ctx)
	return s, nil
}

// watch notes the end of the connection.
func (s *session) watch() {
	err := s.client.Wait()
	if err == nil {
		err = mcp.ErrConnectionClosed
	}
	s.err = err
	close(s.ended)
}

// why returns why the connection has ended.
func (s *session) why() error {
	e := classify(context.Background(), s.err, nil)
	if e.Class == Malformed && e.Reason == "" {
		e.Class = Lost
	}
	return e
}

// closeTimeout is how long a server may take to part.
const closeTimeout = 3 * time.Second

// close ends the connection. It returns when that has happened, or has taken
// too long.
func (s *session) close() {
	done := make(chan struct{})
	go func() { // ends when the transport is closed, below at the latest
		defer close(done)
		_ = s.client.Close()
	}()
	timer := time.NewTimer(closeTimeout)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
	s.cancel()
	s.conn.close()
}

// probeTimeout is how long a server may take to give any sign of life.
const probeTimeout = 5 * time.Second

// probe ends the connection if the server gives no sign of life.
func (s *session) probe() {
	ctx, cancel := context.WithTimeout(s.up.ctx, probeTimeout)
	defer cancel()
	ctx, x := mcpclient.WithExchange(ctx)
	err := s.client.Ping(ctx, nil)
	if err == nil {
		return
	}
	// An error that the server answers with is a sign of life.
	if e := classify(ctx, err, x); s.up.ctx.Err() == nil && e.Class != Refused && e.Class != BadStatus {
		s.close()
	}
}

// name is what the server calls itself, cleaned.
func (s *session) name() string {
	r := s.client.InitializeResult()
	if r == nil || r.ServerInfo == nil {
		return ""
	}
	return clean.Line(r.ServerInfo.Name+" "+r.ServerInfo.Version, 100)
}

// about is a line on things of the server, which names it; empty if it has no
// name.
func (s *session) about(things string) string {
	r := s.client.InitializeResult()
	if r == nil || r.ServerInfo == nil {
		return ""
	}
	name := clean.Line(cmp.Or(r.ServerInfo.Title, r.ServerInfo.Name), maxAbout)
	if name == "" {
		return ""
	}
	return clean.Line(things+" of "+name+".", maxAbout)
}

// instructions is the first line of what the server says of itself; empty if it
// says nothing.
func (s *session) instructions() string {
	if r := s.client.InitializeResult(); r != nil {
		return clean.FirstLine(r.Instructions, maxAbout)
	}
	return ""
}

// newClient returns the SDK's client for one session. All that it is called
// with comes from the server.
func (s *session) newClient() *mcp.Client {
	opts := &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
		Logger:         slog.New(slog.DiscardHandler),
		ElicitationHandler: func(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return s.elicit(ctx, req.Params)
		},
		// Without it the SDK does not ask for these; notified takes what comes.
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {},
	}
	if s.up.branch(toolid.Resource) != nil {
		opts.ResourceListChangedHandler = func(context.Context, *mcp.ResourceListChangedRequest) {}
	}
	if s.up.branch(toolid.Prompt) != nil {
		opts.PromptListChangedHandler = func(context.Context, *mcp.PromptListChangedRequest) {}
	}
	c := mcp.NewClient(&mcp.Implementation{Name: s.up.agg.opts.Name, Version: s.up.agg.opts.Version}, opts)
	c.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		s.receive = next
		return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
			defer func() {
				if v := recover(); v != nil {
					s.up.log.Error("message of the server failed", "method", clean.Line(method, 60), "panic", fmt.Sprintf("%T", v))
					err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
				}
			}()
			return next(ctx, method, req)
		}
	})
	return c
}

// notified takes the notifications that are for calls, and hears the others. It
// does not wait for anybody. The SDK gets only those of questions that have been
// taken back: it would keep what a server floods it with.
func (s *session) notified(method string, params json.RawMessage) bool {
	switch method {
	case "notifications/progress":
		var p mcp.ProgressNotificationParams
		if json.Unmarshal(params, &p) == nil {
			s.progress(&p)
		}
	case "notifications/message":
		var m logMessage
		if json.Unmarshal(params, &m) == nil && len(m.Data) <= maxLog {
			s.log(m)
		}
	case "notifications/tools/list_changed":
		signal(s.changed)
	case "notifications/resources/list_changed", "notifications/prompts/list_changed":
		signal(s.renewed)
	}
	return method != "notifications/cancelled"
}

// signal says that there is something new, unless that has been said.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// wantLogs asks a server that can for its log messages. One that refuses is as
// good as any.
func (s *session) wantLogs(ctx context.Context) {
	r := s.client.InitializeResult()
	//lint:ignore SA1019 deprecated in the newest protocol, and how servers up to 2025-11-25 are asked
	if r == nil || r.Capabilities == nil || r.Capabilities.Logging == nil {
		return
	}
	if r.ProtocolVersion > lastWithSessions {
		s.logs = true
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	//lint:ignore SA1019 deprecated in the newest protocol, and how servers up to 2025-11-25 are asked
	_ = s.client.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: logLevel})
}

// logLevel is from which level on messages are asked for.
const logLevel = "info"

// lastWithSessions is the last protocol version in which servers turn to the
// client while a call runs.
const lastWithSessions = "2025-11-25"

// remembered keeps the connection that a transport makes, so that it can be
// closed when the client cannot.
type remembered struct {
	mcp.Transport
	mu     sync.Mutex
	conn   mcp.Connection
	closed bool
}

// Connect implements [mcp.Transport].
func (r *remembered) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := r.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		_ = conn.Close()
		return nil, errors.New("closed")
	}
	r.conn = conn
	return conn, nil
}

func (r *remembered) close() {
	r.mu.Lock()
	conn := r.conn
	r.closed = true
	r.mu.Unlock()
	if conn != nil {
		_ = conn.Close()
		_ = conn.Close() // waits, if the first one found the connection broken
	}
}
