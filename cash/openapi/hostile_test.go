package openapi_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/cashtest/faulty"
	"github.com/cash-mcp/go-sdk/cash/openapi"
	"github.com/cash-mcp/go-sdk/registry"
)

// What one call of a hostile server may take. Most of the memory is that of a response of 16 MiB while it is read.
const (
	patience  = 400 * time.Millisecond // the deadline of a call that has no answer
	maxTook   = 20 * time.Second       // under the race detector on a busy machine; else below a second
	maxMemory = 256 << 20
)

// bounded calls the function get in t within the bounds, and returns the kind of the error and the text. Calls that are
// to end by their deadline have a short one.
func bounded(t *testing.T, doc []byte, server *openapi.Server, args string, want registry.Kind, opts ...openapi.Option) (registry.Kind, string) {
	t.Helper()
	deadline := 2 * maxTook
	if want == registry.TimedOut {
		deadline = patience
	}
	reg, _ := mount(t, doc, server, append(opts, openapi.OnOperation(func(o *openapi.Operation) {
		o.Options = append(o.Options, registry.Timeout(deadline))
	}))...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	res, err := call(t.Context(), reg, "shop.t", "get", args)
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	if memory := after.TotalAlloc - before.TotalAlloc; took > maxTook || memory > maxMemory {
		t.Errorf("the call took %v and %d MiB", took, memory>>20)
	}
	if err != nil {
		return registry.AsError(err).Kind, err.Error()
	}
	return "", res.Text()
}

// quiet serves h without a log.
func quiet(t *testing.T, h http.Handler) string {
	web := httptest.NewUnstartedServer(h)
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	web.Start()
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL
}

// The servers that misbehave for upstreams, behind an address and behind a proxy in this process. To an HTTP API, their
// messages are JSON of any kind.
func TestFaultyServers(t *testing.T) {
	doc := document(`{"/mcp":{"post":{"operationId":"get","tags":["t"],"requestBody":{"required":true,"content":{"application/json":{"schema":{}}}},
		"responses":{"200":{"description":"An answer.","content":{"application/json":{},"text/event-stream":{}}}}}}}`)
	const args = `{"body":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}}`
	login := openapi.Login(func(r *http.Request, _ *registry.Caller) error {
		for key, value := range map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "echo", "Authorization": "Bearer secret"} {
			r.Header.Set(key, value)
		}
		return nil
	})
	type want struct {
		kind registry.Kind
		says string
	}
	wants := map[faulty.Fault]want{
		"":                  {"", "hello"},
		"refused":           {registry.Unavailable, "Try again"},
		"certificate":       {registry.Unavailable, "Try again"},
		"hang-before":       {registry.TimedOut, ""},
		"hang-after":        {registry.TimedOut, ""},
		"drip":              {registry.TimedOut, ""},
		"crash":             {registry.Failed, "may have taken effect"},
		"exit":              {registry.Failed, "may have taken effect"},
		"flapping":          {registry.Failed, "may have taken effect"},
		"html":              {"", "<h1>"},
		"unauthorized":      {registry.Unauthorized, "401"},
		"forbidden":         {registry.Denied, "403"},
		"not-found":         {registry.Failed, "404"},
		"too-many-requests": {registry.RateLimited, "7 seconds"},
		"internal-error":    {registry.Failed, "500"},
		"unavailable":       {registry.Unavailable, "503"},
		"redirect-307":      {registry.Failed, "307 Temporary Redirect: "},
		"redirect-308":      {registry.Failed, "308 Permanent Redirect: "},
		"redirect-loop":     {registry.Failed, "307 Temporary Redirect: "},
		"huge":              {registry.Failed, "more than 16 MiB"},
		"truncated":         {"", "{"},
		"deep":              {"", "[[["},
	}
	for _, fault := range append(faulty.Faults(), "") {
		for _, way := range []string{"client", "handler"} {
			t.Run(string(fault)+"/"+way, func(t *testing.T) {
				f := &faulty.Server{Fault: fault}
				base := strings.TrimSuffix(f.HTTP(t), "/mcp")
				server := openapi.Client(base, nil)
				if way == "handler" {
					to, err := url.Parse(base)
					if err != nil {
						t.Fatal(err)
					}
					proxy := httputil.NewSingleHostReverseProxy(to)
					proxy.ErrorLog = log.New(io.Discard, "", 0)
					server = openapi.Handler(proxy)
				}
				want, listed := wants[fault]
				if way == "handler" && want.says == "Try again" { // 502 of the proxy does not say so
					want = wants["exit"]
				}
				kind, text := bounded(t, doc, server, args, want.kind, login)
				if listed && (kind != want.kind || !strings.Contains(text, want.says)) || kind == registry.Internal || strings.Contains(text, "secret") {
					t.Errorf("%s: %.200s", kind, text)
				}
				if len(f.Elsewhere()) > 0 {
					t.Error("a redirect to another host is followed")
				}
			})
		}
	}
}

