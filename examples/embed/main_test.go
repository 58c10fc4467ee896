package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

var protocolVersions = []string{"2025-11-25", "2026-07-28"}

func newTestServer(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(newService())
	t.Cleanup(server.Close)
	return server
}

// withKey sends an API key with every request.
type withKey string

func (key withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if key != "" {
		r.Header.Set("X-Api-Key", string(key))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// connect connects a real MCP client that has an API key.
func connect(t *testing.T, server *httptest.Server, key, version string) *cashtest.Client {
	t.Helper()
	d := &cashtest.Dialer{Version: version, HTTPClient: &http.Client{Transport: withKey(key)}}
	return d.ConnectHTTP(t, server.URL+"/mcp")
}

func TestRoles(t *testing.T) {
	for _, version := range protocolVersions {
		t.Run("R53 "+version, func(t *testing.T) {
			server := newTestServer(t)
			clerk, admin := connect(t, server, "clerk-key", version), connect(t, server, "admin-key", version)
			if got := clerk.Session.InitializeResult().ProtocolVersion; got != version {
				t.Fatalf("the protocol version is %s", got)
			}
			if top := clerk.Help("", "").Text; !strings.Contains(top, "**tickets**") || strings.Contains(top, "staff") {
				t.Errorf("the clerk sees at the top:\n%s", top)
			}
			if top := admin.Help("", "").Text; !strings.Contains(top, "**tickets**") || !strings.Contains(top, "**staff**") {
				t.Errorf("the admin sees at the top:\n%s", top)
			}
			if page := clerk.Help("tickets", "").Text; !strings.Contains(page, "**close**") || strings.Contains(page, "delete") {
				t.Errorf("the clerk sees in tickets:\n%s", page)
			}
			if page := admin.Help("tickets", "").Text; !strings.Contains(page, "**close**") || !strings.Contains(page, "**delete**") {
				t.Errorf("the admin sees in tickets:\n%s", page)
			}
			for name, c := range map[string]*cashtest.Client{"clerk": clerk, "admin": admin} {
				line := c.Session.InitializeResult().Instructions
				if strings.Contains(line, "staff") != (name == "admin") || !strings.Contains(line, "tickets") {
					t.Errorf("the instructions of the %s are %q", name, line)
				}
			}
		})
	}
}

// What is hidden answers like what does not exist, but for the name that the
// caller sent.
func TestHiddenIsAbsent(t *testing.T) {
	tests := []struct {
		name, tool, args string // NAME in args stands for the name
		hidden           string
	}{
		{"call of a function", "call", `{"namespace":"tickets","function":"NAME","kwargs":{"id":"T-1"}}`, "delete"},
		{"call without its arguments", "call", `{"namespace":"tickets","function":"NAME"}`, "delete"},
		{"call in a namespace", "call", `{"namespace":"NAME","function":"workload"}`, "staff"},
		{"help on a function", "help", `{"namespace":"tickets","function":"NAME"}`, "delete"},
		{"help on a namespace", "help", `{"namespace":"NAME"}`, "staff"},
		{"skills of a namespace", "skill", `{"namespace":"NAME"}`, "staff"},
	}
	for _, version := range protocolVersions {
		clerk := connect(t, newTestServer(t), "clerk-key", version)
		for _, tt := range tests {
			t.Run("R54 "+version+" "+tt.name, func(t *testing.T) {
				ask := func(name string) string {
					return wire(t, clerk.Tool(tt.tool, json.RawMessage(strings.ReplaceAll(tt.args, "NAME", name))))
				}
				hidden, absent := ask(tt.hidden), ask("nosuch")
				if got := strings.ReplaceAll(hidden, tt.hidden, "nosuch"); got != absent {
					t.Errorf("hidden %s\nabsent %s", got, absent)
				}
				if !strings.Contains(absent, `"isError":true`) {
					t.Errorf("no error: %s", absent)
				}
			})
		}
	}
}

// wire returns all of a reply.
func wire(t *testing.T, r *cashtest.Reply) string {
	t.Helper()
	data, err := json.Marshal(r.Raw)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The two ways in lead to the same desk, and know the same callers.
func TestCallerReachesMethods(t *testing.T) {
	for _, version := range protocolVersions {
		t.Run(version, func(t *testing.T) {
			server := newTestServer(t)
			clerk, admin := connect(t, server, "clerk-key", version), connect(t, server, "admin-key", version)
			var closed Ticket
			if admin.Call("tickets", "close", TicketRef{"T-1"}).Decode(&closed); closed.ClosedBy != "anton" {
				t.Errorf("the admin closed %+v", closed)
			}
			if clerk.Call("tickets", "close", TicketRef{"T-2"}).Decode(&closed); closed.ClosedBy != "carla" {
				t.Errorf("the clerk closed %+v", closed)
			}
			if text := admin.Call("staff", "workload", nil).OK().Text; text != `{"anton":1,"carla":2}` {
				t.Errorf("workload: %s", text)
			}
			admin.Call("tickets", "delete", TicketRef{"T-1"}).OK()
			if code, body := request(t, server, "GET", "/tickets?status=open", "clerk-key"); code != http.StatusOK || body != "[]\n" {
				t.Errorf("GET /tickets = %d, %s, want none open", code, body)
			}
			if r := clerk.Call("tickets", "close", TicketRef{"T-1"}); !r.IsError || !strings.Contains(r.Text, "no ticket has this id") {
				t.Errorf("closing what is gone: %s", r.Text)
			}
		})
	}
}

// A session serves the one who opened it, and nobody else who learns its name.
func TestSessionIsNotShared(t *testing.T) {
	server := newTestServer(t)
	id := connect(t, server, "admin-key", "2025-11-25").Session.ID()
	if id == "" {
		t.Fatal("there is no session")
	}
	for key, want := range map[string]int{"clerk-key": http.StatusForbidden, "admin-key": http.StatusOK} {
		body := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call","arguments":{"namespace":"staff","function":"workload"}}}`)
		req, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/mcp", body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Mcp-Session-Id", id)
		code, text := send(t, req, key)
		if code != want || strings.Contains(text, "carla") != (want == http.StatusOK) {
			t.Errorf("with the %s: %d, %s; want %d", key, code, text, want)
		}
	}
}

func TestCompliance(t *testing.T) {
	d := newDesk()
	as := func(user string) func() mcp.Transport {
		c := &registry.Caller{ID: users[user].name, Roles: users[user].roles}
		dialer := &cashtest.Dialer{Context: registry.WithCaller(context.Background(), c)}
		return func() mcp.Transport { return dialer.InMemory(newFace(d)) }
	}
	cashtest.Compliance(t, check.Target{
		Transport: as("clerk-key"),
		Strict:    true,
		Read:      &check.Sample{Namespace: "tickets", Function: "list", Kwargs: ListTickets{Status: "open"}},
		Hidden: &check.Hidden{
			Sample:    check.Sample{Namespace: "staff", Function: "workload"},
			Transport: as("admin-key"),
		},
	})
}

func TestLogin(t *testing.T) {
	server := newTestServer(t)
	for _, key := range []string{"", "guess"} {
		for _, route := range []string{"GET /tickets", "DELETE /tickets/T-1", "POST /mcp", "GET /mcp", "DELETE /mcp"} {
			method, path, _ := strings.Cut(route, " ")
			if code, _ := request(t, server, method, path, key); code != http.StatusUnauthorized {
				t.Errorf("%s with the key %q: %d", route, key, code)
			}
		}
	}
}

// Whoever looks for servers finds this one without a key, and reads nothing of
// what strangers may not see, whoever asks.
func TestR110Manifest(t *testing.T) {
	server := newTestServer(t)
	for _, key := range []string{"", "guess", "admin-key"} {
		code, body := request(t, server, "GET", manifest.WellKnownPath, key)
		m, err := manifest.Parse([]byte(body))
		if code != http.StatusOK || err != nil {
			t.Fatalf("with the key %q: %d, %v", key, code, err)
		}
		if m.Endpoint != server.URL+"/mcp" || m.Authentication == nil || m.Authentication.Scheme != manifest.SchemeAPIKey {
			t.Errorf("with the key %q: the endpoint is %s, authentication %+v", key, m.Endpoint, m.Authentication)
		}
		if len(m.Namespaces) != 1 || m.Namespaces[0].Suggested != "tickets" {
			t.Errorf("with the key %q: the namespaces are %+v", key, m.Namespaces)
		}
	}
}

// The routes of the service are what they were.
func TestRoutes(t *testing.T) {
	tests := []struct {
		method, path, key string
		code              int
		body              string
	}{
		{"GET", "/tickets", "clerk-key", http.StatusOK, `"id":"T-3"`},
		{"GET", "/tickets?status=closed", "clerk-key", http.StatusOK, `[{"id":"T-3"`},
		{"POST", "/tickets/T-1/close", "clerk-key", http.StatusOK, `"closed_by":"carla"`},
		{"POST", "/tickets/T-9/close", "clerk-key", http.StatusNotFound, "no ticket has this id"},
		{"DELETE", "/tickets/T-1", "clerk-key", http.StatusForbidden, "for admins only"},
		{"DELETE", "/tickets/T-1", "admin-key", http.StatusOK, `"id":"T-1"`},
		{"DELETE", "/tickets/T-9", "admin-key", http.StatusNotFound, "no ticket has this id"},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.path+" "+tt.key, func(t *testing.T) {
			code, body := request(t, newTestServer(t), tt.method, tt.path, tt.key)
			if code != tt.code || !strings.Contains(body, tt.body) {
				t.Errorf("got %d, %s; want %d, %s", code, body, tt.code, tt.body)
			}
		})
	}
}

func request(t *testing.T, server *httptest.Server, method, path, key string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return send(t, req, key)
}

func send(t *testing.T, req *http.Request, key string) (int, string) {
	t.Helper()
	res, err := withKey(key).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}
