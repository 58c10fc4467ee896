package mcpclient_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

const legacy = "2025-11-25"

var small = mcpclient.Options{Limits: mcpclient.Limits{Message: 64 << 10}, After: atOnce}

// TestW34HTTPFaults makes one call go wrong after the other over one session,
// which has to survive each.
func TestW34HTTPFaults(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	tests := []struct {
		name  string
		fault func(http.ResponseWriter, *http.Request, string)
		class mcpclient.Class
	}{
		{"html", write("text/html", "<html>secret</html>"), mcpclient.Malformed},
		{"html as JSON", write("application/json", "<html>secret</html>"), mcpclient.Malformed},
		{"plain text", write("text/plain", "ok"), mcpclient.Malformed},
		{"no type", write("", "ok"), mcpclient.Malformed},
		{"empty", status(200, nil, ""), mcpclient.Malformed},
		{"accepted", status(202, nil, ""), mcpclient.Malformed},
		{"empty JSON", write("application/json", ""), mcpclient.Malformed},
		{"truncated JSON", write("application/json", `{"jsonrpc":"2.0","id":ID,"result":{"content`), mcpclient.Malformed},
		{"deep JSON", write("application/json", `{"jsonrpc":"2.0","id":ID,"result":{"a":`+deep+`}}`), mcpclient.Malformed},
		{"duplicate key", write("application/json", `{"jsonrpc":"2.0","id":ID,"result":{},"result":{}}`), mcpclient.Malformed},
		{"bad UTF-8", write("application/json", `{"jsonrpc":"2.0","id":ID,"result":{"a":"`+"\xff"+`"}}`), mcpclient.Malformed},
		{"wrong id", write("application/json", `{"jsonrpc":"2.0","id":999999,"result":{}}`), mcpclient.Malformed},
		{"id as text", write("application/json", `{"jsonrpc":"2.0","id":"ID","result":{}}`), mcpclient.Malformed},
		{"no id", write("application/json", `{"jsonrpc":"2.0","result":{}}`), mcpclient.Malformed},
		{"no result", write("application/json", `{"jsonrpc":"2.0","id":ID}`), mcpclient.Malformed},
		{"null result", write("application/json", `{"jsonrpc":"2.0","id":ID,"result":null}`), mcpclient.Malformed},
		{"a request", write("application/json", `{"jsonrpc":"2.0","id":ID,"method":"ping"}`), mcpclient.Malformed},
		{"not RPC", write("application/json", `{"ok":true}`), mcpclient.Malformed},
		{"error of a wrong type", write("application/json", `{"jsonrpc":"2.0","id":ID,"error":"no"}`), mcpclient.Malformed},
		{"empty array", write("application/json", `[]`), mcpclient.Malformed},
		{"too large", write("application/json", `{"jsonrpc":"2.0","id":ID,"result":{"a":"`+strings.Repeat("x", 64<<10)+`"}}`), mcpclient.TooLarge},
		{"500", status(500, nil, "secret"), mcpclient.Status},
		{"500 in JSON", status(500, http.Header{"Content-Type": {"application/json"}}, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"m"}}`), mcpclient.Status},
		{"401", status(401, nil, "secret"), mcpclient.Status},
		{"403 in JSON", status(403, http.Header{"Content-Type": {"application/json"}}, `{"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"m"}}`), mcpclient.Status},
		{"418", status(418, nil, strings.Repeat("x", 1<<20)), mcpclient.Status},
		{"304", status(304, nil, ""), mcpclient.Status},
		{"302 without a place", status(302, nil, ""), mcpclient.Status},
		{"crash before headers", func(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) }, mcpclient.Lost},
		{"crash in the body", func(w http.ResponseWriter, r *http.Request, id string) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0",`)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, mcpclient.Lost},
		{"events end", write("text/event-stream", ": nothing\n\n"), mcpclient.Lost},
		{"events truncated", write("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"resu"), mcpclient.Malformed},
		{"events without an answer", write("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n\n"), mcpclient.Lost},
		{"events are not JSON", write("text/event-stream", "data: <html>\n\n\xff\xfe\nno colon\n\ndata: {}\n\n"), mcpclient.Malformed},
		{"event of another call", write("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":999999,\"result\":{}}\n\n"), mcpclient.Malformed},
		{"event too deep", write("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"a\":"+deep+"}}\n\n"), mcpclient.Malformed},
		{"event too large", write("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"a\":\""+strings.Repeat("x", 64<<10)+"\"}}\n\n"), mcpclient.TooLarge},
		{"event crash", func(w http.ResponseWriter, _ *http.Request, id string) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, mcpclient.Lost},
		{"not resumable", func(w http.ResponseWriter, _ *http.Request, id string) {
			write("text/event-stream", "id: 1\ndata:\n\n")(w, nil, id)
		}, mcpclient.Lost},
		{"redirect that loses the request", status(302, http.Header{"Location": {"/elsewhere"}}, ""), mcpclient.Redirect},
		{"redirect for ever", status(307, http.Header{"Location": {"/"}}, ""), mcpclient.Redirect},
	}
	for _, version := range []string{legacy, ""} {
		f := newFaulty(t, version == "")
		f.get = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMethodNotAllowed) }
		cs := connect(t, mcpclient.HTTP(f.URL, nil, small), version, nil)
		if version == legacy && cs.ID() == "" {
			t.Fatal("no session: the handler is not stateful")
		}
		for _, test := range tests {
			t.Run(version+" "+test.name, func(t *testing.T) {
				f.set(test.fault)
				o := call(deadline(t), cs, "exact")
				f.set(nil)
				wantClass(t, o, test.class, true)
				wantFine(t, cs)
			})
		}
	}
}

func TestW34HTTPStatus(t *testing.T) {
	in := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	tests := []struct {
		code     int
		after    string
		min, max time.Duration
	}{
		{429, "7", 7 * time.Second, 7 * time.Second},
		{503, in(time.Hour), 58 * time.Minute, time.Hour},
		{503, in(-time.Hour), 0, 0},
		{503, "-5", 0, 0},
		{503, "99999999999999999999999", 24 * time.Hour, 24 * time.Hour},
		{503, in(1000 * time.Hour), 24 * time.Hour, 24 * time.Hour},
		{503, "soon", 0, 0},
		{599, "", 0, 0},
	}
	f := newFaulty(t, true)
	cs := connect(t, mcpclient.HTTP(f.URL, nil, small), "", nil)
	for _, test := range tests {
		f.set(status(test.code, http.Header{"Retry-After": {test.after}}, ""))
		o := call(deadline(t), cs, "exact")
		wantClass(t, o, mcpclient.Status, true)
		if e := o.wire; e.Status != test.code || e.RetryAfter < test.min || e.RetryAfter > test.max {
			t.Errorf("%+v: status %d, retry after %v", test, e.Status, e.RetryAfter)
		}
	}
	f.set(nil)
	wantFine(t, cs)
}

// TestW34HTTPSession tells a session that is gone from an address that is wrong.
func TestW34HTTPSession(t *testing.T) {
	gone := status(404, http.Header{"Content-Type": {"application/json"}}, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)
	for _, version := range []string{legacy, ""} {
		f := newFaulty(t, version == "")
		cs := connect(t, mcpclient.HTTP(f.URL, nil, small), version, nil)
		f.set(gone)
		o := call(deadline(t), cs, "exact")
		if version == legacy {
			wantClass(t, o, mcpclient.Status, true)
			if !errors.Is(o.err, mcp.ErrSessionMissing) || !errors.Is(o.wire, mcp.ErrSessionMissing) || o.wire.Status != 404 {
				t.Errorf("not the session: %v", o.err)
			}
		} else {
			var rpc *jsonrpc.Error
			if o.wire != nil || !errors.As(o.err, &rpc) || rpc.Code != -32001 || rpc.Message != "Session not found" {
				t.Errorf("got %v", o.err)
			}
		}
		f.set(nil)
		wantFine(t, cs)
	}
}

// TestW34HTTPErrorResponse has JSON-RPC errors come through with code and data.
func TestW34HTTPErrorResponse(t *testing.T) {
	f := newFaulty(t, true)
	cs := connect(t, mcpclient.HTTP(f.URL, nil, small), "", nil)
	jsonHeader := http.Header{"Content-Type": {"application/json; charset=utf-8"}}
	body := `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"m","data":[9007199254740993]}}`
	for name, fault := range map[string]func(http.ResponseWriter, *http.Request, string){
		"200": status(200, jsonHeader, body), "400": status(400, jsonHeader, body),
		"200 null": status(200, jsonHeader, strings.Replace(body, "ID", "null", 1)),
		"400 null": status(400, jsonHeader, strings.Replace(body, "ID", "null", 1)),
		"events":   write("text/event-stream", "data: "+body+"\n\n"),
		"array":    status(200, jsonHeader, `[{"jsonrpc":"2.0","method":"notifications/x"},7,`+body+`]`),
	} {
		f.set(fault)
		o := call(deadline(t), cs, "exact")
		var rpc *jsonrpc.Error
		if o.wire != nil || !errors.As(o.err, &rpc) || rpc.Code != -32602 || string(rpc.Data) != "[9007199254740993]" || !o.x.Sent() {
			t.Errorf("%s: %v", name, o.err)
		}
		f.set(nil)
		wantFine(t, cs)
	}
}

// TestW34HTTPRefused is TestW34CommandRefused over HTTP.
func TestW34HTTPRefused(t *testing.T) {
	f := newFaulty(t, true)
	cs := connect(t, mcpclient.HTTP(f.URL, nil, small), "", nil)
	body := `{"jsonrpc":"2.0","id":ID,"error":{"code":-32004,"message":"locked"}}`
	for name, fault := range map[string]func(http.ResponseWriter, *http.Request, string){
		"200":    write("application/json", body),
		"400":    status(400, http.Header{"Content-Type": {"application/json"}}, body),
		"events": write("text/event-stream", "data: "+body+"\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			f.set(fault)
			wantRefusal(t, call(deadline(t), cs, "exact"))
			f.set(nil)
			wantFine(t, cs)
		})
	}
}

