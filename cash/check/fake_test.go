package check_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A fake is a server of the two generations that does everything right and has
// nothing to offer, but for its fault.
type fake struct {
	// fault gets what came, its method if it has one, and the right answers. It
	// returns those to give. Nil is none.
	fault func(data []byte, method string, right []string) []string
	// status, if not nil, may return another status than the right one, or 0.
	status func(r *http.Request, method string) int

	mu       sync.Mutex
	sessions map[string]bool
}

// Verdicts of a fault, in place of answers.
var (
	hang = []string{"hang"} // never answers anything again
	exit = []string{"exit"}
)

const (
	maxLine   = 4 << 20
	safe      = 1<<53 - 1
	parse     = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not JSON"}}`
	invalid   = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is not a request"}}`
	discovery = `{"supportedVersions":["2025-11-25","2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`
	tools     = `{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer"}}}}]}`
)

// serve speaks over two pipes.
func (f *fake) serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	defer context.AfterFunc(ctx, func() { _ = in.Close() })()
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			answers := f.handle(line)
			switch {
			case len(answers) == 1 && answers[0] == hang[0]:
				_, _ = io.Copy(io.Discard, in)
				return nil
			case len(answers) == 1 && answers[0] == exit[0]:
				return fmt.Errorf("a fault")
			}
			for _, a := range answers {
				if _, err := io.WriteString(out, a+"\n"); err != nil {
					return err
				}
			}
		}
		if err != nil {
			return nil
		}
	}
}

// handle returns the answers to what came.
func (f *fake) handle(data []byte) []string {
	method, answers := sound(data)
	if f.fault != nil {
		answers = f.fault(data, method, answers)
	}
	return answers
}

// sound returns the right answers.
func sound(data []byte) (method string, answers []string) {
	if len(data) > maxLine || strictjson.Check(data) != nil {
		return "", []string{parse}
	}
	m := maps.Collect(strictjson.Members(data))
	if string(m["jsonrpc"]) != `"2.0"` {
		return "", []string{invalid}
	}
	id, hasID := m["id"]
	if _, ok := m["method"]; !ok {
		if _, ok := m["result"]; ok == (m["error"] != nil) {
			return "", []string{invalid}
		}
		return "", nil
	}
	switch {
	case m["method"][0] != '"' || json.Unmarshal(m["method"], &method) != nil:
		return "", []string{invalid}
	case !hasID:
		return method, nil
	case !isID(string(id)):
		return method, []string{invalid}
	}
	result := map[string]string{"ping": "{}", "server/discover": discovery, "tools/list": tools}[method]
	if method == "initialize" {
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`
	}
	if result == "" {
		return method, []string{failed(id, -32601, "there is no such method")}
	}
	return method, []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)}
}

func failed(id []byte, code int, text string) string {
	quoted, _ := json.Marshal(text) // a string can be encoded
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quoted)
}

func isID(id string) bool {
	if id[0] == '"' {
		return true
	}
	n, err := strconv.ParseInt(id, 10, 64)
	return err == nil && n <= safe && n >= -safe && strconv.FormatInt(n, 10) == id
}

// ServeHTTP speaks over HTTP.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	session := r.Header.Get("Mcp-Session-Id")
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLine))
	method, _ := sound(body)
	f.mu.Lock()
	known := f.sessions[session]
	f.mu.Unlock()
	status := 0
	if f.status != nil {
		status = f.status(r, method)
	}
	switch {
	case status != 0:
		http.Error(w, "a fault", status)
	case r.Method == http.MethodDelete && known:
		f.forget(session)
		w.WriteHeader(http.StatusNoContent)
	case r.Method != http.MethodPost:
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
	case err != nil:
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
	case kind != "application/json":
		http.Error(w, "JSON only", http.StatusUnsupportedMediaType)
	case session != "" && !known:
		http.Error(w, "no such session", http.StatusNotFound)
	default:
		f.reply(w, session, method, f.handle(body))
	}
}

func (f *fake) reply(w http.ResponseWriter, session, method string, answers []string) {
	if method == "initialize" && session == "" {
		w.Header().Set("Mcp-Session-Id", f.begin())
	}
	switch {
	case len(answers) == 0:
		w.WriteHeader(http.StatusAccepted)
		return
	case len(answers) == 1 && answers[0] == exit[0]:
		panic(http.ErrAbortHandler)
	case len(answers) > 1: // as a stream
		w.Header().Set("Content-Type", "text/event-stream")
		for _, a := range answers {
			_, _ = fmt.Fprintf(w, "event: message\ndata: %s\n\n", a)
		}
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if strings.HasPrefix(answers[0], `{"jsonrpc":"2.0","id":null`) {
		w.WriteHeader(http.StatusBadRequest)
	}
	_, _ = io.WriteString(w, answers[0])
}

func (f *fake) begin() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sessions == nil {
		f.sessions = make(map[string]bool)
	}
	name := "session-" + strconv.Itoa(len(f.sessions)+1)
	f.sessions[name] = true
	return name
}

func (f *fake) forget(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sessions[session] = false
}
