//go:build unix

package mcpclient_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

// bearing bounds what servers say before they answer.
var bearing = mcpclient.Options{
	Limits: mcpclient.Limits{Unanswered: 1000}, After: atOnce,
	Notified: func(string, json.RawMessage) bool { return true },
}

// What a server says before it answers is bounded, by every transport: the call
// fails with what was the matter.
func TestFlooded(t *testing.T) {
	for name, tr := range map[string]func(t *testing.T) mcp.Transport{
		"command":           func(*testing.T) mcp.Transport { return mcpclient.Stdio(child("scripted"), bearing) },
		"SSE":               func(t *testing.T) mcp.Transport { return mcpclient.SSE(newOld(t).URL+"/sse", nil, bearing) },
		"HTTP":              func(t *testing.T) mcp.Transport { return mcpclient.HTTP(newChatty(t, false).URL, nil, bearing) },
		"HTTP, sessionless": func(t *testing.T) mcp.Transport { return mcpclient.HTTP(newChatty(t, true).URL, nil, bearing) },
	} {
		t.Run(name, func(t *testing.T) {
			version := legacy
			if name == "HTTP, sessionless" {
				version = ""
			}
			cs := connect(t, tr(t), version, nil)
			for range 3 { // they are not summed up
				o := call(deadline(t), cs, "notify 400 400")
				if o.err != nil || o.x.Messages() < 400 {
					t.Fatalf("%v after %d messages", o.err, o.x.Messages())
				}
			}
			wantFine(t, cs)
			o := call(deadline(t), cs, "notify 1500 0")
			wantClass(t, o, mcpclient.Flooded, true)
			if o.wire.Reason != "it sent more than 1,000 messages before it answered" || o.x.Messages() <= 1000 {
				t.Errorf("after %d messages the reason is %q", o.x.Messages(), o.wire.Reason)
			}
			if name == "HTTP" || name == "HTTP, sessionless" { // where each call has a way of its own
				wantFine(t, cs)
			}
		})
	}
}

// newChatty returns a server that notifies before and after it answers.
func newChatty(t *testing.T, stateless bool) *faulty {
	f := newFaulty(t, stateless)
	f.get = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMethodNotAllowed) }
	f.named = func(w http.ResponseWriter, tool, id string) bool {
		var before, after int
		if n, _ := fmt.Sscanf(tool, "notify %d %d", &before, &after); n != 2 {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		out := bufio.NewWriter(w)
		notify(out, "data: %s\n\n", before, answer(id), after)
		_ = out.Flush()
		return true
	}
	return f
}

// Who gives up a call knows how much the server has said meanwhile, and what it says
// while nothing is asked of it does not count.
func TestMessagesBeforeGivingUp(t *testing.T) {
	o := bearing
	o.Unanswered = 5000
	cs := connect(t, mcpclient.Stdio(child("scripted"), o), legacy, nil)
	got := abandon(t, cs, "notify but hang", func(x *mcpclient.Exchange) bool { return x.Messages() >= 2000 })
	if !errors.Is(got.err, context.Canceled) || got.x.Messages() != 2000 {
		t.Errorf("%v after %d messages", got.err, got.x.Messages())
	}
	cs = connect(t, mcpclient.Stdio(child("scripted"), bearing), legacy, nil)
	done := call(deadline(t), cs, "notify 0 5000")
	if done.err != nil {
		t.Fatal(done.err)
	}
	for began := time.Now(); done.x.Messages() < 5000 && time.Since(began) < 20*time.Second; {
		runtime.Gosched()
	}
	wantFine(t, cs)
	if new(mcpclient.Exchange).Messages() != 0 {
		t.Error("messages without a request")
	}
}