// TestW10HTTPBounded has an answer without end, which must not be read.
func TestW10HTTPBounded(t *testing.T) {
	for _, kind := range []string{"application/json", "text/event-stream", "text/html", "comments"} {
		t.Run(kind, func(t *testing.T) {
			f := newFaulty(t, true)
			cs := connect(t, mcpclient.HTTP(f.URL, nil, small), "", nil)
			written := make(chan int, 1)
			f.set(func(w http.ResponseWriter, _ *http.Request, id string) {
				block, n := []byte(strings.Repeat("x", 32<<10)), 0
				switch kind {
				case "comments":
					w.Header().Set("Content-Type", "text/event-stream")
					block = []byte(strings.Repeat(":\n", 16<<10))
				case "text/event-stream":
					w.Header().Set("Content-Type", kind)
					_, _ = io.WriteString(w, "data: ")
				default:
					w.Header().Set("Content-Type", kind)
				}
				for n < 1<<30 {
					m, err := w.Write(block)
					n += m
					if err != nil {
						break
					}
				}
				written <- n
			})
			o := call(deadline(t), cs, "exact")
			want := mcpclient.TooLarge
			if kind == "text/html" || kind == "comments" {
				want = mcpclient.Malformed
			}
			wantClass(t, o, want, true)
			if n := <-written; n > 64<<20 { // the limit, the noise, and what the system buffers
				t.Errorf("%d bytes were taken", n)
			}
			f.set(nil)
			wantFine(t, cs)
		})
	}
}

