package mcpclient

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// HTTP returns a transport to a server that speaks streamable HTTP at address, a URL, in either protocol generation. A
// copy of client sends the requests; nil has default settings. It follows redirects to the same scheme, host and port
// only. Errors show no more of a valid URL than these three.
//
// A failed request is an *[Error] in the SDK's error or in its [Exchange]. The session continues: the caller
// decides to leave it, for instance on [mcp.ErrSessionMissing]. A JSON-RPC error with a 4xx status is that of the
// call, except with 401, 403, 407, 408 and 429.
//
// The stream of the server's own messages is opened with the session. It is reopened with backoff when it ends,
// until the server refuses it with a 4xx status. Its failures do not affect the session.
func HTTP(address string, client *http.Client, o Options) mcp.Transport {
	o = o.filled()
	r := &httpSession{client: guarded(address, client), options: o, drops: drops{logger: o.Logger}}
	if u, err := url.Parse(address); err == nil {
		r.url = u
		address = (&url.URL{Scheme: u.Scheme, Host: u.Host}).String() // the SDK's errors have it
	}
	return &mcp.StreamableClientTransport{
		Endpoint:     address,
		HTTPClient:   &http.Client{Transport: r},
		MaxRetries:   -1, // streams are reopened here
		MaxEventSize: -1, // and bounded here
	}
}

// httpSession is the RoundTripper of one session: it sends the requests and checks the responses.
type httpSession struct {
	url       *url.URL // in place of that of the SDK's requests; nil if it is not valid
	client    *http.Client
	options   Options
	questions questions
	drops     drops
}

// call is a request that expects an answer; nil stands for a message without one.
type call struct {
	id     jsonrpc.ID
	method string
	body   []byte
	x      *Exchange
	heard  atomic.Int64 // the server's own messages before the answer
}

const (
	sessionHeader = "Mcp-Session-Id"
	listenMethod  = "subscriptions/listen"
)

// RoundTrip implements [http.RoundTripper].
func (r *httpSession) RoundTrip(req *http.Request) (*http.Response, error) {
	if r.url != nil {
		req = req.WithContext(req.Context())
		req.URL = r.url
	}
	switch req.Method {
	case http.MethodGet:
		return newStream(r, outgoing(req), nil).response(), nil
	case http.MethodPost:
		return r.post(req)
	}
	return do(r.client, outgoing(req), func() {})
}

// outgoing returns req in the form for a client.
func outgoing(req *http.Request) *http.Request {
	req = req.Clone(req.Context())
	req.RequestURI = ""
	return req
}

func (r *httpSession) post(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body) // the SDK's, in memory
	_ = req.Body.Close()
	if err != nil {
		return nil, err
	}
	id, method := head(body)
	c := &call{id: id, method: method, body: body, x: ExchangeOf(req.Context())}
	req = withBody(req, body)
	switch {
	case method == "":
		defer r.questions.answered(id) // afterwards, because a server may ask without taking an answer
		return r.tell(req)
	case !id.IsValid():
		return r.tell(req)
	}
	c.x.begin(&c.heard)
	if c.method == listenMethod { // like the GET stream: the headers may take long
		return newStream(r, req, c).response(), nil
	}
	resp, err := r.ask(req, c)
	if e, ok := err.(*Error); ok {
		c.x.fail(e)
	}
	return resp, err
}

// head returns the id and the method of a message of the SDK. An answer has no method, a notification no id. The
// SDK's decoder would allocate 64 KiB of buffers for that.
func head(body []byte) (id jsonrpc.ID, method string) {
	var raw any
	if json.Unmarshal(strictjson.Member(body, "id"), &raw) == nil {
		id, _ = jsonrpc.MakeID(raw)
	}
	return id, strictjson.Text(strictjson.Member(body, "method"))
}

// withBody returns a copy of req whose body can be sent repeatedly.
func withBody(req *http.Request, body []byte) *http.Request {
	req = outgoing(req)
	req.Method = http.MethodPost
	req.ContentLength = int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body, _ = req.GetBody()
	return req
}

