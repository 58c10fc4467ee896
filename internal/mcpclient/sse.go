package mcpclient

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// SSE returns a transport to a server at url with the HTTP+SSE transport (MCP 2024-11-05, basic/transports). The
// server sends messages as events of one stream; the first event names the address for messages to it. client is as
// for [HTTP]. The address must have the same scheme, host and port as url.
//
// A message that cannot be sent fails its call; the connection continues. It ends with the stream: calls in flight
// fail with class [Lost].
func SSE(url string, client *http.Client, o Options) mcp.Transport {
	return &legacy{url, guarded(url, client), o.filled()}
}

type legacy struct {
	url     string
	client  *http.Client
	options Options
}

// Connect implements [mcp.Transport]. The connection outlives ctx.
func (l *legacy) Connect(ctx context.Context) (mcp.Connection, error) {
	life, cancel := detached(ctx)
	stop := context.AfterFunc(ctx, cancel)
	post, err := l.dial(life, cancel)
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		cancel()
		if post != nil {
			_ = post.body.Close()
		}
		return nil, err
	}
	return newConn(post, l.options), nil
}

// dial opens the stream and reads the address for messages.
func (l *legacy) dial(ctx context.Context, cancel context.CancelFunc) (*mailbox, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.url, nil)
	if err != nil {
		return nil, &Error{Class: Unreachable, Reason: "the URL cannot be used", Err: err}
	}
	req.Header.Set("Accept", streamType)
	resp, err := do(l.client, req, func() {})
	if err != nil {
		return nil, err
	}
	m := &mailbox{
		ctx: ctx, cancel: cancel, client: l.client, body: resp.Body, after: l.options.After,
		events: newEvents(resp.Body, l.options.Message),
	}
	switch {
	case resp.StatusCode/100 != 2:
		return m, statusError(resp)
	case mediaType(resp) != streamType:
		return m, wrongType(resp)
	}
	first, err := m.events.next()
	if err != nil {
		return m, failure(ctx, err, true)
	}
	if first.name != "endpoint" || len(first.data) > 8*maxField {
		return m, malformed("it does not say where messages go")
	}
	to, err := resp.Request.URL.Parse(string(first.data))
	if err != nil {
		return m, malformed("it does not say where messages go")
	}
	if origin(to) != origin(resp.Request.URL) {
		return m, &Error{Class: Redirect, Reason: "it leads to another host, which is not followed"}
	}
	m.to = to
	return m, nil
}

// mailbox is an event stream with an address for messages, as a link.
type mailbox struct {
	ctx    context.Context
	cancel context.CancelFunc
	client *http.Client
	to     *url.URL
	body   io.ReadCloser
	events *events
	after  func(time.Duration) <-chan time.Time
	trying atomic.Bool
}

func (m *mailbox) next() ([]byte, error) {
	for {
		ev, err := m.events.next()
		if err != nil {
			return nil, err
		}
		if ev.message() && !(ev.last && half(ev.data)) {
			return ev.data, nil
		}
	}
}

func (m *mailbox) send(ctx context.Context, data []byte, sent func(bool)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(m.ctx, cancel)()
	req := withBody((&http.Request{URL: m.to, Header: http.Header{"Content-Type": {jsonType}}}).WithContext(ctx), data)
	resp, err := do(m.client, req, func() { sent(true) })
	if err == nil {
		defer finish(resp.Body)
		if resp.StatusCode/100 == 2 {
			return nil
		}
		err = statusError(resp)
	}
	if m.ctx.Err() != nil {
		return m.ended(err)
	}
	if e, ok := err.(*Error); ok {
		return nonFatal{e}
	}
	return err
}

// nonFatal is an error that does not end the connection for the SDK.
type nonFatal struct{ error }

func (s nonFatal) Unwrap() []error {
	return []error{s.error, &jsonrpc.Error{Code: codeRejected, Message: "rejected by transport"}}
}

const codeRejected = -32005 // the SDK's ErrRejected, which errors.Is compares by code

// trySend sends in the background, one message at a time.
func (m *mailbox) trySend(data []byte) {
	if !m.trying.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer m.trying.Store(false)
		ctx, cancel := context.WithTimeout(m.ctx, 5*time.Second)
		defer cancel()
		_ = m.send(ctx, data, func(bool) {})
	}()
}

func (m *mailbox) ended(err error) *Error {
	if m.ctx.Err() != nil {
		return lost("the connection was closed", err)
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // the SDK takes io.EOF for an orderly end
	}
	return lost("the stream of events ended", err)
}

func (m *mailbox) close() error {
	m.cancel()
	return m.body.Close()
}
