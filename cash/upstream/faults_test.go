package upstream_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/cashtest/faulty"
	"github.com/cash-mcp/go-sdk/cash/upstream"
)

// full is set in .ci/run for the tests that call sized.
var full = flag.Bool("full", false, "test with all sizes and combinations")

// sized returns a size, or the usual part of it.
func sized(all, usual int) int {
	if *full {
		return all
	}
	return usual
}

func TestMain(m *testing.M) {
	faulty.Main()
	speakMain()
	debug.SetGCPercent(400) // less of the time, more memory
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); runtime.GOMAXPROCS(0) < 4 && parallel.Value.String() == parallel.DefValue {
		_ = parallel.Value.Set("4") // those that run side by side mostly wait
	}
	code := m.Run()
	_ = os.RemoveAll(shopDir)
	os.Exit(code)
}

// ways are how a faulty server is reached.
var ways = map[string]func(testing.TB, *faulty.Server) upstream.Endpoint{
	"http": func(t testing.TB, f *faulty.Server) upstream.Endpoint {
		return upstream.HTTP{URL: f.HTTP(t), Client: f.Client(t)}
	},
	"http events": func(t testing.TB, f *faulty.Server) upstream.Endpoint {
		f.EventStream = true
		return upstream.HTTP{URL: f.HTTP(t), Client: f.Client(t)}
	},
	"stdio": func(t testing.TB, f *faulty.Server) upstream.Endpoint {
		cmd := f.Command(t)
		// Under the race detector a process takes a second to end, otherwise.
		return upstream.Command{Path: cmd.Path, Args: cmd.Args[1:], Env: []string{"GORACE=atexit_sleep_ms=0"}}
	},
}

// An effect says what a caller learns of whether the function has run.
type effect int

const (
	answered effect = iota // there is an answer
	notRun                 // it has not
	maybe                  // it may have
	unsaid                 // one of both, as the race between the server and the call goes
)

// What the call of a server says that has gone wrong since it was connected to,
// by the fault. The kind is the machine code; says is in the text.
var callFaults = map[faulty.Fault]struct {
	kind   string
	effect effect
	says   string
}{
	"refused":            {"UNAVAILABLE", unsaid, ""},
	"hang-before":        {"TIMEOUT", maybe, "did not answer within"},
	"hang-after":         {"TIMEOUT", maybe, "did not answer within"},
	"drip":               {"TIMEOUT", maybe, "did not answer within"},
	"crash":              {"UNAVAILABLE", maybe, ""},
	"exit":               {"UNAVAILABLE", maybe, ""},
	"html":               {"", maybe, ""}, // over stdio it is noise
	"unauthorized":       {"AUTH_FAILED", notRun, "401"},
	"forbidden":          {"DENIED", notRun, "403"},
	"not-found":          {"FAILED", notRun, "404"},
	"too-many-requests":  {"RATE_LIMITED", notRun, "7s"},
	"internal-error":     {"FAILED", maybe, "500"},
	"unavailable":        {"UNAVAILABLE", maybe, "503"},
	"redirect-307":       {"FAILED", notRun, "another host"},
	"redirect-308":       {"FAILED", notRun, "another host"},
	"redirect-loop":      {"FAILED", notRun, ""},
	"wrong-id":           {"", maybe, ""}, // over HTTP it is known at once that no answer comes
	"no-id":              {"", maybe, ""},
	"negative-id":        {"", maybe, ""},
	"fraction-id":        {effect: answered}, // rounded, it is the right one
	"truncated":          {"", maybe, ""},
	"deep":               {"", maybe, ""},
	"huge":               {"FAILED", maybe, "more than 1 MiB"},
	"not-rpc":            {"", maybe, ""},
	"null-result":        {"FAILED", maybe, "no proper answer"},
	"duplicate-keys":     {"", maybe, ""},
	"invalid-utf8":       {"", maybe, ""},
	"duplicate":          {effect: answered},
	"noise":              {effect: answered},
	"notification-flood": {effect: answered},
	"request-flood":      {effect: answered},
	"unknown-content":    {effect: answered},
	"broken-structured":  {effect: answered},
	"wrong-progress":     {effect: answered},
}