// TestW34HTTPHang has servers that hang: before headers, after them, and between
// drips.
func TestW34HTTPHang(t *testing.T) {
	f := newFaulty(t, true)
	cs := connect(t, mcpclient.HTTP(f.URL, nil, small), "", nil)
	var steps atomic.Int32
	hang := func(r *http.Request) {
		steps.Store(5)
		<-r.Context().Done()
	}
	f.setGet(func(_ http.ResponseWriter, r *http.Request) { hang(r) })
	drip := func(kind, text string) func(http.ResponseWriter, *http.Request, string) {
		return func(w http.ResponseWriter, r *http.Request, _ string) {
			w.Header().Set("Content-Type", kind)
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, text)
				w.(http.Flusher).Flush()
				steps.Add(1)
			}
		}
	}
	for name, fault := range map[string]func(http.ResponseWriter, *http.Request, string){
		"before":  func(_ http.ResponseWriter, r *http.Request, _ string) { hang(r) },
		"json":    drip("application/json", " "),
		"events":  drip("text/event-stream", ": \n"),
		"lines":   drip("text/event-stream", "data: x\n\n"),
		"resumed": write("text/event-stream", "id: 1\nretry: 60000\ndata:\n\n"),
	} {
		steps.Store(0)
		f.set(fault)
		o := abandon(t, cs, "exact", func(*mcpclient.Exchange) bool { return steps.Load() >= 5 })
		if !errors.Is(o.err, context.Canceled) || !o.x.Sent() || o.x.Err() != nil {
			t.Errorf("%s: %v, sent %v, %v", name, o.err, o.x.Sent(), o.x.Err())
		}
		f.set(nil)
		wantFine(t, cs)
	}
}

