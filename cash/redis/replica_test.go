package redis_test

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
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/redis"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/registry"
)

// A role is what a process serves as a replica. It is its environment variable CASH_REDIS_REPLICA.
type role struct {
	Redis    string // address
	Listen   string // address
	Recorder string // URL; see [recorder]
	Prefix   string
	Minute   time.Duration // of quotas
	Limit    int           // of shop.ping per minute
}

// connect connects as long as the server does not answer, for half a minute.
func (r role) connect() (c *redis.Client, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		c, err = redis.New(ctx, &redis.Options{
			Addresses: []string{r.Redis}, Prefix: r.Prefix, Key: key, Timeout: time.Second,
			Artifacts: redis.ArtifactLimits{MaxBytes: 1 << 30, MaxBytesPerOwner: 1 << 29, MaxArtifacts: 1e6, MaxPerOwner: 1e6, Promise: 30 * time.Minute},
			Results:   redis.ResultLimits{MaxPerOwner: 1e6, MaxBytes: 1 << 30, MaxEntries: 1e6},
		})
		if err == nil || ctx.Err() != nil {
			return c, err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// work serves until the process is killed or its standard input ends.
func (r role) work() error {
	shared, err := r.connect()
	if err != nil {
		return err
	}
	defer shared.Close()
	shared.SetMinute(r.Minute)
	web := newFaces(storesOf(shared), r.Limit, r.record).handler()
	listener, err := net.Listen("tcp", r.Listen)
	if err != nil {
		return err
	}
	go func() { _ = http.Serve(listener, web) }()
	_, _ = io.Copy(io.Discard, os.Stdin)
	return nil
}

// record tells the recorder that a function has run. Its call was admitted between began and now.
func (r role) record(id string, began time.Time) error {
	at := url.Values{"id": {id}, "began": {strconv.FormatInt(began.UnixMicro(), 10)}, "now": {strconv.FormatInt(time.Now().UnixMicro(), 10)}}
	res, err := http.PostForm(r.Recorder, at)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

type began struct{} // the context's key of the time at which a call began

type idOnly struct {
	ID string `json:"id"`
}

// stores are those of a replica. Nil ones are in memory.
type stores struct {
	plans     control.PlanStore
	quota     control.QuotaStore
	approvals control.ApprovalStore
	results   control.ResultStore
	artifacts firewall.Store
}

func storesOf(c *redis.Client) stores {
	return stores{c.Plans(), c.Quota(), c.Approvals(), c.Results(), c.Artifacts()}
}

// faces are what a replica serves.
type faces struct {
	cash      *cash.Server
	gateway   *gateway.Server
	approvals *control.Approvals
}

// newFaces returns faces with all controls. limit is that of shop.ping per minute. ran is told of every run of a
// function.
func newFaces(in stores, limit int, ran func(id string, began time.Time) error) *faces {
	f := &faces{approvals: control.NewApprovals(&control.ApprovalOptions{OperatorOnly: true, Store: in.approvals})}
	options := serve.Options{
		HTTP: serve.NoSessions,
		Identify: func(_ context.Context, in *serve.Incoming) (*registry.Caller, error) {
			return &registry.Caller{ID: in.Header.Get("User")}, nil
		},
		Middleware: []registry.Middleware{func(next registry.Handler) registry.Handler {
			return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
				return next(context.WithValue(ctx, began{}, time.Now()), c)
			}
		}},
		Limiter: registry.NewLimiter(&registry.Limits{Calls: -1, PerCaller: -1}),
		Controls: &control.Controls{
			Policy: control.NewPolicy(&control.PolicyOptions{Approvals: f.approvals, Rules: []control.Rule{{Decision: control.RequireApproval, Tools: []string{"shop.wipe"}}}}),
			Quota:  control.NewQuota(&control.QuotaOptions{Store: in.quota, Tools: map[string]control.Limit{"shop.ping": {PerMinute: limit}}}),
			Plans: control.NewPlans(&control.PlanOptions{
				Store: in.plans, Keys: [][]byte{key}, Require: func(c *registry.Call) bool { return c.Function.Destructive() },
			}),
		},
	}
	reg := registry.New(nil)
	shop := reg.Namespace("shop", "What replicas do.")
	add := func(name string, times int, opts ...registry.FuncOption) {
		shop.Add(registry.Func(name, "Does "+name+".", func(ctx context.Context, in idOnly) (string, error) {
			at, _ := ctx.Value(began{}).(time.Time)
			return strings.Repeat(name+" "+in.ID+"\n", times), ran(name+" "+in.ID, at)
		}, opts...))
	}
	add("pay", 1, registry.Destructive(true))
	add("ping", 1)
	add("wipe", 1)
	add("book", 1)
	add("echo", 1, registry.ReadOnly)
	add("export", 100)
	add("report", 500)
	add("read", 500, registry.ReadOnly)
	f.cash = cash.NewServer(reg, &cash.Options{Name: "shop", SizeLimit: 1000, Replays: in.results, Serve: options})
	f.gateway = gateway.NewServer(reg, &gateway.Options{Firewall: firewall.New(&firewall.Options{Store: in.artifacts, Inline: 2000}), Serve: options})
	return f
}

// handler serves /cash and /gateway, and for the operator /pending and /approve.
func (f *faces) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/cash", f.cash.Handler())
	mux.Handle("/gateway", f.gateway.Handler())
	mux.HandleFunc("/pending", func(w http.ResponseWriter, r *http.Request) {
		list, err := f.approvals.Pending(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
		for _, one := range list {
			fmt.Fprintln(w, one.ID)
		}
	})
	mux.HandleFunc("/approve", func(w http.ResponseWriter, r *http.Request) {
		if ok, err := f.approvals.Approve(r.Context(), r.FormValue("id")); err != nil || !ok {
			http.Error(w, fmt.Sprint(ok, err), http.StatusServiceUnavailable)
		}
	})
	return mux
}

// A recorder counts the runs of functions, apart from all stores. It is in the process of the test, which nobody kills.
type recorder struct {
	mu   sync.Mutex
	runs map[string][]run
}

// A run was admitted between two times.
type run struct{ began, ended int64 } // microseconds

func (r *recorder) note(id string, one run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs[id] = append(r.runs[id], one)
}

// of returns how often a function has run with an id.
func (r *recorder) of(id string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.runs[id])
}

// each calls f with the runs of a function by id.
func (r *recorder) each(name string, f func(id string, runs []run)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, runs := range r.runs {
		if rest, ok := strings.CutPrefix(id, name+" "); ok {
			f(rest, runs)
		}
	}
}

// busiest returns the most runs of a function that were surely admitted within one window of that length, and the
// number of all.
func (r *recorder) busiest(name string, window time.Duration) (most, all int) {
	var list []run
	r.each(name, func(_ string, runs []run) { list = append(list, runs...) })
	slices.SortFunc(list, func(a, b run) int { return int(a.began - b.began) })
	for i, first := range list {
		n := 0
		for _, one := range list[i:] {
			if one.began >= first.began+window.Microseconds() {
				break
			}
			if one.ended < first.began+window.Microseconds() {
				n++
			}
		}
		most = max(most, n)
	}
	return most, len(list)
}

// A stand is some replicas over one server, and a recorder.
type stand struct {
	*recorder
	t        *testing.T
	server   *server
	replicas []*process
	client   *http.Client
}

// A process is a replica.
type process struct {
	url  string
	role role
	cmd  *exec.Cmd
	stop io.Closer // its standard input
}

// newStand starts n replicas over a server.
func newStand(t *testing.T, s *server, n int, r role) *stand {
	t.Helper()
	st := &stand{
		t: t, server: s, recorder: &recorder{runs: make(map[string][]run)},
		client: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 100}},
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		before, err1 := strconv.ParseInt(r.FormValue("began"), 10, 64)
		after, err2 := strconv.ParseInt(r.FormValue("now"), 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		st.note(r.FormValue("id"), run{before, after})
	}))
	t.Cleanup(web.Close)
	r.Redis, r.Recorder = s.address, web.URL
	for range n {
		port, err := freePort()
		if err != nil {
			t.Fatal(err)
		}
		r.Listen = "127.0.0.1:" + port
		p := &process{url: "http://" + r.Listen, role: r}
		st.replicas = append(st.replicas, p)
		t.Cleanup(func() { p.kill() })
		if err := p.start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range st.replicas {
		if err := p.ready(); err != nil {
			t.Fatal(err)
		}
	}
	return st
}

