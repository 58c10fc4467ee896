package desk

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// Users see the functions, the skills and the instructions of their roles.
func TestRoles(t *testing.T) {
	for _, version := range protocolVersions {
		t.Run("R53 "+version, func(t *testing.T) {
			s := newStand(t, newMemory())
			for user, sees := range map[string][]string{
				"carla": {"tickets", "**list**", "**close**", "answering"},
				"anton": {"tickets", "**list**", "**close**", "**delete**", "staff", "**workload**", "answering", "sharing"},
			} {
				c := s.connect(t, user, version)
				var all strings.Builder
				for _, page := range []*cashtest.Reply{c.Help("", ""), c.Help("tickets", ""), c.Help("staff", ""), c.Skill("tickets", ""), c.Skill("staff", "")} {
					if user == "anton" || !strings.Contains(page.Text, "`staff`") { // the error repeats the question
						all.WriteString(page.Text)
					}
				}
				all.WriteString(c.Session.InitializeResult().Instructions)
				for _, word := range []string{"tickets", "**list**", "**close**", "**delete**", "staff", "**workload**", "answering", "sharing"} {
					if strings.Contains(all.String(), word) != slices.Contains(sees, word) {
						t.Errorf("%s and %s:\n%s", user, word, all.String())
					}
				}
			}
		})
	}
}

