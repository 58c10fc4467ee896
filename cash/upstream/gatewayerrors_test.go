package upstream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// asGateway runs the function through the gateway, which retries what is transient, and returns its error.
func asGateway(t testing.TB, reg *registry.Registry, path, name string) *gateway.Error {
	t.Helper()
	f, err := reg.Function(t.Context(), path, name)
	if err != nil {
		t.Fatal(err)
	}
	srv := gateway.NewServer(reg, &gateway.Options{Serve: serve.Options{Controls: &control.Controls{Retry: &control.Retry{
		MaxAttempts: 3, BaseDelay: time.Millisecond, Idempotent: func(*registry.Function) bool { return true },
	}}}})
	_, err = srv.Execute(t.Context(), &gateway.ExecuteRequest{ID: f.Primitive().String()})
	var e *gateway.Error
	if !errors.As(err, &e) {
		t.Fatalf("%s.%s: %v is no error of the gateway", path, name, err)
	}
	return e
}

// TestS34StatusByGateway holds the code of each failure of an HTTP server, and that only what is transient is retried.
func TestS34StatusByGateway(t *testing.T) {
	for name, want := range map[string]struct {
		code  gateway.Code
		tries int32
	}{
		"400": {gateway.UpstreamError, 1}, "403": {gateway.PermissionDenied, 1}, "404": {gateway.UpstreamError, 1}, "409": {gateway.UpstreamError, 1},
		"413": {gateway.UpstreamError, 1}, "422": {gateway.UpstreamError, 1}, "429": {gateway.RateLimited, 1}, "500": {gateway.UpstreamError, 1},
		"502": {gateway.UpstreamUnavailable, 3}, "503": {gateway.UpstreamUnavailable, 3}, "504": {gateway.UpstreamTimeout, 3},
		"a web page": {gateway.UpstreamError, 1}, "no JSON": {gateway.UpstreamError, 1}, "no JSON-RPC": {gateway.UpstreamError, 1},
		"cut": {gateway.UpstreamUnavailable, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := library("2026-07-28")
			next := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, &mcp.StreamableHTTPOptions{Stateless: true})
			var tries atomic.Int32
			host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil || !bytes.Contains(body, []byte(`"tools/call"`)) {
					r.Body = io.NopCloser(bytes.NewReader(body))
					next.ServeHTTP(w, r)
					return
				}
				tries.Add(1)
				status := 0
				switch _, _ = fmt.Sscan(name, &status); {
				case status != 0:
					w.WriteHeader(status)
				case name == "cut":
					panic(http.ErrAbortHandler)
				case name == "a web page":
					w.Header().Set("Content-Type", "text/html")
					_, _ = io.WriteString(w, "<html>Sign in</html>")
				default:
					w.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(w, map[string]string{"no JSON": `{"jsonrpc":`, "no JSON-RPC": `{"ok":true}`}[name])
				}
			}))
			t.Cleanup(host.Close)
			_, _, reg := aggregate(t, nil, upstream.Server{Label: "fs", Endpoint: upstream.HTTP{URL: host.URL}})
			e := asGateway(t, reg, "fs", "run")
			if transient := want.tries > 1 || want.code == gateway.RateLimited; e.Code != want.code || e.Retryable != transient || tries.Load() != want.tries {
				t.Errorf("%s, retryable %v, %d tries: %s", e.Code, e.Retryable, tries.Load(), e.Message)
			}
			if reason, _ := e.Details[registry.DetailReason].(string); (reason == registry.ReasonUpstream) != (name == "403") {
				t.Errorf("details %v", e.Details)
			}
		})
	}
}

