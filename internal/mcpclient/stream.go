package mcpclient

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	maxTries   = 5                      // to resume a call's stream without a further event
	minPause   = 100 * time.Millisecond // the shortest pause before reopening, whatever the server asks for
	firstPause = time.Second
	maxPause   = time.Minute
)

// stream is the body of a response with events: the server's events, checked. It outlives connections. A call's
// stream ends with the answer, or with an error instead. The stream of the server's own messages (call is nil, or a
// subscription) ends with its context.
//
// Its events have no ids, since the SDK must not resume the stream.
type stream struct {
	session *httpSession
	req     *http.Request // the request that opened it
	call    *call

	body   io.ReadCloser // nil between two connections
	events *events
	noise  int // bytes since the last valid message
	lastID string
	retry  time.Duration // requested by the server; zero if not
	tries  int           // connections without an event
	gap    bool          // it was closed for a while, and messages were lost
	why    *Error        // why the last event was dropped

	out  bytes.Reader
	done bool
}

func newStream(r *httpSession, req *http.Request, c *call) *stream {
	return &stream{session: r, req: req, call: c}
}

// response returns a response with the stream, which has not been opened.
func (s *stream) response() *http.Response {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {streamType}}, ContentLength: -1, Body: s, Request: s.req,
	}
}

// take continues with the body of resp.
func (s *stream) take(resp *http.Response) {
	s.body, s.events = resp.Body, newEvents(resp.Body, s.session.options.Message)
	if resp.Request != nil {
		s.req.URL = resp.Request.URL // after redirects
	}
}

// Read implements [io.Reader]. Its errors are [io.EOF] and those of the context.
func (s *stream) Read(p []byte) (int, error) {
	for s.out.Len() == 0 {
		if s.done {
			return 0, io.EOF
		}
		if err := s.step(); err != nil {
			return 0, err
		}
	}
	return s.out.Read(p)
}

// Close implements [io.Closer].
func (s *stream) Close() error {
	s.done = true
	if s.body != nil {
		finish(s.body)
		s.body = nil
	}
	return nil
}

// step reads one event, or opens the stream.
func (s *stream) step() error {
	if s.body == nil {
		return s.open()
	}
	ev, err := s.events.next()
	if ctx := s.req.Context(); ctx.Err() != nil {
		return ctx.Err()
	}
	var large *oversize
	if err == nil || errors.As(err, &large) {
		s.note(ev)
	}
	var e *Error
	switch {
	case large != nil:
		s.tooLarge(large)
	case errors.As(err, &e):
		return s.broken(e)
	case err != nil:
		return s.broken(lost("the connection ended before the answer", err))
	case ev.message() && ev.last && half(ev.data):
		return s.broken(lost("the connection ended before the end of the answer", nil))
	case ev.message():
		s.event(ev.data)
	}
	switch most := s.session.options.Unanswered; {
	case s.noise > maxNoise:
		return s.broken(errNoise)
	case !s.done && !s.lasting() && s.call.heard.Load() > int64(most):
		s.fail(flooded(most))
	}
	return nil
}

// note stores an event's id and retry time.
func (s *stream) note(ev event) {
	if ev.id != "" && ev.id != s.lastID || s.lasting() {
		s.tries = 0
	}
	if ev.id != "" {
		s.lastID = ev.id
	}
	if ms, err := strconv.ParseUint(ev.retry, 10, 32); err == nil {
		s.retry = min(max(time.Duration(ms)*time.Millisecond, minPause), maxPause)
	}
}

// lasting reports whether it is the stream of the server's own messages.
func (s *stream) lasting() bool { return s.call == nil || s.call.method == listenMethod }

// event passes on the useful data of an event.
func (s *stream) event(data []byte) {
	messages, e := parse(data)
	if e != nil {
		s.noise += len(data)
		s.drop(e)
		return
	}
	s.noise = 0
	var out bytes.Buffer
	for _, m := range messages {
		if s.done {
			break
		}
		if s.passes(m) {
			writeEvent(&out, m.raw)
		}
	}
	s.out.Reset(out.Bytes())
}

// writeEvent writes a message on one line. Line ends in JSON occur only between tokens.
func writeEvent(out *bytes.Buffer, raw []byte) {
	out.WriteString("data: ")
	from := out.Len()
	out.Write(raw)
	for i, b := range out.Bytes()[from:] {
		if b == '\n' || b == '\r' {
			out.Bytes()[from+i] = ' '
		}
	}
	out.WriteString("\n\n")
}

