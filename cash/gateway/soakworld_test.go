package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/registry"
)

const (
	soakQuota = 5               // calls of counted that each owner has
	soakKeeps = 2 * time.Minute // how long a server keeps what calls and lost clients leave behind
	soakBody  = 64 << 10        // bytes of a call's arguments
	soakRoles = 3

	soakOthers = 5 // clients of each sort that make their own messages
)

// soakFaces are the faces of the sessions, by turns of eight. Half are of the gateway, which keeps most.
var soakFaces = []string{"gateway", "cash", "gateway", "proxy", "gateway", "disclosure", "gateway", "facade", "gateway", "plain"}

// A soakWorld is a registry with all its faces, and what its functions know of their callers.
type soakWorld struct {
	ledger
	reg       *registry.Registry
	faces     map[string]soakFace
	command   *endpoint.Endpoint
	web       *httptest.Server
	client    *http.Transport
	upstreams []*soakUpstream
	agg       *upstream.Aggregator
	approvals *control.Approvals
	ids       map[string]string // of functions that stay, by path
	sessions  int
	pause     time.Duration // between the steps of a session, at most

	steps, deaths, returns, changes atomic.Int64
	shown                           sync.Once // the stacks of all goroutines

	mu      sync.Mutex
	tags    map[string]string // by owner; the owner that is nobody has o0
	handles []leftover
	plans   []leftover
	counted map[string]*[2]int // by tag: calls of counted that went through, and all
}

// A soakFace is a server of one face.
type soakFace interface {
	cashtest.Face
	Shutdown(context.Context) error
}

// A leftover is something of an owner's that others try.
type leftover struct{ tag, value string }

func newSoakWorld(t *testing.T, sessions int) *soakWorld {
	w := &soakWorld{
		reg: registry.New(nil), sessions: sessions,
		tags: map[string]string{"": "o0"}, counted: make(map[string]*[2]int), ids: make(map[string]string),
		approvals: control.NewApprovals(&control.ApprovalOptions{OperatorOnly: true, Max: 10 * sessions, MaxAge: soakKeeps}),
		client:    &http.Transport{MaxIdleConnsPerHost: sessions},
	}
	if *soak >= soakLong {
		w.pause = 4 * time.Second
	}
	w.register(t)
	w.mount(t)
	w.serve(t)
	for f := range w.reg.All() {
		w.ids[f.Path()] = f.Primitive().String()
	}
	return w
}

// register adds the functions of the registry itself.
func (w *soakWorld) register(t *testing.T) {
	for name, fact := range map[string]registry.FuncOption{
		"own": registry.ReadOnly, "cached": registry.ReadOnly, "planned": registry.Tags(), "approved": registry.ReadOnly, "counted": registry.ReadOnly,
	} {
		f, err := registry.RemoteFunc(name, "Does "+name+".", registry.Remote{Handler: w.answer}, fact)
		if err != nil {
			t.Fatal(err)
		}
		w.reg.Namespace("soak", "").Add(f)
	}
	for user := range w.sessions {
		w.reg.Namespace("private", "Private things.").Add(registry.Func(fmt.Sprintf("private_%d_", user), "A private thing.", nothing,
			registry.VisibleTo(func(_ context.Context, c *registry.Caller) bool { return c != nil && c.ID == userName(user) })))
	}
	w.churn(0)
}

// churn registers and removes functions that come and go, each for the callers of a role.
func (w *soakWorld) churn(turn int) {
	tree := registry.New(nil)
	tree.Namespace("", "Things that come and go.")
	for i := range 6 {
		if (turn+i)%4 == 0 {
			continue
		}
		role := "r" + strconv.Itoa(i%soakRoles)
		f, err := registry.RemoteFunc(fmt.Sprintf("churn_%s_%d", role, i), fmt.Sprintf("Comes and goes, turn %d.", turn%8),
			registry.Remote{Handler: w.answer}, registry.ReadOnly, registry.VisibleTo(registry.Roles(role)))
		if err != nil {
			panic(err)
		}
		tree.Namespace("", "").Add(f)
	}
	if err := w.reg.Replace("churn", tree); err != nil {
		panic(err)
	}
}