// in returns the stand for a part of its test.
func (s *stand) in(t *testing.T) *stand {
	part := *s
	part.t = t
	return &part
}

// start starts the process.
func (p *process) start() error {
	text, err := json.Marshal(p.role)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p.cmd = exec.Command(self)
	p.cmd.Env = append(os.Environ(), "CASH_REDIS_REPLICA="+string(text))
	p.cmd.Stderr = os.Stderr
	if p.stop, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	return p.cmd.Start()
}

// ready waits until the process listens.
func (p *process) ready() error {
	for range 3000 {
		conn, err := net.Dial("tcp", p.role.Listen)
		if err == nil {
			return conn.Close()
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("the replica at %s does not listen", p.role.Listen)
}

// kill ends the process at once.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	_ = p.stop.Close()
}

// An answer is that of a tool.
type answer struct {
	Text    string
	IsError bool
}

// errTold is an answer that is no result: of HTTP, or of JSON-RPC.
var errTold = errors.New("no result")

// tool calls a tool of a replica for a user. An error that is not errTold is one of the connection: the outcome is
// unknown.
func (s *stand) tool(user string, replica int, face, name string, args any) (answer, error) {
	return callTool(s.client, s.replicas[replica%len(s.replicas)].url+"/"+face, user, name, args)
}

// callTool calls a tool of a server without sessions.
func callTool(client *http.Client, url, user, name string, args any) (a answer, err error) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": name, "arguments": args, "_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
			"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "x", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": struct{}{},
		},
	}})
	if err != nil {
		return a, err
	}
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "User": user,
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name,
	} {
		req.Header.Set(name, value)
	}
	res, err := client.Do(req)
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return a, err
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		_, text, _ = bytes.Cut(text, []byte("data: "))
	}
	var reply struct {
		Result *struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal(text, &reply); err != nil || reply.Result == nil || len(reply.Result.Content) == 0 {
		return a, fmt.Errorf("%w: %s, %.300s", errTold, res.Status, text)
	}
	return answer{reply.Result.Content[0].Text, reply.Result.IsError}, nil
}