// passes reports whether the SDK gets the message.
func (s *stream) passes(m message) bool {
	if _, ok := m.Message.(*jsonrpc.Request); ok && s.call != nil {
		s.call.heard.Add(1)
	}
	if s.session.options.takes(m.Message) {
		return false
	}
	switch m := m.Message.(type) {
	case *jsonrpc.Response:
		if s.call == nil || m.ID != s.call.id {
			s.drop(malformed("the answer is one to another request"))
			return false
		}
		s.call.x.settle(m)
		s.done = true
	case *jsonrpc.Request:
		if m.IsCall() && !s.session.questions.ask(m.ID) {
			s.session.drops.report("too many requests of the server")
			s.session.refuse(s.req, m.ID)
			return false
		}
	}
	return true
}

func (s *stream) drop(e *Error) {
	s.why = e
	s.session.drops.report(e.Reason)
}

// tooLarge drops an event, and fails the call if it was the answer.
func (s *stream) tooLarge(large *oversize) {
	e := tooLarge(s.session.options.Message)
	s.drop(e)
	if id, ok := sniff(large.head, large.tail); ok && s.call != nil && id == s.call.id {
		s.fail(e)
	}
}

// fail ends the call with an error.
func (s *stream) fail(e *Error) {
	s.call.x.fail(e)
	var out bytes.Buffer
	writeEvent(&out, encodeError(s.call.id, e))
	s.out.Reset(out.Bytes())
	s.done = true
}

// broken handles the end of a connection: it pauses before reopening, or gives up.
func (s *stream) broken(e *Error) error {
	if s.body != nil {
		_ = s.body.Close()
		s.body = nil
	}
	s.noise, s.gap = 0, true
	if s.tries++; !s.lasting() && (s.lastID == "" || s.tries > maxTries) {
		if s.why != nil {
			e = s.why
		}
		s.fail(e)
		return nil
	}
	select {
	case <-s.session.options.After(s.pause(e.RetryAfter)):
		return nil
	case <-s.req.Context().Done():
		return s.req.Context().Err()
	}
}

func (s *stream) pause(asked time.Duration) time.Duration {
	d := min(firstPause<<min(s.tries-1, 10), maxPause)
	if s.retry > 0 && s.tries == 1 {
		d = s.retry
	}
	return max(d, asked) + rand.N(d/2)
}

// open requests the stream, or its rest.
func (s *stream) open() error {
	resp, err := do(s.session.client, s.request(), func() {})
	if err != nil {
		return s.unopened(err)
	}
	if resp.StatusCode/100 == 2 && mediaType(resp) == streamType {
		s.take(resp)
		if s.gap && s.lasting() {
			s.gap = false
			s.session.options.Reopened()
		}
		return nil
	}
	if resp.StatusCode/100 == 2 && mediaType(resp) == jsonType && s.call != nil {
		data, err := s.session.answer(resp, s.call)
		if err != nil {
			return s.unopened(err)
		}
		s.event(data)
		return nil
	}
	finish(resp.Body)
	e := statusError(resp)
	switch status := e.Status; {
	case status/100 == 5, status == http.StatusTooManyRequests, status == http.StatusRequestTimeout:
		return s.broken(e)
	case status/100 == 2:
		e = wrongType(resp)
	}
	return s.refuseStream(e)
}

func (s *stream) unopened(err error) error {
	e, ok := err.(*Error)
	switch {
	case !ok:
		return err
	case e.Class == Redirect:
		return s.refuseStream(e)
	}
	return s.broken(e)
}

// refuseStream ends a stream that the server refuses. A call fails. The server's own stream stays silent, because
// the SDK would reopen it.
func (s *stream) refuseStream(e *Error) error {
	if s.call == nil {
		ctx := s.req.Context()
		<-ctx.Done()
		return ctx.Err()
	}
	if !s.lasting() {
		e = lost("the connection ended before the answer, and the rest of it cannot be had", e)
	}
	s.fail(e)
	return nil
}

// request returns the request for the stream, or for its rest after the last event.
func (s *stream) request() *http.Request {
	if s.call != nil && s.lasting() {
		return withBody(s.req, s.call.body)
	}
	req := outgoing(s.req)
	req.Method, req.Body, req.GetBody, req.ContentLength = http.MethodGet, nil, nil, 0
	req.Header.Del("Content-Type")
	req.Header.Set("Accept", streamType)
	if s.lastID != "" {
		req.Header.Set("Last-Event-Id", s.lastID)
	}
	return req
}