// mount adds upstream servers of all sorts.
func (w *soakWorld) mount(t *testing.T) {
	w.agg = upstream.New(w.reg, nil)
	w.upstreams = newSoakUpstreams(t)
	for _, u := range w.upstreams {
		if err := w.agg.Add(u.settings()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := w.agg.Wait(ctx); err != nil {
		t.Fatal(err)
	}
}

// serve makes the faces, each in memory and at a path of one HTTP server.
func (w *soakWorld) serve(t *testing.T) {
	o := serve.Options{MaxArguments: soakBody, SessionTimeout: soakKeeps, Timeout: 3 * time.Minute}
	controlled := o
	controlled.Controls = &control.Controls{
		Policy: control.NewPolicy(&control.PolicyOptions{Approvals: w.approvals, Rules: []control.Rule{{Decision: control.RequireApproval, Tools: []string{"soak.approved"}}}}),
		Cache:  control.NewCache(&control.CacheOptions{ReadOnly: true, Allow: []string{"soak.cached"}, TTL: soakKeeps}),
		Quota:  control.NewQuota(&control.QuotaOptions{Tools: map[string]control.Limit{"soak.counted": {PerSession: soakQuota}}}),
		Plans: control.NewPlans(&control.PlanOptions{MaxAge: soakKeeps,
			Require: func(c *registry.Call) bool { return c.Function.Name() == "planned" }}),
	}
	store := firewall.NewMemory(&firewall.MemoryOptions{
		MaxBytes: 1 << 32, MaxBytesPerOwner: 1 << 32, MaxArtifacts: 1 << 20, MaxPerOwner: 1 << 20, MaxAge: soakKeeps, Promise: soakKeeps,
	})
	w.faces = map[string]soakFace{
		"gateway":    gateway.NewServer(w.reg, &gateway.Options{CacheStable: true, Serve: controlled, Firewall: firewall.New(&firewall.Options{Store: store})}),
		"proxy":      gateway.NewServer(w.reg, &gateway.Options{Mode: gateway.Proxy, Serve: o}),
		"cash":       cash.NewServer(w.reg, &cash.Options{Serve: o}),
		"disclosure": disclosure.NewServer(w.reg, &disclosure.Options{Serve: o, FetchesPerMinute: -1}),
		"facade":     facade.NewServer(w.reg, &facade.Options{Serve: o}),
		"plain":      plain.NewServer(w.reg, &plain.Options{Serve: o}),
	}
	w.command = endpoint.New(w.reg, nil)
	mux := http.NewServeMux()
	for name, face := range w.faces {
		mux.Handle("/"+name, face.Handler())
	}
	w.web = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if user, err := strconv.Atoi(r.Header.Get("X-Caller")); err == nil {
			r = r.WithContext(registry.WithCaller(r.Context(), soakCaller(user)))
		}
		mux.ServeHTTP(rw, r)
	}))
}