// call calls a function through the tool call. more are further arguments of the tool.
func (s *stand) call(user string, replica int, function, id string, more map[string]any) (answer, error) {
	return s.tool(user, replica, "cash", "call", callArgs(function, id, more))
}

func callArgs(function, id string, more map[string]any) map[string]any {
	args := map[string]any{"namespace": "shop", "function": function, "kwargs": idOnly{id}}
	for name, value := range more {
		args[name] = value
	}
	return args
}

// must is call, and ends the test if the result is no success.
func (s *stand) must(user string, replica int, function, id string, more map[string]any) string {
	s.t.Helper()
	a, err := s.call(user, replica, function, id, more)
	if err != nil || a.IsError {
		s.t.Fatalf("%s %s on replica %d: %v, %s", function, id, replica, err, a.Text)
	}
	return a.Text
}

// planToken returns the token in the report of a dry run; empty for none.
func planToken(a answer) string {
	var report struct {
		Token string `json:"plan_token"`
	}
	_ = json.Unmarshal([]byte(a.Text), &report)
	return report.Token
}

// execute runs a function through tool_execute, and returns the handle of its first artifact.
func (s *stand) execute(user string, replica int, id string, args any) (handle string, a answer, err error) {
	a, err = s.tool(user, replica, "gateway", "tool_execute", map[string]any{"tool_id": id, "args": args})
	return handleOf(a), a, err
}

// handleOf returns the handle of the first artifact of an envelope; empty for none.
func handleOf(a answer) string {
	var envelope firewall.Envelope
	if err := json.Unmarshal([]byte(a.Text), &envelope); err != nil || len(envelope.Artifacts) == 0 {
		return ""
	}
	return envelope.Artifacts[0].Handle
}

// toolID returns the id of a function on its card.
func (s *stand) toolID(name string) string {
	s.t.Helper()
	a, err := s.tool("ada", 0, "gateway", "tool_browse", map[string]any{"path": "/shop"})
	id := regexp.MustCompile("shop:" + name + "#[0-9a-f]+").FindString(a.Text)
	if err != nil || id == "" {
		s.t.Fatalf("browsing for %s: %v, %s", name, err, a.Text)
	}
	return id
}
