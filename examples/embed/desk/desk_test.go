package desk

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// Methods are tested by calling them, with a caller in the context.
func TestDesk(t *testing.T) {
	store := newMemory()
	d := &desk{store}
	closing := inTx(store, d.Close)
	ctx := registry.WithCaller(t.Context(), caller(User{"carla", "acme", nil}))
	if closed, err := closing(ctx, TicketRef{"T-1"}); err != nil || closed != (Ticket{"T-1", "Where is my parcel?", "closed", "carla"}) {
		t.Errorf("%+v, %v", closed, err)
	}
	if again, err := closing(registry.WithCaller(ctx, caller(User{"anton", "acme", nil})), TicketRef{"T-1"}); err != nil || again.ClosedBy != "carla" {
		t.Errorf("closed twice: %+v, %v", again, err)
	}
	if _, err := closing(ctx, TicketRef{"T-9"}); !errors.Is(err, ErrNoTicket) {
		t.Errorf("no ticket: %v", err)
	}
	if list, err := d.List(t.Context(), ListTickets{}); err != nil || len(list) != 0 {
		t.Errorf("without a caller: %+v, %v", list, err)
	}
	if count, err := d.Workload(ctx, struct{}{}); err != nil || count["carla"] != 2 {
		t.Errorf("workload: %v, %v", count, err)
	}
}

// A transaction is invisible until it ends, and leaves nothing behind if it fails or its caller has gone.
func TestTransaction(t *testing.T) {
	m := newMemory()
	gone, leave := context.WithCancel(t.Context())
	open := func() int {
		list, err := (&desk{m}).List(registry.WithCaller(t.Context(), caller(User{"carla", "acme", nil})), ListTickets{Status: "open"})
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	change := func(end func() error) func(context.Context) error {
		return func(ctx context.Context) error {
			if err := m.Delete(ctx, "acme", "T-1"); err != nil {
				t.Error(err)
			}
			if n := open(); n != 2 {
				t.Errorf("%d are open before the end", n)
			}
			return end()
		}
	}
	if err := m.InTx(t.Context(), change(func() error { return errStore })); !errors.Is(err, errStore) || open() != 2 {
		t.Errorf("a failure: %v, %d open", err, open())
	}
	if err := m.InTx(gone, change(func() error { leave(); return nil })); !errors.Is(err, context.Canceled) || open() != 2 {
		t.Errorf("a caller who left: %v, %d open", err, open())
	}
	if err := m.InTx(gone, func(context.Context) error { return nil }); err == nil {
		t.Error("a transaction for a caller who has left")
	}
	if err := m.InTx(t.Context(), change(func() error { return nil })); err != nil || open() != 1 {
		t.Errorf("%v, %d open", err, open())
	}
	if err := m.Delete(t.Context(), "acme", "T-2"); err == nil || open() != 1 {
		t.Error("a change without a transaction")
	}
}

func TestClientAddress(t *testing.T) {
	for name, tt := range map[string]struct {
		remote    string
		forwarded []string
		want      string
	}{
		"direct":                        {"203.0.113.5:9", nil, "203.0.113.5/32"},
		"direct, with a claim":          {"203.0.113.5:9", []string{"198.51.100.1"}, "203.0.113.5/32"},
		"by the proxy":                  {"127.0.0.1:9", []string{"198.51.100.1"}, "198.51.100.1/32"},
		"by the proxy, over IPv6":       {"[::1]:9", []string{"2001:db8:1:2:3::4"}, "2001:db8:1:2::/64"},
		"by the proxy, with a claim":    {"127.0.0.1:9", []string{"10.0.0.1, 198.51.100.1"}, "198.51.100.1/32"},
		"by the proxy, with two claims": {"127.0.0.1:9", []string{"10.0.0.1", "10.0.0.2,198.51.100.1"}, "198.51.100.1/32"},
		"on this machine":               {"127.0.0.1:9", nil, "127.0.0.1/32"},
		"nonsense":                      {"127.0.0.1:9", []string{"unknown"}, "127.0.0.1/32"},
	} {
		r := &http.Request{RemoteAddr: tt.remote, Header: http.Header{"X-Forwarded-For": tt.forwarded}}
		if got := clientAddress(r); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// The routes work as they did before there was an MCP endpoint.
func TestRoutes(t *testing.T) {
	for _, tt := range []struct {
		method, path, user string
		code               int
		body               string
	}{
		{"GET", "/tickets", "carla", http.StatusOK, `"id":"T-3"`},
		{"GET", "/tickets?status=closed", "carla", http.StatusOK, `[{"id":"T-3"`},
		{"POST", "/tickets/T-1/close", "carla", http.StatusOK, `"closed_by":"carla"`},
		{"POST", "/tickets/T-2/close", "greta", http.StatusNotFound, "no ticket has this id"},
		{"DELETE", "/tickets/T-1", "carla", http.StatusForbidden, "for admins only"},
		{"DELETE", "/tickets/T-1", "anton", http.StatusOK, `"id":"T-1"`},
		{"DELETE", "/tickets/T-9", "anton", http.StatusNotFound, "no ticket has this id"},
	} {
		t.Run(tt.method+" "+tt.path+" "+tt.user, func(t *testing.T) {
			s := newStand(t, newMemory())
			if a := s.do(t, s.token(tt.user), tt.method, tt.path, ""); a.code != tt.code || !strings.Contains(a.body, tt.body) {
				t.Errorf("got %d, %s; want %d, %s", a.code, a.body, tt.code, tt.body)
			}
		})
	}
}