// Whatever goes wrong with a call, its caller gets one clear error that names
// the namespace, says whether the call may have happened and what to do; nothing
// is tried twice; other upstreams do not notice; and when the server is well
// again, so is its namespace.
func TestFaultsOfCalls(t *testing.T) {
	for _, fault := range faulty.Faults() {
		want, ok := callFaults[fault]
		if !ok {
			continue // of lists or connections: the next tests
		}
		for way, reach := range ways {
			if way == "stdio" && fault.HTTPOnly() || way == "http events" && mute[fault] && !*full {
				continue
			}
			t.Run(string(fault)+" over "+way, func(t *testing.T) {
				t.Parallel()
				f := new(faulty.Server)
				bad := unsound("bad", reach(t, f))
				if mute[fault] {
					bad.Timeout, bad.ConnectTimeout = 2*time.Second, 5*time.Second
				}
				if want.effect == answered {
					bad.Timeout = time.Minute // however busy the machine is
				}
				srv, agg, _ := aggregate(t, nil, bad, unsound("good", upstream.HTTP{URL: new(faulty.Server).HTTP(t)}))
				c := cashtest.Connect(t, srv)
				echo := map[string]any{"text": "hello"}
				recovered(t, agg, "bad") // a process may take longer to start
				if got := c.Call("bad", "echo", echo).OK().Text; got != "hello" {
					t.Fatalf("before the fault the answer is %q", got)
				}
				ran := f.Ran()
				f.SetFault(fault)
				r := c.Call("bad", "echo", echo)
				t.Log(r.Text)
				if n := f.Ran() - ran; n > 1 || want.effect == notRun && n > 0 {
					t.Errorf("the tool ran %d times", n)
				}
				if n := len(f.Elsewhere()); n > 0 {
					t.Errorf("%d requests went to another host", n)
				}
				if taken := f.Taken(); taken > 64<<20 {
					t.Errorf("%d bytes were taken", taken)
				}
				if r.IsError == (want.effect == answered) {
					t.Errorf("an error: %v", r.IsError)
				}
				if want.effect != answered {
					if code := r.Raw.Meta["cash/error"]; want.kind != "" && code != want.kind {
						t.Errorf("the code is %v, want %v", code, want.kind)
					}
					if !strings.Contains(r.Text, "`bad`") || !strings.Contains(r.Text, want.says) {
						t.Errorf("the error does not name the namespace or say %q", want.says)
					}
					not, may := strings.Contains(r.Text, "was not run"), strings.Contains(r.Text, "may have taken effect")
					if not == may || want.effect != unsaid && not != (want.effect == notRun) {
						t.Errorf("the error says that the function was not run: %v, that it may have taken effect: %v", not, may)
					}
				}
				if got := c.Call("good", "echo", echo).OK().Text; got != "hello" {
					t.Errorf("the other upstream answers %q", got)
				}
				f.Heal()
				recovered(t, agg, "bad")
				if got := c.Call("bad", "echo", echo).OK().Text; got != "hello" {
					t.Errorf("when it is well again the answer is %q", got)
				}
			})
		}
	}
}

func unsound(label string, e upstream.Endpoint) upstream.Server {
	return upstream.Server{
		Label: label, Description: "Faulty.", Endpoint: e,
		Timeout: 10 * time.Second, MaxMessage: 1 << 20,
	}
}

// mute says after which faults of calls no answer comes, whatever the way.
var mute = map[faulty.Fault]bool{
	"hang-before": true, "hang-after": true, "drip": true, "html": true,
	"wrong-id": true, "no-id": true, "negative-id": true, "truncated": true,
	"not-rpc": true, "deep": true, "duplicate-keys": true, "invalid-utf8": true,
}

// recovered waits until an upstream is connected.
func recovered(t *testing.T, agg *upstream.Aggregator, label string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	for {
		err := agg.Refresh(ctx, label)
		for _, s := range agg.Status() {
			if s.Labels[0] == label && s.State == upstream.Connected && err == nil {
				return
			}
		}
		if ctx.Err() != nil {
			t.Fatalf("%s is not connected again: %v; %+v", label, err, agg.Status())
		}
	}
}

// What a server lists may be anything: what can be used of it is served, the
// rest is named in the status, and nothing of it does harm.
func TestFaultsOfLists(t *testing.T) {
	unusable := map[faulty.Fault]bool{
		"same-cursor": true, "endless-cursors": true, // a list without an end
		"not-schema": true, // a message that is too deep
	}
	for _, fault := range []faulty.Fault{
		"duplicate-tools", "hostile-names", "hostile-descriptions", "long-names",
		"colliding-names", "cyclic-schema", "diamond-schema", "not-schema",
		"enum-schema", "deep-schema", "no-object-schema", "output-schema",
		"list-changing", "same-cursor", "endless-cursors", "huge-instructions",
	} {
		for way, reach := range ways {
			t.Run(string(fault)+" over "+way, func(t *testing.T) {
				t.Parallel()
				f := &faulty.Server{Fault: fault}
				s := unsound("bad", reach(t, f))
				s.MaxMessage = upstream.DefaultMaxMessage
				srv, agg, _ := aggregate(t, nil, s)
				c := cashtest.Connect(t, srv)
				st := agg.Status()[0]
				t.Logf("%v, %d functions, quarantined %d, notes %q, %v", st.State, st.Functions, len(st.Quarantined), st.Notes, st.Err)
				index := c.Help("", "").OK().Text
				if off := strings.Contains(index, "**bad** — Faulty. (available: false)"); off != unusable[fault] {
					t.Errorf("help() says:\n%s", index)
				}
				if unusable[fault] {
					return
				}
				for _, text := range append([]string{index}, pages(c, "bad")...) {
					if i := strings.IndexFunc(text, hostile); i >= 0 {
						t.Errorf("a page of help has %U", []rune(text[i:])[0])
					}
					if len(text) > 50_000 {
						t.Errorf("a page of help has %d bytes", len(text))
					}
				}
				if fault != "duplicate-tools" {
					if got := c.Call("bad", "echo", map[string]any{"text": "hello"}).OK().Text; got != "hello" {
						t.Errorf("echo answers %q", got)
					}
				}
			})
		}
	}
}