// TestW34HTTPUnreachable has failures before the request, so that it was not sent.
func TestW34HTTPUnreachable(t *testing.T) {
	f := newFaulty(t, true)
	broken := errors.New("not broken")
	transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if broken != nil {
			return nil, broken
		}
		return new(net.Dialer).DialContext(ctx, network, addr)
	}, DisableKeepAlives: true}
	broken = nil
	cs := connect(t, mcpclient.HTTP(f.URL, &http.Client{Transport: transport}, small), "", nil)
	refused := "127.0.0.1:0"
	if l, err := net.Listen("tcp", refused); err == nil {
		refused = l.Addr().String()
		_ = l.Close()
	}
	_, refusal := net.Dial("tcp", refused)
	for name, err := range map[string]error{
		"refused": refusal,
		"name":    &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "secret.example"}},
		"any":     errors.New("secret"),
	} {
		broken = err
		o := call(deadline(t), cs, "exact")
		broken = nil
		t.Run(name, func(t *testing.T) { wantClass(t, o, mcpclient.Unreachable, false) })
		wantFine(t, cs)
	}
}

func TestW34HTTPCertificate(t *testing.T) {
	var requests atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	s.Config.ErrorLog = nil
	s.StartTLS()
	defer s.Close()
	plain := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	trusting := s.Client().Transport.(*http.Transport).Clone()
	trusting.TLSClientConfig = &tls.Config{RootCAs: trusting.TLSClientConfig.RootCAs, ServerName: "other.example"}
	for name, client := range map[string]*http.Client{"authority": nil, "host": {Transport: trusting}} {
		ctx, x := mcpclient.WithExchange(deadline(t))
		_, err := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil).Connect(ctx, mcpclient.HTTP(plain, client, small), nil)
		var e *mcpclient.Error
		if !errors.As(err, &e) || e.Class != mcpclient.Certificate || x.Sent() || !errors.As(x.Err(), &e) {
			t.Errorf("%s: %v, sent %v", name, err, x.Sent())
		}
	}
	if requests.Load() != 0 {
		t.Error("a request arrived")
	}
}

