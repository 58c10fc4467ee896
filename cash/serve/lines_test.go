package serve_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
)

// TestMalformedLines holds that a server on standard input outlives what is
// not a message, answers it, and goes on.
func TestMalformedLines(t *testing.T) {
	before := runtime.NumGoroutine()
	serverIn, out := io.Pipe()
	in, serverOut := io.Pipe()
	srv := cash.NewServer(whoami(), nil)
	ended := make(chan error, 1)
	go func() {
		ended <- srv.Run(context.Background(), &mcp.IOTransport{Reader: serverIn, Writer: serverOut, MaxLineLength: 100_000})
	}()
	r := bufio.NewReader(in)
	exchange := func(line string) string {
		t.Helper()
		go io.WriteString(out, line+"\n")
		answer, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	got := exchange(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	if !strings.Contains(got, `"id":"init"`) {
		t.Fatal(got)
	}
	io.WriteString(out, "\n \r\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	for i, tt := range []struct{ line, want, id string }{
		{`hello`, "-32700", "null"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"na`, "-32700", "null"},
		{`{"jsonrpc":"2.0","id":1} trailing`, "-32700", "null"},
		{"\xff\xfe", "-32700", "null"},
		{`7`, "-32600", "null"},
		{`null`, "-32600", "null"},
		{`{}`, "-32600", "null"},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, "-32600", "1"},
		{`[]`, "-32600", "null"},
		{`[1,`, "-32700", "null"},
		{`[7]`, "-32600", "null"},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "-32600", "null"},
		{strings.Repeat("x", 200_000), "-32600", "null"},
		{strings.Repeat("[", 50_000), "-32600", "null"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat(`{"a":`, 5_000) + `1` + strings.Repeat(`}`, 5_000) + `}`, "-32600", "1"},
	} {
		if got := exchange(tt.line); !strings.Contains(got, tt.want) || !strings.Contains(got, `"id":`+tt.id+`,`) {
			t.Errorf("%.60s: %s", tt.line, got)
		}
		ping := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"call","arguments":{"function":"whoami"}}}`, i+100)
		if got := exchange(ping); !strings.Contains(got, "nobody") {
			t.Errorf("after %.60s: %s", tt.line, got)
		}
	}
	got = exchange(`[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","id":"b","method":"ping"}]`)
	next, err := r.ReadString('\n')
	if err != nil || !strings.Contains(got+next, `"id":"a"`) || !strings.Contains(got+next, `"id":"b"`) {
		t.Errorf("a batch: %s %s %v", got, next, err)
	}
	out.Close()
	if err := <-ended; err != nil {
		t.Errorf("Run: %v", err)
	}
	in.Close()
	waitForGoroutines(t, before)
}