// TestS46RemovedTool holds that a tool that its server has removed is unknown, however the server says so: by the
// protocol's words, or in other words and then by its list.
func TestS46RemovedTool(t *testing.T) {
	for name, tt := range map[string]struct {
		message string
		listed  bool // the list still has the tool
		code    gateway.Code
	}{
		"as the protocol says":       {"Unknown tool: act", true, gateway.HydrateFailed},
		"as a library says":          {`unknown tool "act"`, true, gateway.HydrateFailed},
		"as another says":            {"MCP error -32602: Tool act not found", true, gateway.HydrateFailed},
		"in other words":             {"nothing like that here", false, gateway.HydrateFailed},
		"another tool":               {"Unknown tool: other", true, gateway.ArgsInvalid},
		"arguments":                  {"the day must be a weekday", true, gateway.ArgsInvalid},
		"a word of it in the middle": {"the unknown tool of act", true, gateway.ArgsInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			var removed atomic.Bool
			_, _, reg := aggregate(t, nil, memory("a", handmade(func(method string, _ json.RawMessage) (string, error) {
				switch method {
				case "tools/list":
					if removed.Load() && !tt.listed {
						return `{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}`, nil
					}
					return `{"tools":[{"name":"act","inputSchema":{"type":"object"}}]}`, nil
				case "tools/call":
					return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: tt.message}
				}
				return "", nil
			})))
			removed.Store(true)
			if e := asGateway(t, reg, "a", "act"); e.Code != tt.code || e.Retryable {
				t.Errorf("%s, retryable %v: %s", e.Code, e.Retryable, e.Message)
			}
		})
	}
}

// TestS46RemovedFunction holds that a function that a mounted CaSH server has removed is unknown to the gateway, too.
func TestS46RemovedFunction(t *testing.T) {
	inner := registry.New(nil)
	inner.Namespace("shop", "A shop.").Add(
		registry.Func("keep", "Keep.", func(context.Context, struct{}) (string, error) { return "", nil }),
		registry.Func("drop", "Drop.", func(context.Context, struct{}) (string, error) { return "", nil }))
	_, _, reg := aggregate(t, nil, memory("far", cash.NewServer(inner, nil)))
	less := registry.New(nil)
	less.Namespace("", "A shop.").Add(registry.Func("keep", "Keep.", func(context.Context, struct{}) (string, error) { return "", nil }))
	f, err := reg.Function(t.Context(), "far.shop", "drop")
	if err != nil {
		t.Fatal(err)
	}
	if err := inner.Replace("shop", less); err != nil {
		t.Fatal(err)
	}
	srv := gateway.NewServer(reg, nil)
	_, err = srv.Execute(t.Context(), &gateway.ExecuteRequest{ID: f.ID().String()})
	var e *gateway.Error
	if !errors.As(err, &e) || e.Code != gateway.HydrateFailed || strings.Contains(e.Message, "help(") {
		t.Errorf("%v", err)
	}
}

// TestRefusedConnection holds that an HTTP server that refuses connections is shown as unavailable after one call, and
// is back when it takes them again.
func TestRefusedConnection(t *testing.T) {
	mcpServer := library("2026-07-28")
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return mcpServer }, &mcp.StreamableHTTPOptions{Stateless: true})
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address, host := first.Addr().String(), &http.Server{Handler: handler}
	go func() { _ = host.Serve(first) }()
	srv, agg, reg := aggregate(t, nil, upstream.Server{Label: "fs", Endpoint: upstream.HTTP{URL: "http://" + address}})
	_ = host.Close() // with all connections; that of httptest waits for open streams
	if e := asGateway(t, reg, "fs", "run"); e.Code != gateway.UpstreamUnavailable || !e.Retryable {
		t.Errorf("%s: %s", e.Code, e.Message)
	}
	page, err := srv.Help(t.Context(), nil)
	if err != nil || !strings.Contains(page, "(available: false)") {
		t.Errorf("help: %v\n%s", err, page)
	}
	browse := cashtest.Connect(t, gateway.NewServer(reg, nil)).Tool("tool_browse", args{"path": "/fs"}).OK()
	if !strings.Contains(browse.Text, "`fs` is temporarily unavailable.") || !strings.Contains(browse.Text, "fs:") {
		t.Errorf("tool_browse:\n%s", browse.Text)
	}
	until(t, func() bool { // the reconnect has failed, too
		st := agg.Status()[0]
		return st.State == upstream.Down && st.Err != nil
	})
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	again := &http.Server{Handler: handler}
	t.Cleanup(func() { _ = again.Close() })
	go func() { _ = again.Serve(l) }()
	until(t, func() bool {
		page, err := srv.Help(t.Context(), nil)
		return err == nil && !strings.Contains(page, "(available: false)") && agg.Status()[0].State == upstream.Connected
	})
}