// TestHTTPHidesItsURL holds that a server gets the whole URL, and errors only its host.
func TestHTTPHidesItsURL(t *testing.T) {
	var got atomic.Value
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		got.Store(user + ":" + password + r.URL.String())
		w.WriteHeader(http.StatusForbidden)
	}))
	defer s.Close()
	address := strings.Replace(s.URL, "//", "//secret1:secret2@", 1) + "/secret3?key=secret4"
	_, err := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil).Connect(deadline(t), mcpclient.HTTP(address, nil, small), nil)
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("the error is %v", err)
	}
	if want := "secret1:secret2/secret3?key=secret4"; got.Load() != want {
		t.Errorf("the server got %v, want %s", got.Load(), want)
	}
}

// TestW34HTTPUntraced has a RoundTripper that does not report to httptrace: in
// doubt the request was sent.
func TestW34HTTPUntraced(t *testing.T) {
	f := newFaulty(t, true)
	var fail error
	inner := roundTripper(func(req *http.Request) (*http.Response, error) {
		if fail != nil {
			return nil, fail
		}
		return http.DefaultTransport.RoundTrip(req)
	})
	cs := connect(t, mcpclient.HTTP(f.URL, &http.Client{Transport: inner}, small), "", nil)
	fail = errors.New("broken pipe")
	wantClass(t, call(deadline(t), cs, "exact"), mcpclient.Lost, true)
	fail = &net.OpError{Op: "dial", Err: errors.New("no route")}
	wantClass(t, call(deadline(t), cs, "exact"), mcpclient.Unreachable, false)
	fail = nil
	wantFine(t, cs)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// TestW34HTTPRedirect follows to the same host only, and shows the request, with
// its credentials, to no other.
func TestW34HTTPRedirect(t *testing.T) {
	var strangers atomic.Int32
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers.Add(1) }))
	defer stranger.Close()
	f := newFaulty(t, true)
	cs := connect(t, mcpclient.HTTP(f.URL, nil, small), "", nil)
	for _, code := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{stranger.URL, strings.Replace(f.URL, "http:", "https:", 1), "//user:secret@127.0.0.2/", "ftp://127.0.0.1/", "http://["} {
			f.set(status(code, http.Header{"Location": {to}}, ""))
			o := call(deadline(t), cs, "exact")
			if to == "http://[" && code > 303 {
				wantClass(t, o, mcpclient.Lost, true)
				continue
			}
			wantClass(t, o, mcpclient.Redirect, true)
		}
	}
	if strangers.Load() != 0 {
		t.Error("a request arrived at another host")
	}
	f.set(func(w http.ResponseWriter, r *http.Request, id string) {
		if r.URL.Path == "/there" {
			write("application/json", answer(id))(w, r, id)
			return
		}
		http.Redirect(w, r, "/there", http.StatusPermanentRedirect)
	})
	wantFine(t, cs)
}

// TestW34HTTPStreamEvents has the answer come in unusual but proper events.
func TestW34HTTPStreamEvents(t *testing.T) {
	f := newFaulty(t, true)
	cs := connect(t, mcpclient.HTTP(f.URL, nil, small), "", nil)
	head, tail := `{"jsonrpc":"2.0",`, `"id":ID,"result":{"content":[],"structuredContent":`+exact+`}}`
	for name, body := range map[string]string{
		"crlf":             "event: message\r\ndata: " + head + tail + "\r\n\r\n",
		"several lines":    "data: " + head + "\ndata: " + tail + "\n\n",
		"no last line":     "data:" + head + tail,
		"byte order mark":  "\ufeffdata: " + head + tail + "\n\n",
		"comments, fields": ": c\nfoo: bar\nid\ndata: " + head + tail + "\nretry: x\n\n",
		"after garbage":    "data: nonsense\n\nevent: other\ndata: {}\n\nno colon\n\ndata: " + head + tail + "\n\n",
		"after too much":   "data: " + strings.Repeat("x", 100<<10) + "\n\ndata: " + head + tail + "\n\n",
		"long comment":     ":" + strings.Repeat("x", 100<<10) + "\ndata: " + head + tail + "\n\n",
		"array":            "data: [" + `{"jsonrpc":"2.0","method":"notifications/x"},` + head + tail + "]\n\n",
		"more after":       "data: " + head + tail + "\n\ndata: " + head + tail + "\n\ndata: x\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			f.set(write("text/event-stream", body))
			wantFine(t, cs)
		})
	}
}