// pages returns the pages of help of a namespace and its functions.
func pages(c *cashtest.Client, namespace string) []string {
	page := c.Tool("help", map[string]any{"namespace": namespace, "kwargs": map[string]any{"format": "json"}})
	list := []string{page.Text, c.Help(namespace, "").Text}
	var index struct{ Functions []struct{ Name string } }
	if json.Unmarshal([]byte(page.Text), &index) != nil {
		return list
	}
	for _, f := range index.Functions {
		list = append(list, c.Help(namespace, f.Name).Text)
	}
	return list
}

// hostile reports characters that no page may have.
func hostile(r rune) bool {
	switch {
	case r == '\n':
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0: // control characters, escape sequences
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f: // invisible, bidi
		return true
	}
	return r == 0xfeff || r >= 0xe0000 && r <= 0xe007f
}

// A server that cannot be connected to is shown as unavailable, with what is
// known of it, and says why; then it is there.
func TestFaultsOfConnections(t *testing.T) {
	for _, fault := range []faulty.Fault{
		"refused", "certificate", "hang-before", "drip", "crash",
		"html", "unauthorized", "forbidden", "not-found",
		"too-many-requests", "internal-error", "redirect-308", "wrong-id",
		"truncated", "deep", "huge", "not-rpc", "null-result",
	} {
		for way, reach := range ways {
			if way == "stdio" && fault.HTTPOnly() {
				continue
			}
			t.Run("R132 "+string(fault)+" over "+way, func(t *testing.T) {
				t.Parallel()
				f := &faulty.Server{Fault: fault, At: faulty.AtConnect}
				s := unsound("bad", reach(t, f))
				s.ConnectTimeout = 10 * time.Second
				if mute[fault] {
					s.ConnectTimeout = 3 * time.Second
				}
				srv, agg, _ := aggregate(t, nil, s)
				c := cashtest.Connect(t, srv)
				t.Log(agg.Status()[0].Err)
				if text := c.Help("", "").OK().Text; !strings.Contains(text, "- **bad** — Faulty. (available: false)") {
					t.Errorf("help() says:\n%s", text)
				}
				var index struct{ Namespaces []map[string]any }
				c.Tool("help", map[string]any{"kwargs": map[string]any{"format": "json"}}).Decode(&index)
				if len(index.Namespaces) != 1 || index.Namespaces[0]["available"] != false {
					t.Errorf("help() as JSON says %v", index.Namespaces)
				}
				r := c.Call("bad", "echo", map[string]any{"text": "hello"})
				t.Log(r.Text)
				if !r.IsError || !strings.Contains(r.Text, "`bad` is temporarily unavailable") || r.Raw.Meta["cash/error"] != downKind(fault) {
					t.Errorf("a call is answered with %v: %s", r.Raw.Meta, r.Text)
				}
				if n := len(f.Elsewhere()); n > 0 {
					t.Errorf("%d requests went to another host", n)
				}
				f.Heal()
				recovered(t, agg, "bad")
				if text := c.Help("", "").OK().Text; strings.Contains(text, "available: false") {
					t.Errorf("when it is there help() says:\n%s", text)
				}
				if got := c.Call("bad", "echo", map[string]any{"text": "hello"}).OK().Text; got != "hello" {
					t.Errorf("the answer is %q", got)
				}
			})
		}
	}
}

// downKind is the code of the error for a call of a server that is down because
// of a fault.
func downKind(fault faulty.Fault) string {
	switch fault {
	case "unauthorized":
		return "AUTH_FAILED"
	case "forbidden":
		return "DENIED"
	}
	return "UNAVAILABLE"
}

// A server that is there every other time answers every other call at least, and
// is never asked twice for one.
func TestW39Flapping(t *testing.T) {
	for way, reach := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			f := &faulty.Server{Fault: "flapping"}
			srv, agg, _ := aggregate(t, nil, unsound("bad", reach(t, f)), unsound("good", upstream.HTTP{URL: new(faulty.Server).HTTP(t)}))
			c := cashtest.Connect(t, srv)
			echo := map[string]any{"text": "hello"}
			answers := 0
			for range 10 {
				r := c.Call("bad", "echo", echo)
				switch {
				case !r.IsError:
					answers++
				case !strings.Contains(r.Text, "`bad`"):
					t.Errorf("the error is %s", r.Text)
				}
				recovered(t, agg, "bad")
				if got := c.Call("good", "echo", echo).OK().Text; got != "hello" {
					t.Errorf("the other upstream answers %q", got)
				}
			}
			if ran := f.Ran(); answers < 3 || ran > 10 {
				t.Errorf("%d of 10 calls were answered, the tool ran %d times", answers, ran)
			}
		})
	}
}