// tell sends a message without an answer.
func (r *httpSession) tell(req *http.Request) (*http.Response, error) {
	resp, err := do(r.client, req, func() {})
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		return nil, r.refused(req, resp)
	}
	finish(resp.Body)
	resp.Body = http.NoBody
	resp.Header.Del(sessionHeader)
	return resp, nil
}

// ask sends a call and returns its response: the answer, or the stream with it.
func (r *httpSession) ask(req *http.Request, c *call) (*http.Response, error) {
	resp, err := do(r.client, req, c.x.markSent)
	if err != nil {
		return nil, err
	}
	switch {
	case resp.StatusCode/100 != 2:
		return r.refusedCall(req, resp, c)
	case c.method != "initialize", len(resp.Header.Get(sessionHeader)) > maxField:
		resp.Header.Del(sessionHeader) // a changed session id breaks the SDK
	}
	switch mediaType(resp) {
	case jsonType:
		data, err := r.answer(resp, c)
		if err != nil {
			return nil, err
		}
		return replaced(resp, data), nil
	case streamType:
		s := newStream(r, req, c)
		s.take(resp)
		resp.Body = s
		resp.ContentLength = -1
		return resp, nil
	}
	e := wrongType(resp)
	_ = resp.Body.Close()
	return nil, e
}

// replaced returns resp with another body.
func replaced(resp *http.Response, body []byte) *http.Response {
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	return resp
}

// answer reads the answer to a call from a response body.
func (r *httpSession) answer(resp *http.Response, c *call) ([]byte, error) {
	data, err := readBody(resp, r.options.Message)
	if err != nil {
		return nil, err
	}
	if known := adopt(data, c.id); known != nil {
		data = known
	}
	messages, e := parse(data)
	if e != nil {
		return nil, e
	}
	for _, m := range messages {
		a, ok := m.Message.(*jsonrpc.Response)
		switch {
		case !ok || a.ID != c.id:
			r.drops.report("a message that is not the answer")
		case unusableError(a) != nil:
			return nil, unusableError(a)
		default:
			c.x.settle(a)
			return m.raw, nil
		}
	}
	return nil, malformed("the answer is one to another request")
}

// refused returns the error for a status other than success.
func (r *httpSession) refused(req *http.Request, resp *http.Response) *Error {
	finish(resp.Body)
	if resp.StatusCode == http.StatusNotFound && req.Header.Get(sessionHeader) != "" {
		return errSessionGone()
	}
	return statusError(resp)
}

// refusedCall is refused for a call. It passes on a JSON-RPC error of the server: the SDK negotiates with it.
func (r *httpSession) refusedCall(req *http.Request, resp *http.Response, c *call) (*http.Response, error) {
	if speaks(resp.StatusCode) && mediaType(resp) == jsonType && (resp.StatusCode != http.StatusNotFound || req.Header.Get(sessionHeader) == "") {
		data, err := readBody(resp, maxRefusal)
		if known := adopt(data, c.id); known != nil {
			data = known
		}
		messages, e := parse(data)
		if err == nil && e == nil {
			if a, ok := messages[0].Message.(*jsonrpc.Response); ok && a.Error != nil && unusableError(a) == nil {
				c.x.settle(a)
				resp.Header.Del(sessionHeader)
				return replaced(resp, messages[0].raw), nil
			}
		}
	}
	return nil, r.refused(req, resp)
}

// speaks reports whether the body of a response with this status may be a JSON-RPC error.
func speaks(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired,
		http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	}
	return status/100 == 4
}

// refuse refuses a request of the server over its limit, in the session of the request like.
func (r *httpSession) refuse(like *http.Request, id jsonrpc.ID) {
	req := withBody(like, refusal(id))
	req.Header.Del("Last-Event-Id")
	req.Header.Set("Content-Type", jsonType)
	req.Header.Set("Accept", jsonType+", "+streamType)
	if resp, err := do(r.client, req, func() {}); err == nil {
		finish(resp.Body)
	}
}