// TestW34HTTPResume takes up a stream after its last event.
func TestW34HTTPResume(t *testing.T) {
	f := newFaulty(t, false)
	var id atomic.Value
	var gets atomic.Int32
	f.get = func(w http.ResponseWriter, r *http.Request) {
		last := r.Header.Get("Last-Event-Id")
		if last == "" {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		switch gets.Add(1) {
		case 1:
			w.WriteHeader(http.StatusBadGateway)
		case 2:
			if last != "one" {
				t.Errorf("last event %q", last)
			}
			write("text/event-stream", "id: two\ndata:\n\n")(w, r, "")
		default:
			if last != "two" {
				t.Errorf("last event %q", last)
			}
			write("text/event-stream", "id: three\ndata: "+answer(id.Load())+"\n\n")(w, r, "")
		}
	}
	cs := connect(t, mcpclient.HTTP(f.URL, nil, small), legacy, nil)
	f.set(func(w http.ResponseWriter, r *http.Request, call string) {
		id.Store(call)
		write("text/event-stream", "id: one\nretry: 1\ndata:\n\n")(w, r, "")
	})
	wantFine(t, cs)
	if gets.Load() != 3 {
		t.Errorf("%d requests", gets.Load())
	}
	gets.Store(0)
	f.setGet(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-Id") == "" { // the standalone stream, which may be late
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		gets.Add(1)
		write("text/event-stream", "id: one\ndata:\n\n")(w, r, "")
	})
	wantClass(t, call(deadline(t), cs, "exact"), mcpclient.Lost, true)
	if n := gets.Load(); n != 5 {
		t.Errorf("%d tries without an event", n)
	}
}

// TestW39HTTPStandalone has the stream of the server's own messages fail in all
// ways, without an effect on the session, and come back.
func TestW39HTTPStandalone(t *testing.T) {
	changed := make(chan struct{}, 100)
	var gets atomic.Int32
	f := newFaulty(t, false)
	f.get = func(w http.ResponseWriter, r *http.Request) {
		switch n := gets.Add(1); n {
		case 1:
			panic(http.ErrAbortHandler)
		case 2:
			w.WriteHeader(http.StatusInternalServerError)
		case 3:
			write("text/event-stream", "data: "+strings.Repeat("x", 100<<10)+"\n\ndata: {}\n\n")(w, r, "")
		case 20:
			write("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")(w, r, "")
		case 21:
			w.WriteHeader(http.StatusNotFound)
		default:
			if n > 21 {
				t.Error("asked again after it was refused")
			}
			write("text/event-stream", "")(w, r, "")
		}
	}
	cs := connect(t, mcpclient.HTTP(f.URL, nil, small), legacy, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	select {
	case <-changed:
	case <-deadline(t).Done():
		t.Fatal("no notification")
	}
	wantFine(t, cs)
}

// TestW39HTTPSlowStandalone has a server that does not answer the GET at all.
func TestW39HTTPSlowStandalone(t *testing.T) {
	f := newFaulty(t, false)
	f.get = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	wantFine(t, connect(t, mcpclient.HTTP(f.URL, nil, small), legacy, nil))
}

// TestW39HTTPListen has subscriptions of the newest protocol last as long as the
// session.
func TestW39HTTPListen(t *testing.T) {
	for name, last := range map[string]func(http.ResponseWriter, *http.Request, string){
		"status": status(405, nil, ""), "html": write("text/html", ""),
		"json": write("application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"m"}}`),
	} {
		t.Run(name, func(t *testing.T) { testListen(t, last) })
	}
}

func testListen(t *testing.T, last func(http.ResponseWriter, *http.Request, string)) {
	s := newServer()
	proper := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true})
	var listens atomic.Int32
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") != "subscriptions/listen" {
			proper.ServeHTTP(w, r)
			return
		}
		switch listens.Add(1) {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			write("text/event-stream", "")(w, r, "")
		case 3:
			write("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")(w, r, "")
		default:
			last(w, r, "")
		}
	}))
	t.Cleanup(h.Close)
	changed := make(chan struct{}, 100)
	opts, reopened := small, atomic.Int32{}
	opts.Reopened = func() { reopened.Add(1) }
	cs := connect(t, mcpclient.HTTP(h.URL, nil, opts), "", &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	select {
	case <-changed:
	case <-deadline(t).Done():
		t.Fatal("no notification")
	}
	wantFine(t, cs)
	if n := listens.Load(); n > 4 {
		t.Errorf("asked %d times, after it was refused", n)
	}
	if n := reopened.Load(); n != 2 { // the second time and the third
		t.Errorf("opened again %d times", n)
	}
}

