package desk

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/internal/guidetest"
	"github.com/cash-mcp/go-sdk/registry"
)

func TestGet(t *testing.T) {
	if _, err := get(t.Context(), ticketRef{ID: "T-9"}); !errors.Is(err, errNoTicket) {
		t.Errorf("error %v", err)
	}
}

func TestCalls(t *testing.T) {
	client := cashtest.Connect(t, newServer())
	var got ticket
	client.Call("tickets", "get", map[string]any{"id": "T-2"}).OK().Decode(&got)
	if got.Subject != "The cup is broken." {
		t.Errorf("got %+v", got)
	}
	if refused := client.Call("tickets", "get", map[string]any{"id": "2"}); !refused.IsError {
		t.Errorf("an id of another form: %s", refused.Text)
	}
}

var admin = &registry.Caller{ID: "ada", Roles: []string{"admin"}}

func TestRoles(t *testing.T) {
	for _, link := range cashtest.Links() {
		t.Run(link.String(), func(t *testing.T) {
			link.Connect(t, newServer(), admin, nil).Call("staff", "count", nil).OK()
			if page := link.Connect(t, newServer(), nil, nil).Help("", "").OK(); strings.Contains(page.Text, "staff") {
				t.Errorf("anybody sees %s", page.Text)
			}
		})
	}
}

func TestCompliance(t *testing.T) {
	srv := newServer()
	anybody := func() mcp.Transport { return cashtest.InMemory(srv) }
	ada := func() mcp.Transport {
		return (&cashtest.Dialer{Context: registry.WithCaller(context.Background(), admin)}).InMemory(srv)
	}
	cashtest.Compliance(t, check.Target{
		Transport: anybody,
		Strict:    true,
		Read:      &check.Sample{Namespace: "tickets", Function: "get", Kwargs: ticketRef{"T-1"}},
		Large:     &check.Sample{Namespace: "tickets", Function: "history"},
		Fails:     []check.Sample{{Namespace: "tickets", Function: "get", Kwargs: ticketRef{"T-9"}}},
		Hidden:    &check.Hidden{Sample: check.Sample{Namespace: "staff", Function: "count"}, Transport: ada},
	})
}

func TestCost(t *testing.T) {
	client := cashtest.Connect(t, newServer())
	cashtest.Budget(t, client, check.Budget{Tools: 2500, Index: 500, Namespace: 500, Function: 800})
	cashtest.LintClean(t, newRegistry(), nil, admin)
}

func TestHostile(t *testing.T) {
	ts := httptest.NewServer(newServer().Handler())
	t.Cleanup(ts.Close)
	cashtest.Hostile(t, check.HostileTarget{
		URL:      ts.URL,
		Calls:    []string{`{"name":"call","arguments":{"namespace":"tickets","function":"get","kwargs":{"id":"T-1"}}}`},
		Requests: 30,
	})
}

func TestGuide(t *testing.T) { new(guidetest.Guide).Test(t) }
