package mcpclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

// FuzzLines compares the lines that are read with those that there are.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{"", "a\nb\n", "a\n\nb", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nb", "a\r\nb\r", strings.Repeat("\n", 40)} {
		f.Add([]byte(seed), 5)
		f.Add([]byte(seed), 100)
	}
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		limit = max(1, limit&0xfff)
		got, ok := mcpclient.ReadLines(data, limit)
		want := bytes.Split(data, []byte("\n"))
		if len(want[len(want)-1]) == 0 {
			want = want[:len(want)-1]
		}
		if !ok || len(got) != len(want) {
			t.Fatalf("%d lines, ok %v; want %d", len(got), ok, len(want))
		}
		for i, line := range want {
			if len(line) > limit {
				line = nil
			}
			if !bytes.Equal(got[i], line) || (got[i] == nil) != (line == nil) {
				t.Errorf("line %d is %q; want %q", i, got[i], line)
			}
		}
	})
}

// FuzzEvents compares the data of events with those of a reader that has all the
// time and memory.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{
		"data: a\n\n", "data:a\r\n\r\n", "data: a\ndata: b\n\n", "id: 1\n\ndata\n\n", "\ufeffdata: a", ": c\ndata:  a \n\n\n\ndata:b",
		"data: " + strings.Repeat("x", 200) + "\n\ndata: y\n\n", "event: e\nretry: 5\ndata:\ndata:\n\n", "dat: a\n\n:\n\nx\n",
		strings.Repeat(":", 100) + "\ndata: " + strings.Repeat("é", 30) + "\r\n",
	} {
		f.Add([]byte(seed), 20)
		f.Add([]byte(seed), 1000)
	}
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		limit = max(1, limit&0xfff)
		events, ok := mcpclient.ReadEvents(data, limit)
		if !ok {
			t.Fatal("reading ended before the end")
		}
		var got [][]byte
		for _, e := range events {
			if e == nil || len(e) > 0 {
				got = append(got, e)
			}
		}
		want := naive(data, limit)
		if len(got) != len(want) {
			t.Fatalf("%q; want %q", got, want)
		}
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				t.Errorf("event %d is %q; want %q", i, got[i], want[i])
			}
		}
	})
}

// naive returns the data of events, without those that have none; nil stands for
// data that are too large.
func naive(data []byte, limit int) (all [][]byte) {
	var event []byte
	some := false
	end := func() {
		if some && len(event) > limit {
			all = append(all, nil)
		} else if some && len(event) > 0 {
			all = append(all, event)
		}
		event, some = nil, false
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	rest := bytes.Split(data, []byte("\n"))
	for i, line := range rest {
		if i < len(rest)-1 {
			line = bytes.TrimSuffix(line, []byte("\r"))
		}
		key, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case len(line) == 0:
			end()
		case string(key) == "data":
			if some {
				event = append(event, '\n')
			}
			event, some = append(event, bytes.TrimPrefix(value, []byte(" "))...), true
		}
	}
	end()
	return all
}

// FuzzStream has a server answer a call with any stream, or any JSON: the call
// ends, a result is what was sent, and the session goes on.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"data: " + answer(`ID`) + "\n\n", "data: {\"jsonrpc\":\"2.0\",\"id\":ID,\n\n", "data: x\n\n", "id: 1\nretry: 0\ndata:\n\n",
		"data: [" + answer(`ID`) + "," + answer("9") + "]\n\n", answer("ID"), "[" + answer("ID") + "]", `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`,
		"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{}}\n\n",
		`{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":1}]}}`,
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	var reply string
	kind := "text/event-stream"
	respond := func(req *http.Request, code int, kind, body string) (*http.Response, error) {
		return &http.Response{
			StatusCode: code, Header: http.Header{"Content-Type": {kind}}, ContentLength: -1,
			Body: io.NopCloser(strings.NewReader(body)), Request: req,
		}, nil
	}
	server := roundTripper(func(req *http.Request) (*http.Response, error) {
		if req.Method != http.MethodPost {
			return respond(req, 405, "", "")
		}
		body, _ := io.ReadAll(req.Body)
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		_ = json.Unmarshal(body, &m)
		switch {
		case m.Method == "initialize":
			return respond(req, 200, "application/json", `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
		case m.Params.Name == "fuzz":
			return respond(req, 200, kind, strings.ReplaceAll(reply, "ID", string(m.ID)))
		case m.Method == "tools/call":
			return respond(req, 200, "application/json", answer(string(m.ID)))
		}
		return respond(req, 202, "", "")
	})
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil).Connect(context.Background(),
		mcpclient.HTTP("http://server.example/", &http.Client{Transport: server}, small), &mcp.ClientSessionOptions{ProtocolVersion: legacy})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string, stream bool) {
		reply, kind = body, "application/json"
		if stream {
			kind = "text/event-stream"
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		o := call(ctx, cs, "fuzz")
		if errors.Is(o.err, context.DeadlineExceeded) || errors.Is(o.err, mcp.ErrConnectionClosed) && !isRPC(body) {
			t.Fatalf("the call did not end: %v", o.err)
		}
		if o.err == nil && (o.x.Err() != nil || !json.Valid(o.x.Result())) {
			t.Fatalf("result %s, error %v", o.x.Result(), o.x.Err())
		}
		wantFine(t, cs)
	})
}

// isRPC reports whether a body may have the codes that the SDK takes for the end
// of a connection.
func isRPC(body string) bool {
	return strings.Contains(body, "error")
}

// FuzzNotification holds that a notification means the same as to the SDK.
func FuzzNotification(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`, ` { "method" : "a\u0062" , "jsonrpc":"2.0" } `,
		`{"jsonrpc":"2.0","method":"a","id":null}`, `{"jsonrpc":"2.0","method":""}`, `{"jsonrpc":"2.0","METHOD":"a"}`, `{"jsonrpc":"2.0","method":"a","params":[]}`,
		`{"jsonrpc":"1.0","method":"a"}`, `{"jsonrpc":"2.0","method":"a","params":null}`, `{"jsonrpc":"2.0","method":"a","x":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := mcpclient.Notification(raw)
		if got == nil {
			return
		}
		m, err := jsonrpc.DecodeMessage(raw)
		want, ok := m.(*jsonrpc.Request)
		if err != nil || !ok || want.IsCall() || got.IsCall() || got.Method != want.Method || string(got.Params) != string(want.Params) {
			t.Fatalf("%s is %+v; to the SDK it is %+v, %v", raw, got, m, err)
		}
	})
}

// BenchmarkNotifications is what it costs to hear a server out.
func BenchmarkNotifications(b *testing.B) {
	raw := []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p1","progress":17,"message":"step 17"}}`)
	b.ReportAllocs()
	for b.Loop() {
		if mcpclient.Notification(raw) == nil {
			b.Fatal("not read")
		}
	}
}
