package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/toolid"
)

// session is one connection to a server. The upstream's goroutine makes it and keeps it in its link.
type session struct {
	*settings
	*exchanges
	life     context.Context // of the upstream
	over     string          // the transport, for who observes
	client   *mcp.ClientSession
	conn     *connKeeper
	cancel   context.CancelFunc // ends everything that belongs to the connection
	ended    chan struct{}      // closed when the connection has ended
	err      error              // why it ended; set before ended is closed
	changed  *announcement      // of its tools
	renewed  *announcement      // of its resources or prompts
	relist   chan chan error    // requests to read resources and prompts again
	unlisted chan struct{}      // closed when they are no longer read
	logs     bool               // whether calls ask for log messages
	receive  mcp.MethodHandler  // the SDK's handler for a message of the server
	outdated outdated           // whether the catalog is being read again
	doubts   rate.Sometimes     // limits reloads after errors that suggest changed tools

	asOf  time.Time    // when what it replays was read; zero for a connection to the server
	lacks *atomic.Bool // whether a request to read was not part of what it replays; nil for a connection to the server

	following    bool          // it has subscribed to the server's identity; only the upstream's goroutine uses it
	acknowledged chan struct{} // the server acknowledged that
}

// dialer makes the sessions of an upstream.
type dialer struct {
	*settings
	life   context.Context
	kinds  []toolid.Kind // the kinds of lists to ask for
	own    *account      // whose credential the sessions have; nil is the identity of the endpoint
	caller bool          // own is the account of a caller
}

// dial connects. ctx bounds only the time to connect. If the server does not know streamable HTTP, SSE is tried.
func (d *dialer) dial(ctx context.Context) (*session, error) {
	endpoint := d.endpoint()
	s, err := d.dialTo(ctx, endpoint)
	if h, ok := endpoint.(HTTP); ok && err != nil && asCallError(err).maybeSSE() {
		if old, e := d.dialTo(ctx, SSE(h)); e == nil {
			return old, nil
		}
	}
	return s, err
}

// endpoint returns the endpoint with its identity.
func (d *dialer) endpoint() Endpoint {
	if d.own == nil && d.cfg.Credentials == nil {
		return d.cfg.Endpoint
	}
	switch e := d.cfg.Endpoint.(type) {
	case HTTP:
		return e.identified(d.own, d.caller)
	case SSE:
		return SSE(HTTP(e).identified(d.own, d.caller))
	}
	return d.cfg.Endpoint
}

// maybeSSE reports whether the refusal is one that a server with the HTTP transport before 2025-03-26 would give.
func (e *CallError) maybeSSE() bool {
	return e.Class == BadStatus && (e.HTTPStatus == 400 || e.HTTPStatus == 404 || e.HTTPStatus == 405)
}

func (d *dialer) dialTo(ctx context.Context, endpoint Endpoint) (*session, error) {
	life, cancel := context.WithCancel(d.life)
	s := &session{
		settings: d.settings, exchanges: newExchanges(d.settings), life: d.life, over: transportName(endpoint), cancel: cancel,
		ended: make(chan struct{}), changed: newAnnouncement(), renewed: newAnnouncement(),
		relist: make(chan chan error), unlisted: make(chan struct{}),
		doubts: rate.Sometimes{Interval: time.Minute}, acknowledged: make(chan struct{}, 1),
	}
	life, x := mcpclient.WithExchange(life)
	s.conn = &connKeeper{Transport: s.transport(life, endpoint)}
	client, err := s.connect(ctx, life, d.kinds)
	if err != nil {
		cancel()
		s.conn.close()
		return nil, d.connectError(ctx, err, x)
	}
	s.client = client
	go s.watch()
	s.wantLogs(ctx)
	return s, nil
}

// connect makes the connection in a goroutine of its own, since it runs code of the embedder and of the server. A
// connection that comes too late is closed.
func (s *session) connect(ctx, life context.Context, kinds []toolid.Kind) (*mcp.ClientSession, error) {
	var made *mcp.ClientSession
	return apart.Do(ctx, 0, func() (client *mcp.ClientSession, err error) {
		made, err = s.newClient(kinds).Connect(life, s.conn, nil)
		return made, err
	}, func() {
		if made != nil {
			_ = made.Close()
		}
	})
}

// connectError returns the error of a failed connect.
func (d *dialer) connectError(ctx context.Context, err error, x *mcpclient.Exchange) *CallError {
	var crash *apart.Crash
	if errors.As(err, &crash) {
		d.log.Error("connecting panicked", "panic", crash.Reason, "stack", crash.Stack)
		return &CallError{Class: Unreachable, Reason: "the code that connects to it failed"}
	}
	left := errors.Is(err, apart.ErrLeft)
	if left {
		err = ctx.Err()
	}
	e := classify(ctx, err, x)
	e.Sent = false
	switch {
	case left && e.talked > 0:
		e.Reason = fmt.Sprintf("it sent %s messages, but not its answer, within %v", mcpclient.Count(e.talked), d.cfg.ConnectTimeout)
	case left:
		e.Reason = fmt.Sprintf("it did not answer within %v", d.cfg.ConnectTimeout)
	}
	return e
}

// watch records the end of the connection.
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

// closeTimeout bounds the orderly end of a connection.
const closeTimeout = 3 * time.Second