// raw answers a request with these bytes, until the connection ends.
func raw(send func(w io.Writer)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(maxTook)) // what a client does not read must not block the test
		send(c)
	})
}

// forever writes text until the reader has gone.
func forever(w io.Writer, text string) {
	for {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
	}
}

// zipped is size zeros by gzip.
func zipped(size int64) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for chunk := make([]byte, 1<<16); size > 0; size -= int64(len(chunk)) {
		z.Write(chunk)
	}
	z.Close()
	return b.String()
}

// What a server of HTTP can do beyond the faults of package faulty.
func TestHostileHTTP(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	line := "X-Filler: " + strings.Repeat("x", 1000) + "\r\n"
	bomb := zipped(64 << 20)
	for name, c := range map[string]struct {
		send func(w io.Writer)
		kind registry.Kind
		says string
	}{
		"endless body":       {func(w io.Writer) { io.WriteString(w, ok+"\r\n"); forever(w, strings.Repeat("x", 1<<16)) }, registry.Failed, "16 MiB"},
		"endless headers":    {func(w io.Writer) { io.WriteString(w, ok); forever(w, line) }, registry.Unavailable, ""},
		"endless first line": {func(w io.Writer) { io.WriteString(w, "HTTP/1.1 200 "); forever(w, strings.Repeat("x", 1<<16)) }, registry.Unavailable, ""},
		"endless hints":      {func(w io.Writer) { forever(w, "HTTP/1.1 103 Early Hints\r\n"+line+"\r\n") }, registry.Unavailable, ""},
		"endless trailers": {func(w io.Writer) {
			io.WriteString(w, ok+"Trailer: X-Filler\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n")
			forever(w, line)
		}, registry.Unavailable, ""},
		"endless extension of a chunk": {func(w io.Writer) {
			io.WriteString(w, ok+"Transfer-Encoding: chunked\r\n\r\n2;")
			forever(w, strings.Repeat("x", 1<<16))
		}, registry.Unavailable, ""},
		"many links": {func(w io.Writer) {
			fmt.Fprintf(w, "%sLink: %s\r\nContent-Length: 2\r\n\r\n{}", ok, strings.Repeat(`<https://x/get?page=1>; rel="first",`, 20_000))
		}, "", "{}"},
		"slow headers": {func(w io.Writer) {
			io.WriteString(w, ok)
			for {
				if _, err := io.WriteString(w, "X-A: b\r\n"); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}, registry.TimedOut, ""},
		"too short":      {func(w io.Writer) { io.WriteString(w, ok+"Content-Length: 100\r\n\r\n{}") }, registry.Unavailable, ""},
		"too long":       {func(w io.Writer) { io.WriteString(w, ok+"Connection: close\r\nContent-Length: 2\r\n\r\n{}{}{}") }, "", "{}"},
		"two lengths":    {func(w io.Writer) { io.WriteString(w, ok+"Content-Length: 2\r\nContent-Length: 4\r\n\r\n{}{}") }, registry.Unavailable, ""},
		"wrong length":   {func(w io.Writer) { io.WriteString(w, ok+"Content-Length: -1\r\n\r\n{}") }, registry.Unavailable, ""},
		"immense length": {func(w io.Writer) { io.WriteString(w, ok+"Content-Length: 9000000000000000000\r\n\r\n{}") }, registry.Unavailable, ""},
		"wrong chunk":    {func(w io.Writer) { io.WriteString(w, ok+"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}") }, registry.Unavailable, ""},
		"no HTTP":        {func(w io.Writer) { io.WriteString(w, "SSH-2.0-x\r\n") }, registry.Unavailable, ""},
		"nothing":        {func(io.Writer) {}, registry.Unavailable, ""},
		"bomb":           {func(w io.Writer) { io.WriteString(w, ok+"Content-Encoding: gzip\r\n\r\n"+bomb) }, registry.Failed, "16 MiB"},
		"bomb in an error": {func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 500 No\r\nContent-Encoding: gzip\r\n\r\n"+bomb)
		}, registry.Failed, "16 MiB"},
		"half a bomb":  {func(w io.Writer) { io.WriteString(w, ok+"Content-Encoding: gzip\r\n\r\n"+zipped(1 << 20)[:500]) }, registry.Unavailable, ""},
		"no gzip":      {func(w io.Writer) { io.WriteString(w, ok+"Content-Encoding: gzip\r\n\r\n{}") }, registry.Unavailable, ""},
		"other coding": {func(w io.Writer) { io.WriteString(w, ok+"Content-Encoding: br\r\n\r\n\x0b\x02\x80{}\x03") }, registry.Failed, "compresses"},
		"redirects by turns": {func(w io.Writer) {
			fmt.Fprintf(w, "HTTP/1.1 302 Found\r\nLocation: /get?%d\r\nContent-Length: 0\r\n\r\n", time.Now().UnixNano())
		}, "", "302 Found: /get?"},
		"redirect of 2 MB": {func(w io.Writer) {
			fmt.Fprintf(w, "HTTP/1.1 302 Found\r\nLocation: http://other/%s\r\n\r\n", strings.Repeat("x", 2<<20))
		}, "", "302 Found"},
		"message of 15 MB": {func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 400 No\r\nContent-Type: application/json\r\n\r\n{\"message\":\""+strings.Repeat("x", 15<<20)+"\"}")
		}, registry.InvalidArguments, "400"},
	} {
		t.Run(name, func(t *testing.T) {
			kind, text := bounded(t, get, openapi.Client(quiet(t, raw(c.send)), nil), `{}`, c.kind)
			if kind != c.kind || !strings.Contains(text, c.says) || c.kind != "" && len(text) > 2000 || strings.HasPrefix(text, "302") && len(text) > 2100 {
				t.Errorf("%s: %.200s", kind, text)
			}
		})
	}
}

