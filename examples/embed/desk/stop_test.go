package desk

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// A stop in the middle of calls loses none of them: each is done, or was refused and has not run. Until the calls are
// done, the service is alive and not ready.
func TestStopLosesNoCall(t *testing.T) {
	for _, version := range protocolVersions {
		t.Run(version, func(t *testing.T) {
			const calls = 20
			store := &slow{memory: newMemory(), gate: make(chan struct{}), waiting: make(chan struct{}, 2*calls)}
			filled := make(tickets)
			for i := range calls + 1 {
				id := fmt.Sprint("T-", i)
				filled[ticketKey{"acme", id}] = Ticket{ID: id, Status: "open"}
			}
			store.tickets.Store(&filled)
			s := newStand(t, store)
			for _, path := range []string{"/livez", "/readyz"} {
				if a := s.do(t, "", "GET", path, ""); a.code != http.StatusOK {
					t.Errorf("before the stop: %s: %+v", path, a)
				}
			}
			carla := s.connect(t, "carla", version)
			var all sync.WaitGroup
			for i := range calls {
				all.Go(func() {
					r, err := closeTicket(t.Context(), carla.Session, fmt.Sprint("T-", i))
					if err != nil || !strings.Contains(r, `"closed_by":"carla"`) {
						t.Errorf("call %d: %s, %v", i, r, err)
					}
				})
			}
			for range calls {
				<-store.waiting
			}
			s.stop()
			for s.do(t, "", "GET", "/readyz", "").code != http.StatusServiceUnavailable {
				if t.Context().Err() != nil {
					t.Fatal("it stays ready")
				}
			}
			if a := s.do(t, "", "GET", "/livez", ""); a.code != http.StatusOK {
				t.Errorf("while stopping: /livez: %+v", a)
			}
			if r, err := closeTicket(t.Context(), carla.Session, fmt.Sprint("T-", calls)); err != nil || !strings.Contains(r, "shutting down") {
				t.Errorf("a call while stopping: %s, %v", r, err)
			}
			close(store.gate)
			all.Wait()
			if err := <-s.ended; err != nil {
				t.Errorf("serve returned %v", err)
			}
			closed := 0
			for _, ticket := range *store.tickets.Load() {
				if ticket.Status == "closed" {
					closed++
				}
			}
			if closed != calls {
				t.Errorf("%d tickets are closed, want %d", closed, calls)
			}
		})
	}
}

// A command that is told to stop ends, and a port that is taken is an error.
func TestRun(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	out, log := make(firstLine, 1), new(lines)
	ended := make(chan error, 1)
	ctx, stop := context.WithCancel(ctx)
	go func() { ended <- run(ctx, []string{"-addr", "127.0.0.1:0"}, testEnv, out, log) }()
	addr, ok := strings.CutPrefix(<-out, "listening on http://")
	if !ok {
		t.Fatal("it does not say where it listens")
	}
	if err := run(ctx, []string{"-addr", strings.TrimSpace(addr)}, testEnv, out, log); err == nil {
		t.Error("two services listen on one port")
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for name, tt := range map[string]struct{ args, keys string }{
		"no keys": {"", ""}, "a short key": {"", "0102"}, "one bad key": {"", testKeys + ",x"},
		"an argument": {"x", testKeys}, "a carrier without a token": {"-carrier https://carrier.example/mcp", testKeys}, "no URL": {"-url desk", testKeys}, "no host": {"-addr :0", testKeys}, "an unknown flag": {"-x", testKeys},
	} {
		if err := run(ctx, strings.Fields(tt.args), func(name string) string { return map[string]string{"DESK_KEYS": tt.keys}[name] }, out, log); err == nil {
			t.Errorf("%s: no error", name)
		} else if tt.keys != "" && strings.Contains(err.Error(), tt.keys[:4]) {
			t.Errorf("%s: the error shows a key: %v", name, err)
		}
	}
}

// run runs the service as the command does.
func run(ctx context.Context, args []string, getenv func(string) string, out, log io.Writer) error {
	cfg, err := Configure(args, getenv, log)
	if err != nil {
		return err
	}
	s, err := New(cfg, log, nil)
	if err != nil {
		return err
	}
	return s.Run(ctx, out)
}

// firstLine passes on the first line that is written.
type firstLine chan string

func (f firstLine) Write(p []byte) (int, error) {
	select {
	case f <- string(p):
	default:
	}
	return len(p), nil
}