// close ends the connection. It returns when that is done, or after closeTimeout.
func (s *session) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_, _ = apart.Do(ctx, 0, func() (none struct{}, err error) { // ends at the latest when the transport is closed below
		return none, s.client.Close()
	}, nil)
	s.cancel()
	s.conn.close()
}

// probeTimeout is how long a server may take to answer a ping.
const probeTimeout = 5 * time.Second

// probe ends the connection if the server does not answer a ping.
func (s *session) probe() {
	ctx, cancel := context.WithTimeout(s.life, probeTimeout)
	defer cancel()
	ctx, x := mcpclient.WithExchange(ctx)
	err := s.client.Ping(ctx, nil)
	if err == nil {
		return
	}
	// Any answer, even an error, shows that the server lives.
	if e := classify(ctx, err, x); s.life.Err() == nil && e.Class != Refused && e.Class != BadStatus {
		s.close()
	}
}

// stateless reports whether the requests of a session stand alone, so that each may have an identity of its own.
func (s *session) stateless() bool {
	r := s.client.InitializeResult()
	return r != nil && r.ProtocolVersion > lastWithSessions
}

// name returns the server's own name, cleaned.
func (s *session) name() string {
	r := s.client.InitializeResult()
	if r == nil || r.ServerInfo == nil {
		return ""
	}
	return clean.Line(r.ServerInfo.Name+" "+r.ServerInfo.Version, 100)
}

// about returns a line about the server's things, with its name; empty if it has none.
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

// instructions returns the first line of the server's instructions; empty if it has none.
func (s *session) instructions() string {
	if r := s.client.InitializeResult(); r != nil {
		return clean.FirstLine(r.Instructions, maxAbout)
	}
	return ""
}

// newClient returns the SDK's client for one session. Its handlers get data from the server only.
func (s *session) newClient(kinds []toolid.Kind) *mcp.Client {
	opts := &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
		Logger:         slog.New(slog.DiscardHandler),
		ElicitationHandler: func(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return s.elicit(ctx, req.Params)
		},
		// Without this handler the SDK does not ask for these notifications. notified handles them.
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {},
	}
	if slices.Contains(kinds, toolid.Resource) {
		opts.ResourceListChangedHandler = func(context.Context, *mcp.ResourceListChangedRequest) {}
	}
	if slices.Contains(kinds, toolid.Prompt) {
		opts.PromptListChangedHandler = func(context.Context, *mcp.PromptListChangedRequest) {}
	}
	c := mcp.NewClient(&s.connector, opts)
	addSkillMethods(c)
	c.AddSendingMiddleware(s.withVia, uncached)
	if s.shared {
		c.AddSendingMiddleware(recorded)
	}
	if s.observer != nil {
		c.AddSendingMiddleware(s.observed)
	}
	c.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		s.receive = next
		return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
			defer func() {
				if v := recover(); v != nil {
					s.log.Error("message of the server failed", "method", clean.Line(method, 60), "panic", fmt.Sprintf("%T", v))
					err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
				}
			}()
			return next(ctx, method, req)
		}
	})
	return c
}

// uncached keeps resources out of the SDK's cache, which callers with accounts of their own would share: caching is
// decided elsewhere.
func uncached(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if r, ok := res.(*mcp.ReadResourceResult); ok && r != nil {
			r.TTLMs = 0
		}
		return res, err
	}
}

// notified routes a notification to its call, or signals a change. It never blocks. The SDK gets only notifications
// about questions that were withdrawn: it would store a flood.
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
			s.message(m)
		}
	case "notifications/tools/list_changed":
		s.toolsChanged()
	case "notifications/resources/list_changed", "notifications/prompts/list_changed":
		s.renewed.tell()
	case resourceUpdated:
		if strictjson.Text(strictjson.Member(params, "uri")) == manifest.ResourceURI {
			s.changed.tell()
		}
	case "notifications/subscriptions/acknowledged":
		if acknowledges(params) {
			signal(s.acknowledged)
		}
	}
	return method != "notifications/cancelled"
}

// toolsChanged has the catalog read again.
func (s *session) toolsChanged() {
	s.outdated.mark()
	s.changed.tell()
}

// An announcement says that the server may have changed.
type announcement struct {
	c    chan struct{}
	last atomic.Int64 // when it was made, in nanoseconds since 1970
}

func newAnnouncement() *announcement { return &announcement{c: make(chan struct{}, 1)} }

func (a *announcement) tell() {
	a.last.Store(time.Now().UnixNano())
	signal(a.c)
}

// heard returns when the last one was made.
func (a *announcement) heard() time.Time { return time.Unix(0, a.last.Load()) }

// signal sends on c unless a signal is pending.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// wantLogs asks a server with the logging capability for log messages. A refusal is ignored.
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

// logLevel is the least level of the log messages to ask for.
const logLevel = "info"

// lastWithSessions is the last protocol version in which servers send requests to the client during a call.
const lastWithSessions = "2025-11-25"

// connKeeper is a transport that keeps its connection, so that the connection can be closed when the client cannot
// close it.
type connKeeper struct {
	mcp.Transport
	mu     sync.Mutex
	conn   mcp.Connection
	closed bool
}

// Connect implements [mcp.Transport].
func (r *connKeeper) Connect(ctx context.Context) (mcp.Connection, error) {
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

func (r *connKeeper) close() {
	r.mu.Lock()
	conn := r.conn
	r.closed = true
	r.mu.Unlock()
	if conn != nil {
		_ = conn.Close()
		_ = conn.Close() // waits, if the first Close found the connection broken
	}
}
