package serve_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// heads are those of requests whose bodies do not come.
var heads = map[string]string{
	"post":        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n{",
	"sessionless": "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2026-07-28\r\nContent-Length: 1000\r\n\r\n{",
	"chunked":     "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
	"large":       "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 4000000\r\n\r\n" + strings.Repeat(" ", 100_000),
	"too large":   "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 40000000\r\n\r\n{",
	"refused":     "POST / HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\nContent-Length: 1000\r\n\r\n{",
	"get":         "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{",
	"delete":      "DELETE / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{",
}

// open sends the head of a request, and returns what comes back until the server
// closes the connection.
func open(t *testing.T, url, head string) func() (string, error) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, head); err != nil {
		t.Fatal(err)
	}
	return func() (string, error) {
		conn.SetReadDeadline(time.Now().Add(patience))
		all, err := io.ReadAll(conn)
		return string(all), err
	}
}

// TestSlowBodies holds that a body that does not come ends its request, whoever refuses that and whoever bounds it, and
// that a call which takes longer than a body may is not cut off.
func TestSlowBodies(t *testing.T) {
	const short = 200 * time.Millisecond
	t.Run("BodyTimeout", func(t *testing.T) { slowBodies(t, serve.Options{BodyTimeout: short}, &http.Server{}) })
	t.Run("ReadTimeout", func(t *testing.T) {
		slowBodies(t, serve.Options{}, &http.Server{ReadTimeout: short, IdleTimeout: time.Minute})
	})
}

func slowBodies(t *testing.T, o serve.Options, web *http.Server) {
	release := make(chan struct{})
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("wait", "Wait.", func(ctx context.Context, _ struct{}) (string, error) {
		select {
		case <-release:
			return "waited", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}))
	ts := httptest.NewUnstartedServer(cash.NewServer(reg, &cash.Options{Serve: o}).Handler())
	ts.Config.ReadTimeout, ts.Config.IdleTimeout = web.ReadTimeout, web.IdleTimeout
	ts.Start()
	t.Cleanup(ts.Close)
	var calls sync.WaitGroup
	for _, v := range generations {
		s := dial(t, ts.URL, v, nil)
		calls.Go(func() {
			if text, isErr := call(t, s, "wait"); text != "waited" || isErr {
				t.Errorf("%s: a long call: %s", v, text)
			}
		})
	}
	for name, head := range heads {
		got, err := open(t, ts.URL, head)()
		status := map[string]string{"refused": " 403 ", "get": " 400 ", "delete": " 400 ", "too large": " 413 "}[name]
		if status == "" {
			status = " 408 "
		}
		if err != nil || !strings.Contains(got, status) {
			t.Errorf("%s: %.200q, %v", name, got, err)
		}
	}
	close(release) // longer than any body may take
	calls.Wait()
}

// TestShutdownWaitsForNoBody holds that what has not sent its request does not hold
// up a server that stops, and that what it is doing is finished.
func TestShutdownWaitsForNoBody(t *testing.T) {
	reg, called := registry.New(nil), make(chan struct{})
	release := make(chan struct{})
	reg.Namespace("", "").Add(registry.Func("wait", "Wait.", func(context.Context, struct{}) (string, error) {
		close(called)
		<-release
		return "waited", nil
	}))
	srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{BodyTimeout: time.Hour}}) // no other bound helps
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(web.Close)
	var got []func() (string, error)
	for _, head := range heads {
		got = append(got, open(t, web.URL, head))
	}
	s := dial(t, web.URL, "2026-07-28", nil)
	answer := make(chan string, 1)
	go func() {
		text, _ := call(t, s, "wait")
		answer <- text
	}()
	<-called
	ended := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		ended <- srv.Shutdown(ctx)
	}()
	for _, read := range got {
		if text, err := read(); err != nil || !strings.HasPrefix(text, "HTTP/1.1 ") {
			t.Errorf("%.100q, %v", text, err)
		}
	}
	close(release)
	if text := <-answer; text != "waited" {
		t.Errorf("the call in flight: %s", text)
	}
	if err := <-ended; err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	limit, cancel := context.WithTimeout(context.Background(), patience) // it waits 5 s for unused connections
	defer cancel()
	if err := web.Config.Shutdown(limit); err != nil {
		t.Errorf("the HTTP server: %v", err)
	}
}

// TestBodyBounds holds that a body is bounded before it is read, that all large ones
// together are, and that small ones need not wait for them.
func TestBodyBounds(t *testing.T) {
	const limit = 200_000
	_, url := start(t, serve.Options{MaxBody: limit, BodyTimeout: time.Minute}, nil)
	head := func(length int) string {
		return fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2026-07-28\r\nContent-Length: %d\r\n\r\n", length)
	}
	got, err := open(t, url, head(limit+1)+`{"jsonrpc":"2.0","id":"mine","method":"tools/call"`+strings.Repeat(" ", 5_000))()
	if err != nil || !strings.Contains(got, " 413 ") || !strings.Contains(got, `"id":"mine"`) {
		t.Errorf("%q, %v", got, err)
	}
	// Of nine of the largest, of which the last byte does not come, eight have room.
	first := make(chan string, 9)
	for range 9 {
		read := open(t, url, head(limit)+strings.Repeat(" ", limit-1))
		go func() {
			text, _ := read()
			first <- text
		}()
	}
	if text, _ := call(t, dial(t, url, "2026-07-28", nil), "whoami"); text != "nobody" {
		t.Errorf("a small body: %s", text)
	}
	if text := <-first; !strings.Contains(text, " 503 ") || !strings.Contains(text, "Retry-After: ") {
		t.Errorf("one too many: %q", text)
	}
}

// TestLongBodiesAreRead holds that a client that is still writing a body above the limit, which said no length, can go
// on for a while, and reads the answer.
func TestLongBodiesAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, more = 200_000, 100_000
		srv := cash.NewServer(registry.New(nil), &cash.Options{Serve: serve.Options{MaxBody: limit}})
		var err error
		conn := pipe(t, srv.Handler())(func(conn net.Conn) {
			conn.SetDeadline(time.Now().Add(time.Minute))
			_, err = fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n",
				limit+more, strings.Repeat(" ", limit+more))
		})
		defer conn.Close()
		res, unread := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || unread != nil || res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("written: %v, read: %v, %v", err, unread, res)
		}
		time.Sleep(time.Minute)
	})
}

// TestBodiesWithoutLength holds that a body of unknown or wrong length is refused above a small limit, and read below a
// large one, as often as it comes.
func TestBodiesWithoutLength(t *testing.T) {
	for _, tt := range []struct {
		limit        int64
		length, size int // length is what the request says
		status       int
	}{{1_000, -1, 100_000, 413}, {1_000, -1, 2_000, 413}, {200_000, 100, 100_000, 200}, {200_000, 100, 200_001, 413}} {
		srv := cash.NewServer(registry.New(nil), &cash.Options{Serve: serve.Options{MaxBody: tt.limit}})
		for range 10 { // more than have room at a time
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{` + usualMeta + `}}}`
			r := httptest.NewRequest("POST", "/", strings.NewReader(body+strings.Repeat(" ", tt.size-len(body))))
			r.ContentLength = int64(tt.length)
			for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
				"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"} {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			srv.Handler().ServeHTTP(w, r)
			if w.Code != tt.status {
				t.Fatalf("%+v: %d %.200s", tt, w.Code, w.Body)
			}
		}
	}
}