// TestS44OddSchemas holds that a live tool with an odd schema is served, shown and searched, and named in the status
// and in the gateway's report.
func TestS44OddSchemas(t *testing.T) {
	wide := strings.TrimSuffix(strings.Repeat(`"p":{},`, 5), ",")
	for i := range 5 {
		wide = strings.Replace(wide, `"p"`, fmt.Sprintf(`"p%d"`, i), 1)
	}
	schemas := map[string]string{
		"words":  `{"type":"object","properties":{"city":{"type":"str","description":"Zanzibar or another city."},"days":{"type":"integer"}},"required":["days"]}`,
		"wide":   `{"type":"object","properties":{` + wide + `}}`,
		"deep":   `{"type":"object","properties":{"a":{"properties":{"b":{"properties":{"c":{}}}}}}}`,
		"broken": `{"type":"object","properties":{"a":{"minimum":"none"}}}`,
		"fine":   `{"type":"object","properties":{"a":{"type":"string"}}}`,
	}
	var list []string
	for name, schema := range schemas {
		list = append(list, fmt.Sprintf(`{"name":%q,"description":"A tool.","inputSchema":%s}`, name, schema))
	}
	server := memory("odd", handmade(func(method string, _ json.RawMessage) (string, error) {
		switch method {
		case "tools/list":
			return `{"tools":[` + strings.Join(list, ",") + `]}`, nil
		case "tools/call":
			return `{"content":[{"type":"text","text":"done"}]}`, nil
		}
		return "", nil
	}))
	server.Schemas = registry.SchemaLimits{Depth: 6, Properties: 4}
	srv, agg, reg := aggregate(t, nil, server)
	gate := gateway.NewServer(reg, nil)
	report, err := gate.Refresh(t.Context())
	if err != nil || report.Tools != len(schemas) {
		t.Fatalf("%v, %+v", err, report)
	}
	notes := strings.Join(agg.Status()[0].Notes, "\n")
	for name, want := range map[string]struct{ note, finding string }{
		"words":  {`tool "words" is used in part: schema at "#/properties/city/type"`, ": SCHEMA_INVALID: "},
		"wide":   {`tool "wide" has 5 properties; more than 4 are not expected`, ": warning: the input schema has 5 properties; more than 4"},
		"deep":   {`tool "deep" has 7 levels; more than 6`, ": warning: the input schema has 7 levels"},
		"broken": {`tool "broken" is not used: `, ": SCHEMA_INVALID: "},
		"fine":   {},
	} {
		f, err := reg.Function(t.Context(), "odd", name)
		if err != nil {
			t.Fatal(err)
		}
		if want.note == "" == strings.Contains(notes, `"`+name+`"`) || !strings.Contains(notes, want.note) {
			t.Errorf("%s: the notes are\n%s", name, notes)
		}
		_, found, named := strings.Cut(report.String(), f.ID().String())
		if named != (want.finding != "") || !strings.HasPrefix(found, want.finding) {
			t.Errorf("%s: the report is\n%s", name, report)
		}
		_, err = gate.Execute(t.Context(), &gateway.ExecuteRequest{ID: f.ID().String(), Args: json.RawMessage(`{"days":1}`)})
		var e *gateway.Error
		if refused := errors.As(err, &e) && e.Code == gateway.SchemaInvalid; refused != strings.HasSuffix(want.finding, "SCHEMA_INVALID: ") || err != nil && !refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	// What is valid is shown, searched and checked.
	page, err := srv.Help(t.Context(), &cash.HelpRequest{Namespace: "odd", Function: "words"})
	if err != nil || !strings.Contains(page, "| city | str | no | Zanzibar or another city. |") {
		t.Errorf("%v\n%s", err, page)
	}
	if found := reg.Search(t.Context(), "Zanzibar", 3); len(found) != 1 || found[0].Name != "words" {
		t.Errorf("found %v", found)
	}
	if _, err := srv.Call(t.Context(), &cash.CallRequest{Namespace: "odd", Function: "words", Kwargs: json.RawMessage(`{"days":"x","city":1}`)}); !errors.Is(err, registry.InvalidArguments) || strings.Contains(err.Error(), "city") {
		t.Errorf("days: %v", err)
	}
	if r, err := srv.Call(t.Context(), &cash.CallRequest{Namespace: "odd", Function: "words", Kwargs: json.RawMessage(`{"days":1,"city":"x"}`)}); err != nil || r.Text() != "done" {
		t.Errorf("%v, %v", r, err)
	}
}

// slow is a server that takes its time to be connected.
type slow struct {
	*cash.Server
	after time.Duration
}

func (s slow) Run(ctx context.Context, tr mcp.Transport) error {
	time.Sleep(s.after)
	return s.Server.Run(ctx, tr)
}

// TestFirstHelpWaits holds that the first help waits for a server that is being connected, not for long, not for one
// that the caller does not see, and not for one of which something is known.
func TestFirstHelpWaits(t *testing.T) {
	for name, tt := range map[string]struct {
		after  time.Duration
		hidden bool
		waits  time.Duration
		known  bool
	}{
		"quick":  {500 * time.Millisecond, false, 500 * time.Millisecond, true},
		"slow":   {10 * time.Second, false, 2 * time.Second, false},
		"hidden": {10 * time.Second, true, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := registry.New(nil)
				inner.Namespace("", "").Add(registry.Func("ping", "Ping.", func(context.Context, struct{}) (string, error) { return "", nil }))
				reg := registry.New(nil)
				agg := upstream.New(reg, nil)
				s := memory("far", slow{cash.NewServer(inner, nil), tt.after})
				if tt.hidden {
					s.VisibleTo = func(context.Context, *registry.Caller) bool { return false }
				}
				if err := agg.Add(s); err != nil {
					t.Fatal(err)
				}
				srv := cash.NewServer(reg, nil)
				for _, req := range []*cash.HelpRequest{nil, {Namespace: "far"}, {Namespace: "far", Function: "ping"}} {
					began := time.Now()
					page, err := srv.Help(t.Context(), req)
					if waited := time.Since(began); req == nil && waited != tt.waits || req != nil && waited != 0 {
						t.Errorf("help(%+v) takes %v", req, waited)
					}
					if known := err == nil && !strings.Contains(page, "available: false"); req != nil && known != tt.known {
						t.Errorf("help(%+v): %v\n%s", req, err, page)
					}
				}
				if err := agg.Close(t.Context()); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

// TestGatewayPathOfUnavailableServer holds that the gateway says what is wrong with a server at the path of it.
func TestGatewayPathOfUnavailableServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	_, _, reg := aggregate(t, nil, upstream.Server{Label: "gone", Endpoint: upstream.HTTP{URL: "http://" + l.Addr().String()}})
	_, err = gateway.NewServer(reg, nil).Browse(t.Context(), &gateway.BrowseRequest{Path: "/gone"})
	var e *gateway.Error
	if !errors.As(err, &e) || e.Code != gateway.UpstreamUnavailable || e.Path != "/gone" || !strings.Contains(e.Message, "the connection was refused") {
		t.Errorf("%v", err)
	}
}