// What is hidden answers like what does not exist, but for the name that the caller sent.
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
		{"skill", "skill", `{"namespace":"NAME","skillname":"sharing"}`, "staff"},
	}
	for _, version := range protocolVersions {
		carla := newStand(t, newMemory()).connect(t, "carla", version)
		for _, tt := range tests {
			t.Run("R54 "+version+" "+tt.name, func(t *testing.T) {
				ask := func(name string) string {
					data, err := json.Marshal(carla.Tool(tt.tool, json.RawMessage(strings.ReplaceAll(tt.args, "NAME", name))).Raw)
					if err != nil {
						t.Fatal(err)
					}
					return string(data)
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

// The two ways in lead to the same desk and know the same users, each with the tickets of their tenant.
func TestCallerReachesMethods(t *testing.T) {
	for _, version := range protocolVersions {
		t.Run(version, func(t *testing.T) {
			s := newStand(t, newMemory())
			carla, anton, greta := s.connect(t, "carla", version), s.connect(t, "anton", version), s.connect(t, "greta", version)
			for id, c := range map[string]*cashtest.Client{"T-1": anton, "T-2": carla} {
				var closed Ticket
				if c.Call("tickets", "close", TicketRef{id}).Decode(&closed); closed.ID != id || closed.Status != "closed" {
					t.Errorf("%s: %+v", id, closed)
				}
			}
			if text := anton.Call("staff", "workload", nil).OK().Text; text != `{"anton":1,"carla":2}` {
				t.Errorf("workload: %s", text)
			}
			anton.Call("tickets", "delete", TicketRef{"T-1"}).OK()
			if a := s.do(t, s.token("carla"), "GET", "/tickets?status=open", ""); a.code != http.StatusOK || a.body != "[]\n" {
				t.Errorf("GET /tickets: %+v, want none open", a)
			}
			if r := carla.Call("tickets", "close", TicketRef{"T-1"}); !r.IsError || !strings.Contains(r.Text, "no ticket has this id") {
				t.Errorf("closing what is gone: %s", r.Text)
			}
			if text := greta.Call("tickets", "list", nil).OK().Text; text != `[{"id":"T-1","subject":"The lamp does not switch off.","status":"open"}]` {
				t.Errorf("the other tenant: %s", text)
			}
			if r := greta.Call("tickets", "close", TicketRef{"T-2"}); !r.IsError {
				t.Errorf("a ticket of another tenant: %s", r.Text)
			}
		})
	}
}

// Without a valid token there is no way in, and the refusal says where tokens come from.
func TestTokenIsNeeded(t *testing.T) {
	s := newStand(t, newMemory())
	now := time.Now()
	other := *s.login
	other.audience = "https://other.example/mcp"
	foreign := *s.login
	foreign.issuer = "https://other.example"
	for name, token := range map[string]string{
		"no token": "", "no JWT": "guess", "an unknown user": s.token("mallory"), "an expired one": s.login.token("anton", now),
		"for another service": other.token("anton", now.Add(time.Hour)), "from another issuer": foreign.token("anton", now.Add(time.Hour)),
	} {
		for _, route := range []string{"GET /tickets", "DELETE /tickets/T-1", "POST /mcp", "GET /mcp", "DELETE /mcp"} {
			method, path, _ := strings.Cut(route, " ")
			a := s.do(t, token, method, path, "")
			want := "Bearer"
			if path == "/mcp" {
				want = `Bearer resource_metadata="` + publicURL + `/.well-known/oauth-protected-resource/mcp"`
			}
			if got := a.header.Get("WWW-Authenticate"); a.code != http.StatusUnauthorized || got != want {
				t.Errorf("%s with %s: %d, %s", route, name, a.code, got)
			}
		}
	}
	var metadata struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
	}
	a := s.do(t, "", "GET", "/.well-known/oauth-protected-resource/mcp", "")
	if err := json.Unmarshal([]byte(a.body), &metadata); err != nil || metadata.Resource != publicURL+"/mcp" || !slices.Equal(metadata.Servers, []string{publicURL}) {
		t.Errorf("the metadata: %+v, %v", a, err)
	}
}

// A session serves the one who began it, and nobody else who learns its id. Who loses a role or leaves has lost it at
// the next request.
func TestSessionIsNotShared(t *testing.T) {
	store := &changing{memory: newMemory()}
	s := newStand(t, store)
	id := s.connect(t, "anton", "2025-11-25").Session.ID()
	if id == "" {
		t.Fatal("there is no session")
	}
	call := func(user string, want int, text string) {
		t.Helper()
		a := s.do(t, s.token(user), "POST", "/mcp",
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call","arguments":{"namespace":"staff","function":"workload"}}}`,
			"Content-Type", "application/json", "Accept", "application/json, text/event-stream", "Mcp-Session-Id", id)
		if a.code != want || !strings.Contains(a.body, text) {
			t.Errorf("%s: %+v; want %d, %s", user, a, want, text)
		}
	}
	call("anton", http.StatusOK, "carla")
	call("carla", http.StatusForbidden, "")
	store.set(User{"anton", "acme", []string{"clerk"}})
	call("anton", http.StatusOK, "isError")
	store.set(User{})
	call("anton", http.StatusUnauthorized, "")
}

// Each call has the values of its own request and a transaction of its own, also in a session.
func TestValuesOfTheRequest(t *testing.T) {
	for _, version := range protocolVersions {
		t.Run(version, func(t *testing.T) {
			store := &recording{memory: newMemory()}
			s := newStand(t, store)
			traces := &numbered{next: bearer{s.token("carla"), s.client.Transport}}
			d := &cashtest.Dialer{Version: version, HTTPClient: &http.Client{Transport: traces}}
			c := d.ConnectHTTP(t, publicURL+"/mcp")
			want := map[string]bool{}
			for i := range 5 {
				id := fmt.Sprintf("%032x", i+1)
				traces.id.Store(id)
				want[id] = true
				c.Call("tickets", "close", TicketRef{"T-1"}).OK()
			}
			logged := map[string]bool{}
			for _, e := range s.logs.events(t, "execute.completed") {
				if e["caller"] == "carla" && e["path"] == "tickets.close" {
					logged[e["trace"].(string)] = true
				}
			}
			if !maps.Equal(logged, want) {
				t.Errorf("the audit has the traces %v, want %v", slices.Sorted(maps.Keys(logged)), slices.Sorted(maps.Keys(want)))
			}
			if got := store.traces(); !maps.Equal(got, want) {
				t.Errorf("the transactions have the traces %v", got)
			}
		})
	}
}

// A method that fails leaves nothing behind, whichever way it is called.
func TestFailureRollsBack(t *testing.T) {
	store := &recording{memory: newMemory()}
	store.failing.Store(true)
	s := newStand(t, store)
	c := s.connect(t, "carla", "2026-07-28")
	if r := c.Call("tickets", "close", TicketRef{"T-1"}); !r.IsError || strings.Contains(r.Text, "secret") {
		t.Errorf("the store failed, and the call returned %s", r.Text)
	}
	if a := s.do(t, s.token("carla"), "POST", "/tickets/T-1/close", ""); a.code != http.StatusInternalServerError || strings.Contains(a.body, "secret") {
		t.Errorf("the store failed, and the route answered %+v", a)
	}
	if n := len(s.logs.events(t, "call failed")) + len(s.logs.events(t, "request failed")); n != 2 {
		t.Errorf("%d failures are logged, want 2", n)
	}
	if a := s.do(t, s.token("carla"), "GET", "/tickets?status=open", ""); strings.Count(a.body, `"open"`) != 2 {
		t.Errorf("open tickets: %s", a.body)
	}
}

// A database that does not answer refuses everybody, for now, and is not quoted.
func TestLoginWithoutStore(t *testing.T) {
	s := newStand(t, down{newMemory()})
	for _, path := range []string{"/tickets", "/mcp"} {
		if a := s.do(t, s.token("carla"), "GET", path, ""); a.code != http.StatusInternalServerError || a.body != errStore.Error()+"\n" {
			t.Errorf("%s: %+v", path, a)
		}
	}
	if n := len(s.logs.events(t, "login failed")); n != 2 {
		t.Errorf("%d failures are logged, want 2", n)
	}
	if a := s.do(t, "", "GET", "/readyz", ""); a.code != http.StatusOK {
		t.Errorf("/readyz: %+v", a)
	}
}

// A user who calls too often is told when to come back, and takes nothing from others.
func TestQuota(t *testing.T) {
	s := newStand(t, newMemory())
	carla, anton := s.connect(t, "carla", "2026-07-28"), s.connect(t, "anton", "2026-07-28")
	refused := ""
	for range 40 {
		if r := carla.Call("tickets", "list", nil); r.IsError {
			refused = r.Text
			break
		}
	}
	if !strings.Contains(refused, "Try again in") {
		t.Errorf("40 calls at once; the refusal is %q", refused)
	}
	anton.Call("tickets", "list", nil).OK()
	if len(s.logs.events(t, "execute.failed")) != 1 {
		t.Errorf("the audit log: %v", s.logs.events(t, "execute.failed"))
	}
}

// The proxy's word on the client's address holds, the client's own does not. Other names of the service are refused.
func TestProxy(t *testing.T) {
	s := newStand(t, newMemory())
	s.do(t, s.token("carla"), "GET", "/tickets", "", "X-Forwarded-For", "203.0.113.9")
	if e := s.logs.events(t, "request"); len(e) != 1 || e[0]["address"] != "127.0.0.1/32" {
		t.Errorf("%v", e)
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", "https://evil.example/mcp", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.as(s.token("carla")).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("another name: %s", res.Status)
	}
}

// Whoever looks for servers finds this one without a token, and reads nothing of what strangers may not see.
func TestR110Manifest(t *testing.T) {
	s := newStand(t, newMemory())
	for _, token := range []string{"", "guess", s.token("anton")} {
		a := s.do(t, token, "GET", manifest.WellKnownPath, "")
		m, err := manifest.Parse([]byte(a.body))
		if a.code != http.StatusOK || err != nil {
			t.Fatalf("%+v, %v", a, err)
		}
		if m.Endpoint != "https://desk.example/mcp" || m.Authentication == nil || m.Authentication.Scheme != manifest.SchemeOAuth2 {
			t.Errorf("the endpoint is %s, authentication %+v", m.Endpoint, m.Authentication)
		}
		if len(m.Namespaces) != 1 || m.Namespaces[0].Suggested != "tickets" || strings.Contains(a.body, "staff") || strings.Contains(a.body, "sharing") {
			t.Errorf("the manifest tells strangers:\n%s", a.body)
		}
	}
}

func TestCompliance(t *testing.T) {
	s := newStand(t, newMemory())
	as := func(user string) func() mcp.Transport {
		return func() mcp.Transport {
			return &mcp.StreamableClientTransport{Endpoint: publicURL + "/mcp", HTTPClient: s.as(s.token(user))}
		}
	}
	cashtest.Compliance(t, check.Target{
		Transport: as("carla"),
		Strict:    true,
		Read:      &check.Sample{Namespace: "tickets", Function: "list", Kwargs: ListTickets{Status: "open"}},
		Hidden: &check.Hidden{
			Sample:    check.Sample{Namespace: "staff", Function: "workload"},
			Transport: as("anton"),
		},
	})
}

func TestLint(t *testing.T) {
	s := newStand(t, newMemory())
	reg := s.newRegistry()
	found, err := registry.Lint(t.Context(), reg)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(found, s.newControls().Lint(reg)...) {
		t.Error(f)
	}
}