// A handler of this process can do less, and ends with the call.
func TestHostileHandlers(t *testing.T) {
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		kind  registry.Kind
		says  string
	}{
		"writes until it is given up": {func(w http.ResponseWriter, r *http.Request) {
			for chunk := make([]byte, 1<<16); r.Context().Err() == nil; {
				w.Write(chunk)
				time.Sleep(time.Millisecond)
			}
		}, registry.TimedOut, ""},
		"ends its goroutine": {func(http.ResponseWriter, *http.Request) { runtime.Goexit() }, registry.Internal, ""},
		"aborts":             {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{"); panic(http.ErrAbortHandler) }, registry.Failed, "aborted"},
		"less than its length": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			io.WriteString(w, "{}")
		}, registry.Failed, "aborted"},
		"other coding": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, zipped(1<<20))
		}, registry.Failed, "compresses"},
		"no such status": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(99999) }, registry.Failed, "99999"},
		"says 502 as it is given up": {func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			w.WriteHeader(http.StatusBadGateway)
		}, registry.TimedOut, ""},
		"hangs": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, registry.TimedOut, ""},
		"hijacks": {func(w http.ResponseWriter, _ *http.Request) {
			if _, _, err := http.NewResponseController(w).Hijack(); err == nil {
				panic("there is no connection")
			}
		}, "", "200 OK"},
	} {
		t.Run(name, func(t *testing.T) {
			kind, text := bounded(t, get, openapi.Handler(c.serve), `{}`, c.kind)
			if kind != c.kind || !strings.Contains(text, c.says) {
				t.Errorf("%s: %.200s", kind, text)
			}
		})
	}
}
