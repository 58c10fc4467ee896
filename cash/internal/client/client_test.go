package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// endless is a server whose list of tools does not end, and whose tool hangs.
type endless struct{ pages int }

func (e *endless) Run(ctx context.Context, t mcp.Transport) error {
	srv := mcp.NewServer(&mcp.Implementation{Name: "endless", Version: "1"}, nil)
	srv.AddTool(&mcp.Tool{Name: "hang", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
	srv.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/list" {
				e.pages++
				return &mcp.ListToolsResult{Tools: []*mcp.Tool{}, NextCursor: fmt.Sprint(e.pages)}, nil
			}
			return next(ctx, method, req)
		}
	})
	return srv.Run(ctx, t)
}

// TestBounds: neither a list without an end nor a call without an answer holds a client.
func TestBounds(t *testing.T) {
	e := new(endless)
	c, err := Dial(t.Context(), InMemory(t.Context(), e), &Options{Version: "2025-11-25", Timeout: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Tool("hang", nil); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 200ms") {
		t.Errorf("error %v, want that of the deadline", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if c, err = Dial(t.Context(), InMemory(t.Context(), e), nil); err != nil {
		t.Fatal(err)
	}
	if _, pages, err := c.Tools(); pages != maxPages || err != nil {
		t.Errorf("%d pages, error %v", pages, err)
	}
	if n := c.Sent.Load(); n != maxPages {
		t.Errorf("%d requests are counted, want %d", n, maxPages)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// stuck is a transport that does not look at its context.
type stuck chan struct{}

func (s stuck) Connect(context.Context) (mcp.Connection, error) {
	<-s
	return nil, errors.New("free")
}

// TestStuck: a transport that is stuck is given up.
func TestStuck(t *testing.T) {
	s := make(stuck)
	defer close(s)
	if _, err := Dial(t.Context(), s, &Options{Timeout: time.Millisecond}); err == nil || !strings.Contains(err.Error(), "no answer within 1ms") {
		t.Errorf("error %v, want that of the deadline", err)
	}
}

func TestReadLine(t *testing.T) {
	r := bufio.NewReaderSize(strings.NewReader("ab\n"+strings.Repeat("x", 40)+"\nlast"), 16)
	for _, want := range []string{"ab\n", strings.Repeat("x", 40) + "\n", "last"} {
		if line, _ := ReadLine(r, 41); string(line) != want {
			t.Errorf("line %q, want %q", line, want)
		}
	}
	r = bufio.NewReaderSize(strings.NewReader(strings.Repeat("x", 40)), 16)
	if line, err := ReadLine(r, 20); !errors.Is(err, bufio.ErrTooLong) || len(line) <= 20 {
		t.Errorf("%d bytes, error %v", len(line), err)
	}
}
