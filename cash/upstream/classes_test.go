package upstream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// A door answers requests of three methods with a status instead.
type door struct {
	next   http.Handler
	status atomic.Int64 // zero lets all through
}

func (d *door) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	var head struct{ Method string }
	_ = json.Unmarshal(body, &head)
	acts := head.Method == "tools/call" || head.Method == "resources/read" || head.Method == "prompts/get"
	if status := int(d.status.Load()); acts && status != 0 {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(status)
		return
	}
	d.next.ServeHTTP(w, req)
}

// The class of a failure follows from the HTTP status, with what programs may
// want to know of it: when to try again, and whether the outcome is known.
func TestW34StatusClasses(t *testing.T) {
	for status, want := range map[int]struct {
		kind    registry.Kind
		unknown bool // whether something that is not read-only may have run
	}{
		401: {registry.Unauthorized, false},
		403: {registry.Denied, false},
		400: {registry.Failed, false},
		404: {registry.Failed, false},
		405: {registry.Failed, false},
		408: {registry.TimedOut, true},
		409: {registry.Failed, false},
		410: {registry.Failed, false},
		413: {registry.Failed, false},
		422: {registry.Failed, false},
		429: {registry.RateLimited, false},
		500: {registry.Failed, true},
		501: {registry.Failed, true},
		502: {registry.Unavailable, true},
		503: {registry.Unavailable, true},
		504: {registry.TimedOut, true},
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			srv := library("2026-07-28")
			d := &door{next: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, &mcp.StreamableHTTPOptions{Stateless: true})}
			host := httptest.NewServer(d)
			t.Cleanup(host.Close)
			s := shelve(t, upstream.Server{Label: "fs", Endpoint: upstream.HTTP{URL: host.URL}})
			d.status.Store(int64(status))
			for reg, name := range map[*registry.Registry]string{s.tools: "run", s.resources: "a_pixel", s.prompts: "greet"} {
				f, err := reg.Function(t.Context(), "fs", name)
				if err != nil {
					t.Fatal(err)
				}
				_, err = call(t, reg, f, "")
				var e *registry.Error
				if !errors.As(err, &e) || e.Kind != want.kind || !strings.Contains(e.Message, fmt.Sprint(status)) {
					t.Errorf("%s answers %v", name, err)
					continue
				}
				if e.Details["retry_after"] != 7 && status != 404 { // a 404 is of the session, or of the address
					t.Errorf("%s has the details %v", name, e.Details)
				}
				unknown := want.unknown && name == "run"
				if (e.Details["outcome"] == "unknown") != unknown || strings.Contains(e.Message, "may have taken effect") != unknown || e.NotRun == want.unknown {
					t.Errorf("%s: not run %v, details %v: %s", name, e.NotRun, e.Details, e.Message)
				}
			}
		})
	}
}

// The class of a JSON-RPC error follows from its code; that a resource is unknown
// has two of them.
func TestW34Refusals(t *testing.T) {
	for code, want := range map[int64][2]registry.Kind{ // of the resource, the prompt
		-32002:                    {registry.UnknownFunction, registry.Failed},
		jsonrpc.CodeInvalidParams: {registry.UnknownFunction, registry.InvalidArguments},
		jsonrpc.CodeInternalError: {registry.Failed, registry.Failed},
		-1:                        {registry.Failed, registry.Failed},
		-32003:                    {registry.Failed, registry.Failed}, // by which the SDK knows that it is closing,
		-32004:                    {registry.Failed, registry.Failed}, // or that the server is
	} {
		s := shelve(t, memory("a", handmade(func(method string, _ json.RawMessage) (string, error) {
			switch method {
			case "resources/list":
				return `{"resources":[{"uri":"a:b","name":"x"}]}`, nil
			case "prompts/list":
				return `{"prompts":[{"name":"x"}]}`, nil
			case "resources/read", "prompts/get":
				return "", &jsonrpc.Error{Code: code, Message: "no\nsuch thing"}
			}
			return "", nil
		})))
		for i, reg := range []*registry.Registry{s.resources, s.prompts} {
			f, err := reg.Function(t.Context(), "a", "x")
			if err != nil {
				t.Fatal(err)
			}
			_, err = call(t, reg, f, "")
			if !errors.Is(err, want[i]) || !strings.Contains(err.Error(), "no such thing") {
				t.Errorf("code %d: %s answers %v, want %s", code, f.Primitive().Kind, err, want[i])
			}
		}
	}
}

