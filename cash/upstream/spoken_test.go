package upstream_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/upstream"
)

// A speech is what a server says by hand to a request: say sends a message, and an
// empty one is silence, in which the client is left to wait. It reports false for
// requests that are answered as usual.
type speech func(r spoken, say func(message string)) bool

// spoken is a request as it is on the wire.
type spoken struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name, Cursor string
		Meta         struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
}

// answer is the response with a result.
func (r spoken) answer(result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result)
}

// refuse is the response with an error.
func (r spoken) refuse(problem string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, r.ID, problem)
}

// speeches are all of them, by name: a process finds its own here.
var speeches = make(map[string]speech)

const speechVariable = "UPSTREAM_TEST_SPEECH"

// stages are the ways to reach a server that holds a speech: all transports, and
// HTTP in both generations of the protocol.
func stages(t testing.TB, name string) map[string]upstream.Endpoint {
	t.Helper()
	s := speeches[name]
	if s == nil {
		t.Fatalf("there is no speech %q", name)
	}
	return map[string]upstream.Endpoint{
		"stdio":           upstream.Command{Path: os.Args[0], Env: []string{speechVariable + "=" + name, "GORACE=atexit_sleep_ms=0"}},
		"http 2025-11-25": speakHTTP(t, s, &mcp.StreamableHTTPOptions{}),
		"http 2026-07-28": speakHTTP(t, s, &mcp.StreamableHTTPOptions{Stateless: true}),
	}
}

// speakMain is the main function of the process of a speech. In all others it does
// nothing.
func speakMain() {
	s := speeches[os.Getenv(speechVariable)]
	if s == nil {
		return
	}
	usual := handmade(func(string, json.RawMessage) (string, error) { return "", nil })
	out := bufio.NewWriterSize(os.Stdout, 64<<10)
	say := func(message string) {
		if message == "" {
			return
		}
		_, err := out.WriteString(message + "\n")
		if err != nil {
			os.Exit(1)
		}
	}
	for in := bufio.NewReader(os.Stdin); ; _ = out.Flush() {
		line, err := in.ReadBytes('\n')
		if err != nil {
			os.Exit(0)
		}
		var r spoken
		if _ = json.Unmarshal(line, &r); r.ID == nil || r.Method == "" || s(r, say) {
			continue
		}
		if result, err := usual.answer(r.Method, nil); err == nil {
			say(r.answer(result))
		} else {
			say(r.refuse(`{"code":-32601,"message":"what?"}`))
		}
	}
}

// speakHTTP serves a speech over HTTP, as events.
func speakHTTP(t testing.TB, s speech, opts *mcp.StreamableHTTPOptions) upstream.Endpoint {
	srv := tools(map[string]mcp.ToolHandler{"run": saying("done")})
	proper := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, opts)
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m spoken
		_ = json.Unmarshal(body, &m)
		out := bufio.NewWriterSize(w, 64<<10)
		say := func(message string) {
			if message == "" {
				_ = out.Flush()
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			if _, err := fmt.Fprintf(out, "data: %s\n\n", message); err != nil {
				panic(http.ErrAbortHandler)
			}
		}
		if m.ID != nil && s(m, say) {
			_ = out.Flush()
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		proper.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		ts.CloseClientConnections()
		ts.Close()
	})
	return upstream.HTTP{URL: ts.URL}
}