// end stops everything.
func (w *soakWorld) end(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for name, face := range w.faces {
		if err := face.Shutdown(ctx); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.client.CloseIdleConnections()
	w.web.CloseClientConnections()
	w.web.Close()
	if err := w.agg.Close(ctx); err != nil {
		t.Errorf("upstreams: %v", err)
	}
	for _, u := range w.upstreams {
		u.stop()
	}
}

// work lets everybody work, and checks what has to add up in the end.
func (w *soakWorld) work(t *testing.T, lasts time.Duration) {
	defer w.end(t)
	sessions := make([]*soakSession, w.sessions)
	for i := range sessions {
		sessions[i] = w.connect(t, i)
	}
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	goesOn := func() bool { return ctx.Err() == nil && !t.Failed() }
	var all sync.WaitGroup
	for _, s := range sessions {
		all.Go(func() {
			for goesOn() {
				s.rest(ctx)
				s.step(t)
			}
		})
	}
	for _, one := range []func(*testing.T, int){w.pipeline, w.post, w.readSlowly, w.vanish, w.execute} {
		for k := range soakOthers {
			all.Go(func() {
				for i := k; i == k || goesOn(); i += soakOthers {
					one(t, i)
					rest(ctx, w.pause)
				}
			})
		}
	}
	all.Go(func() { w.trouble(ctx, t) })
	stop, samples := make(chan struct{}), make(chan []soakSample)
	go func() { samples <- w.watch(t, lasts, stop) }()
	all.Wait()
	close(stop)
	taken := <-samples
	w.settle(t, sessions)
	if lasts >= soakLong {
		judge(t, taken)
	}
	for _, s := range sessions {
		if err := s.conn.Close(); err != nil {
			t.Errorf("ending a session of %s: %v", s.face, err)
		}
	}
}

// showStacks prints what all goroutines do, once.
func (w *soakWorld) showStacks(why string) {
	w.shown.Do(func() {
		stacks := make([]byte, 64<<20)
		fmt.Fprintf(os.Stderr, "%s:\n%s\n", why, stacks[:runtime.Stack(stacks, true)])
	})
}

// rest waits for a random part of a time.
func rest(ctx context.Context, most time.Duration) {
	if most <= 0 {
		return
	}
	select {
	case <-time.After(randomPart(most)):
	case <-ctx.Done():
	}
}

func userName(i int) string { return fmt.Sprintf("user-%d", i) }

func userRole(i int) string { return "r" + strconv.Itoa(i%soakRoles) }

// Callers beyond those of sessions.
const (
	soakPipeliner = 1_000_000 + iota
	soakPoster
	soakSlow
	soakVanishing
	soakCommand
)

func soakCaller(i int) *registry.Caller { return named(userName(i), userRole(i)) }

// answer says whose result it is, as often as the arguments ask, after the time that they ask.
func (w *soakWorld) answer(ctx context.Context, c *registry.Call) (*registry.Result, error) {
	return soakAnswer(ctx, w.tag(c.Owner()), c.Arguments)
}

// soakAnswer is the answer of all functions.
func soakAnswer(ctx context.Context, tag string, arguments json.RawMessage) (*registry.Result, error) {
	var in struct {
		Nonce string
		Size  int
		Pause int // ms
	}
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &in); err != nil {
			return nil, err
		}
	}
	if in.Pause > 0 {
		select {
		case <-time.After(time.Duration(in.Pause) * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	mark := fmt.Sprintf("[tag %s nonce %s] ", tag, in.Nonce)
	return registry.TextResult(strings.Repeat(mark, 1+in.Size/len(mark))), nil
}

// tag returns the short name of an owner.
func (w *soakWorld) tag(owner string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tags[owner] == "" {
		w.tags[owner] = fmt.Sprintf("o%d", len(w.tags))
	}
	return w.tags[owner]
}

// settle checks what has to add up in the end: no two sessions are one owner unless they are one caller, each owner
// has had its share, and every request is accounted for.
func (w *soakWorld) settle(t *testing.T, sessions []*soakSession) {
	who := make(map[string]int)
	for i, s := range sessions {
		if first, taken := who[s.tag]; taken && (!s.shared || sessions[first].user != s.user) {
			t.Errorf("sessions %d and %d are both %s", first, i, s.tag)
		}
		who[s.tag] = i
	}
	for tag, c := range w.counted {
		if c[0] != min(soakQuota, c[1]) {
			t.Errorf("%s: %d of %d calls went through, the quota is %d", tag, c[0], c[1], soakQuota)
		}
	}
	if len(w.counted) == 0 && w.steps.Load() > 1000 {
		t.Error("nothing was counted")
	}
	if w.deaths.Load() != w.returns.Load() {
		t.Errorf("%d upstream servers died, and %d came back", w.deaths.Load(), w.returns.Load())
	}
	t.Logf("%d sessions of %d owners took %d steps; %d deaths, %d changes; %d requests", len(sessions), len(who), w.steps.Load(),
		w.deaths.Load(), w.changes.Load(), w.sent.Load())
	if *soak > 0 {
		w.report(t)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