// TestW10HTTPFlood has a server ask more than may be open.
func TestW10HTTPFlood(t *testing.T) {
	var refused atomic.Int32
	s := newServer()
	proper := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "too many requests") {
			refused.Add(1)
			w.WriteHeader(http.StatusAccepted)
			return
		}
		if strings.Contains(string(body), `"tools/call"`) && strings.Contains(string(body), `"flood"`) {
			w.Header().Set("Content-Type", "text/event-stream")
			for i := range 100 {
				_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":\"q%d\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}\n\n", i)
			}
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		proper.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	release := make(chan struct{})
	var asked atomic.Int32
	cs := connect(t, mcpclient.HTTP(h.URL, nil, small), legacy, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked.Add(1)
			<-release
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	})
	wantClass(t, call(deadline(t), cs, "flood"), mcpclient.Lost, true)
	close(release)
	if refused.Load() != 36 || asked.Load() > 64 {
		t.Errorf("%d refused, %d asked", refused.Load(), asked.Load())
	}
	wantFine(t, cs)
}

// TestW10HTTPUnread has a server ask without taking the answers: they wait, but not
// more than may be open.
func TestW10HTTPUnread(t *testing.T) {
	var refused, waiting atomic.Int32
	over := make(chan struct{})
	s := newServer()
	proper := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(body, &m)
		switch {
		case strings.Contains(string(body), "too many requests"):
			refused.Add(1)
			w.WriteHeader(http.StatusAccepted)
		case r.Method == http.MethodPost && m.Method == "":
			waiting.Add(1)
			<-over
		case m.Method == "tools/call":
			w.Header().Set("Content-Type", "text/event-stream")
			for i := range 200 {
				_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":\"q%d\",\"method\":\"ping\"}\n\n", i)
			}
			_, _ = fmt.Fprintf(w, "data: %s\n\n", answer(string(m.ID)))
		default:
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			proper.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(h.Close)
	cs := connect(t, mcpclient.HTTP(h.URL, nil, small), legacy, nil)
	t.Cleanup(func() { close(over) }) // the session waits for the answers to be taken
	wantFine(t, cs)
	if refused.Load() != 136 || waiting.Load() > 64 {
		t.Errorf("%d refused, %d wait", refused.Load(), waiting.Load())
	}
}

// TestW34HTTPSessionChange has a server that changes the id of the session.
func TestW34HTTPSessionChange(t *testing.T) {
	f := newFaulty(t, false)
	cs := connect(t, mcpclient.HTTP(f.URL, nil, small), legacy, nil)
	f.set(func(w http.ResponseWriter, r *http.Request, id string) {
		w.Header().Set("Mcp-Session-Id", "another")
		write("application/json", answer(id))(w, r, id)
	})
	wantFine(t, cs)
	f.set(nil)
	wantFine(t, cs)
}