// A JSON-RPC error that says that the call is none leaves no doubt about what was
// done; another may have come out of the tool.
func TestW34RefusedOutcome(t *testing.T) {
	for code, unknown := range map[int64]bool{
		jsonrpc.CodeInvalidParams: false, jsonrpc.CodeMethodNotFound: false, jsonrpc.CodeInvalidRequest: false,
		jsonrpc.CodeInternalError: true, 0: true, -32000: true, 42: true,
	} {
		srv, _, _ := aggregate(t, nil, memory("a", handmade(func(method string, _ json.RawMessage) (string, error) {
			if method == "tools/list" {
				return `{"tools":[{"name":"act","inputSchema":{"type":"object"}},{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`, nil
			}
			return "", &jsonrpc.Error{Code: code, Message: "no such thing"}
		})))
		for tool, unknown := range map[string]bool{"act": unknown, "look": false} {
			_, err := srv.Call(t.Context(), &cash.CallRequest{Namespace: "a", Function: tool})
			e := registry.AsError(err)
			if got := e.Details["outcome"] == "unknown"; got != unknown || strings.Contains(e.Error(), "may have taken effect") != unknown {
				t.Errorf("code %d of %s: %v, %v", code, tool, e, e.Details)
			}
		}
	}
}

// What hangs is a timeout, whose outcome is unknown unless it only reads.
func TestW34Hanging(t *testing.T) {
	slow := memory("a", handmade(func(method string, _ json.RawMessage) (string, error) {
		switch method {
		case "tools/list":
			return `{"tools":[{"name":"act"},{"name":"look","annotations":{"readOnlyHint":true}}]}`, nil
		case "resources/list":
			return `{"resources":[{"uri":"a:b","name":"r"}]}`, nil
		case "prompts/list":
			return `{"prompts":[]}`, nil
		}
		return "", errSilent
	}))
	slow.Timeout = 50 * time.Millisecond
	s := shelve(t, slow)
	for name, reg := range map[string]*registry.Registry{"act": s.tools, "look": s.tools, "r": s.resources} {
		f, err := reg.Function(t.Context(), "a", name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = call(t, reg, f, "")
		var e *registry.Error
		if !errors.As(err, &e) || e.Kind != registry.TimedOut || e.NotRun || (e.Details["outcome"] == "unknown") != (name == "act") {
			t.Errorf("%s answers %+v", name, err)
		}
	}
}

// A tool whose schema cannot be used is served, and says why.
func TestW34SchemaProblems(t *testing.T) {
	srv := handmade(func(method string, _ json.RawMessage) (string, error) {
		switch method {
		case "tools/list":
			return `{"tools":[{"name":"run","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}},{"name":"good","inputSchema":{"type":"object"}}]}`, nil
		case "resources/list":
			return `{"resources":[]}`, nil
		case "prompts/list":
			return `{"prompts":[]}`, nil
		}
		return "", nil
	})
	s := shelve(t, memory("a", srv))
	for name, broken := range map[string]bool{"run": true, "good": false} {
		f, err := s.tools.Function(t.Context(), "a", name)
		if err != nil || (f.Problem() != nil) != broken {
			t.Errorf("%s has the problem %v, %v", name, f.Problem(), err)
		}
	}
	runs(t, s, "a")
}

func fingerprint(e upstream.Endpoint) string {
	return upstream.Fingerprint(upstream.Server{Endpoint: e})
}

// What is bound to a function is bound to the server behind it.
func TestW37Fingerprints(t *testing.T) {
	header := func(v ...string) http.Header { return http.Header{"X-Tenant": v} }
	endpoints := []upstream.Endpoint{
		upstream.Command{Path: "a"}, upstream.Command{Path: "b"}, upstream.Command{Path: "a", Dir: "b"},
		upstream.Command{Path: "a", Args: []string{"x", "y"}}, upstream.Command{Path: "a", Args: []string{"xy"}},
		upstream.Command{Path: "a", Args: []string{"x"}, Env: []string{"y"}}, upstream.Command{Path: "a", Env: []string{"A=1"}},
		upstream.HTTP{URL: "https://a/mcp"}, upstream.HTTP{URL: "https://a/mcp?tenant=1"}, upstream.HTTP{URL: "https://b/mcp"},
		upstream.HTTP{URL: "https://a/mcp", Header: header("1")}, upstream.HTTP{URL: "https://a/mcp", Header: header("2")},
		upstream.HTTP{URL: "https://a/mcp", Header: header("1", "2")},
	}
	seen := make(map[string]upstream.Endpoint)
	for _, e := range endpoints {
		f := fingerprint(e)
		if other := seen[f]; other != nil {
			t.Errorf("%#v and %#v are the same", e, other)
		}
		seen[f] = e
		if f != fingerprint(e) || len(f) != 64 {
			t.Errorf("%#v has the fingerprint %s", e, f)
		}
	}
	if fingerprint(upstream.SSE{URL: "https://a/mcp"}) != fingerprint(upstream.HTTP{URL: "https://a/mcp"}) {
		t.Error("a server is another one by another transport")
	}
	own := upstream.Server{Endpoint: upstream.HTTP{URL: "https://a/mcp"}}
	own.Credentials = func(context.Context, *registry.Caller) (auth.OAuthHandler, error) { return nil, nil }
	if upstream.Fingerprint(own) == fingerprint(own.Endpoint) {
		t.Error("a server is the same with the accounts of its callers")
	}
	srv := upstream.InMemory{Server: silentTools()}
	if first, second := fingerprint(srv), fingerprint(srv); first == second {
		t.Error("servers in memory are all the same")
	}
}
