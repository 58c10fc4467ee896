package cash_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// service is a gateway and a server in stages, of two replicas that get the requests in turn.
type service struct {
	write    *registry.Function
	replicas [2]atomic.Pointer[http.ServeMux]
	turn     atomic.Uint64
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.replicas[s.turn.Add(1)%2].Load().ServeHTTP(w, r)
}

// replica returns a replica with keys, whose clock is ahead.
func (s *service) replica(ahead time.Duration, keys ...[]byte) *http.ServeMux {
	reg := registry.New(nil)
	reg.Namespace("up", "Writes.").Add(s.write)
	now := func() time.Time { return time.Now().Add(ahead) }
	identify := func(context.Context, *serve.Incoming) (*registry.Caller, error) {
		return &registry.Caller{ID: "ann"}, nil
	}
	plans := control.NewPlans(&control.PlanOptions{
		Require: func(*registry.Call) bool { return true }, MaxAge: time.Minute, Keys: keys, Now: now,
	})
	mux := http.NewServeMux()
	mux.Handle("/gateway", gateway.NewServer(reg, &gateway.Options{Serve: serve.Options{
		Identify: identify, HTTP: serve.NoSessions, Controls: &control.Controls{Plans: plans},
	}}).Handler())
	mux.Handle("/stages", disclosure.NewServer(reg, &disclosure.Options{
		Serve: serve.Options{Identify: identify}, FetchesPerMinute: -1, Now: now,
		Grants: &disclosure.Grants{Keys: keys, TTL: time.Minute},
	}).Handler())
	return mux
}

// roll restarts both replicas, one after the other.
func (s *service) roll(keys ...[]byte) {
	for i := range s.replicas {
		s.replicas[i].Store(s.replica(0, keys...))
	}
}

// plan returns the token of a dry run.
func (s *service) plan(c *cashtest.Client) (string, error) {
	var report struct {
		Token string `json:"plan_token"`
	}
	text, err := called(c, "tool_execute", map[string]any{"tool_id": s.write.In("up").ID().String(), "dry_run": true})
	if err == nil {
		err = json.Unmarshal([]byte(text), &report)
	}
	return report.Token, err
}

func (s *service) execute(c *cashtest.Client, token string) error {
	_, err := called(c, "tool_execute", map[string]any{"tool_id": s.write.In("up").ID().String(), "plan_token": token})
	return err
}

// fetch returns the grant of a fetch.
func (s *service) fetch(c *cashtest.Client) (string, error) {
	res, err := c.Session.ReadResource(context.Background(), &mcp.ReadResourceParams{URI: disclosure.DefaultURI + "?tools=up-write"})
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(res.Contents[0].Text, `"_grant":"`)
	grant, _, ok := strings.Cut(rest, `"`)
	if !ok {
		return "", fmt.Errorf("no grant: %s", res.Contents[0].Text)
	}
	return grant, nil
}

func (s *service) use(c *cashtest.Client, grant string) error {
	_, err := called(c, "up-write", map[string]any{"_grant": grant})
	return err
}

// called returns the text of a result. An error result is an error.
func called(c *cashtest.Client, tool string, args map[string]any) (string, error) {
	res, err := c.Session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "", err
	}
	text := res.Content[0].(*mcp.TextContent).Text
	if res.IsError {
		return "", fmt.Errorf("%s", text)
	}
	return text, nil
}

// The keys of plans and grants change under clients that go on and notice nothing. A token from before holds until it
// expires. It is unknown once its key is gone.
func TestKeysRotateUnderClients(t *testing.T) {
	old, young := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	s := &service{write: registry.Func("write", "Write.", func(context.Context, struct{}) (string, error) { return "written", nil })}
	s.roll(old)
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	d := &cashtest.Dialer{Version: "2026-07-28"}
	dial := func(path string) *cashtest.Client { return d.ConnectHTTP(t, web.URL+path) }

	rounds, stop := make(chan int), make(chan struct{})
	var workers sync.WaitGroup
	run := func(id int, get func() (string, error), use func(string) error) {
		workers.Go(func() {
			for {
				token, err := get()
				if err == nil {
					err = use(token)
				}
				if err != nil {
					t.Errorf("client %d: %v", id, err)
				}
				select {
				case rounds <- id:
				case <-stop:
					return
				}
			}
		})
	}
	const clients = 4
	for id := range clients {
		if c := dial([]string{"/gateway", "/stages"}[id%2]); id%2 == 0 {
			run(id, func() (string, error) { return s.plan(c) }, func(token string) error { return s.execute(c, token) })
		} else {
			run(id, func() (string, error) { return s.fetch(c) }, func(grant string) error { return s.use(c, grant) })
		}
	}
	everyone := func() { // has begun and ended a round
		var did [clients]int
		for left := clients; left > 0; {
			if id := <-rounds; did[id] < 2 {
				if did[id]++; did[id] == 2 {
					left--
				}
			}
		}
	}

	planner, reader := dial("/gateway"), dial("/stages")
	plan := func() string {
		token, err := s.plan(planner)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	plans := []string{plan(), plan(), plan(), plan()}
	grant, err := s.fetch(reader)
	if err != nil {
		t.Fatal(err)
	}
	holds := func(when, token string) {
		if err := s.execute(planner, token); err != nil {
			t.Errorf("%s: the plan token: %v", when, err)
		}
		if err := s.use(reader, grant); err != nil {
			t.Errorf("%s: the grant: %v", when, err)
		}
	}
	everyone()
	holds("before", plans[0])
	s.roll(old, young)
	everyone()
	holds("with a key to come", plans[1])
	s.roll(young, old)
	everyone()
	holds("with a former key", plans[2])
	fresh := plan()
	s.roll(young)
	everyone()
	close(stop)
	workers.Wait()

	refused := func(when, token, grant, problem string) {
		if err := s.execute(planner, token); err == nil || !strings.Contains(err.Error(), `"plan_token":"`+problem+`"`) {
			t.Errorf("%s: the plan token: %v", when, err)
		}
		if err := s.use(reader, grant); err == nil || !strings.Contains(err.Error(), "TOOL_DESCRIPTION_REQUIRED") {
			t.Errorf("%s: the grant: %v", when, err)
		}
	}
	refused("without its key", plans[3], grant, "unknown")
	if err := s.execute(planner, fresh); err != nil {
		t.Errorf("a token of the new key: %v", err)
	}
	late := s.replica(time.Minute, young, old)
	for i := range s.replicas {
		s.replicas[i].Store(late)
	}
	refused("a minute later", plans[3], grant, "expired")
}
