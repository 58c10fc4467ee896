package gateway_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/registry"
)

var soak = flag.Duration("soak", 2*time.Second, "how long TestSessionsDoNotCross lets its sessions work")

const (
	soakSessions = 1000
	soakQuota    = 5 // calls of counted that each owner has
)

// TestSessionsDoNotCross lets sessions of all sorts work at once: of callers who are
// authenticated, some in two sessions, of anonymous ones who have a connection, and
// of such who have none. Every result holds who it was made for, and whoever gets
// anything of somebody else's fails the test: results, cached ones, artifacts, cards,
// plans, approvals and quotas.
func TestSessionsDoNotCross(t *testing.T) {
	w := newSoakWorld(t)
	sessions := make([]*soakSession, soakSessions)
	for i := range sessions {
		sessions[i] = w.connect(t, i)
	}
	ctx, cancel := context.WithTimeout(t.Context(), *soak)
	defer cancel()
	var all sync.WaitGroup
	for _, s := range sessions {
		all.Go(func() {
			// Everybody does something, however short the time is.
			for s.step(t); ctx.Err() == nil && !t.Failed(); {
				s.step(t)
			}
		})
	}
	all.Wait()
	w.settle(t, sessions)
}

// A soakWorld is a server, and what its functions know of their callers.
type soakWorld struct {
	srv       *gateway.Server
	url       string
	approvals *control.Approvals
	ids       map[string]string // of functions, by path
	client    *http.Transport

	mu      sync.Mutex
	tags    map[string]string // by owner; the owner that is nobody has o0
	handles []leftover
	plans   []leftover
	counted map[string]*[2]int // by tag: calls of counted that went through, and all
}

// A leftover is something of an owner's that others try.
type leftover struct{ tag, value string }

func newSoakWorld(t *testing.T) *soakWorld {
	w := &soakWorld{
		tags: map[string]string{"": "o0"}, counted: make(map[string]*[2]int), ids: make(map[string]string),
		approvals: control.NewApprovals(&control.ApprovalOptions{OperatorOnly: true, Max: 10 * soakSessions}),
		client:    &http.Transport{MaxIdleConnsPerHost: soakSessions},
	}
	reg := registry.New(nil)
	for name, fact := range map[string]registry.FuncOption{
		"own": registry.ReadOnly, "cached": registry.ReadOnly, "planned": registry.Tags(), "approved": registry.ReadOnly, "counted": registry.ReadOnly,
	} {
		f, err := registry.RemoteFunc(name, "Does "+name+".", registry.Remote{Handler: w.answer}, fact)
		if err != nil {
			t.Fatal(err)
		}
		reg.Namespace("soak", "").Add(f)
	}
	for user := range soakSessions {
		f := registry.Func(fmt.Sprintf("private_%d_", user), "A private thing.", nothing, registry.VisibleTo(func(_ context.Context, c *registry.Caller) bool { return c != nil && c.ID == userName(user) }))
		reg.Namespace("private", "").Add(f)
	}
	for f := range reg.All() {
		w.ids[f.Path()] = f.Primitive().String()
	}
	policy := control.NewPolicy(&control.PolicyOptions{Approvals: w.approvals, Rules: []control.Rule{{Decision: control.RequireApproval, Tools: []string{"soak.approved"}}}})
	cache := control.NewCache(&control.CacheOptions{ReadOnly: true, Allow: []string{"soak.cached"}})
	w.srv = gateway.NewServer(reg, &gateway.Options{
		CacheStable: true,
		Serve: serve.Options{Controls: &control.Controls{
			Policy: policy, Cache: cache,
			Quota: control.NewQuota(&control.QuotaOptions{Tools: map[string]control.Limit{"soak.counted": {PerSession: soakQuota}}}),
			Plans: control.NewPlans(&control.PlanOptions{Require: func(c *registry.Call) bool { return c.Function.Name() == "planned" }}),
		}},
		Firewall: firewall.New(&firewall.Options{Store: firewall.NewMemory(&firewall.MemoryOptions{
			MaxBytes: 1 << 32, MaxBytesPerOwner: 1 << 32, MaxArtifacts: 1 << 20, MaxPerOwner: 1 << 20,
		})}),
	})
	w.url = overHTTP(t, w.srv)
	t.Cleanup(w.client.CloseIdleConnections)
	return w
}

func userName(i int) string { return fmt.Sprintf("user-%d", i) }

// answer says whose result it is, as often as the arguments ask.
func (w *soakWorld) answer(_ context.Context, c *registry.Call) (*registry.Result, error) {
	var in struct {
		Nonce string
		Size  int
	}
	if err := json.Unmarshal(c.Arguments, &in); err != nil {
		return nil, err
	}
	mark := fmt.Sprintf("[tag %s nonce %s] ", w.tag(c.Owner()), in.Nonce)
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

// A soakSession is one client.
type soakSession struct {
	*soakWorld
	session *mcp.ClientSession
	user    int    // -1 is anonymous
	tag     string // learned from the first result
	shared  bool   // others have the same owner
	rand    *rand.Rand
	n       int
}

type callerHeader struct {
	next http.RoundTripper
	id   string
}

func (h callerHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	if h.id == "" {
		return h.next.RoundTrip(r)
	}
	r = r.Clone(r.Context())
	r.Header.Set("X-Caller", h.id)
	return h.next.RoundTrip(r)
}

// connect returns the i-th session. Of eight, two are anonymous in memory and one
// over either HTTP, and four are authenticated, of which the last is of the same
// caller as the one before.
func (w *soakWorld) connect(t *testing.T, i int) *soakSession {
	t.Helper()
	s := &soakSession{soakWorld: w, user: -1, rand: rand.New(rand.NewPCG(1, uint64(i)))}
	l := links[[]int{0, 1, 2, 3, 0, 2, 1, 3}[i%8]]
	if i%8 >= 4 {
		s.user = i
	}
	switch i % 8 {
	case 7:
		s.user, s.shared = i-1, true
	case 6:
		s.shared = i+1 < soakSessions
	case 3:
		s.shared = true // nobody
	}
	id := ""
	var ctx context.Context
	if s.user >= 0 {
		id = userName(s.user)
		ctx = as(id)
	}
	d := &cashtest.Dialer{Version: l.Version, Context: ctx, HTTPClient: &http.Client{Transport: callerHeader{w.client, id}}, Timeout: 2 * time.Minute}
	if l.HTTP {
		s.session = d.ConnectHTTP(t, w.url).Session
	} else {
		s.session = d.Connect(t, w.srv).Session
	}
	return s
}

var soakMark = regexp.MustCompile(`\[tag (o\d+) nonce ([a-z0-9-]*)\]`)

// call calls a tool, and checks that what comes back is the session's own. The code is
// that of an error, or "".
func (s *soakSession) call(t *testing.T, tool string, args object, nonce string) (text string, code gateway.Code) {
	res, err := s.session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Errorf("%s: %v", tool, err)
		return "", "PROTOCOL"
	}
	for _, block := range res.Content {
		if b, ok := block.(*mcp.TextContent); ok {
			text += b.Text
		}
	}
	for _, m := range soakMark.FindAllStringSubmatch(text, -1) {
		if s.tag == "" {
			s.tag = m[1]
		}
		if m[1] != s.tag || m[2] != nonce {
			t.Errorf("%s of %s with the nonce %q got %s", tool, s.tag, nonce, m[0])
		}
	}
	if !res.IsError {
		return text, ""
	}
	e, err := checkError(text)
	if err != nil {
		t.Errorf("%s: %v: %.300s", tool, err, text)
	}
	return text, e.Code
}

// want checks the code of a call.
func (s *soakSession) want(t *testing.T, want gateway.Code, tool string, args object, nonce string) string {
	text, code := s.call(t, tool, args, nonce)
	if code != want {
		t.Errorf("%s %v of %s: code %q, want %q: %.300s", tool, args, s.tag, code, want, text)
	}
	return text
}

// run calls a function.
func (s *soakSession) run(t *testing.T, want gateway.Code, name string, args object, more object) string {
	call := object{"tool_id": s.ids["soak."+name], "args": args}
	for k, v := range more {
		call[k] = v
	}
	nonce, _ := args["nonce"].(string)
	return s.want(t, want, "tool_execute", call, nonce)
}

// step does one thing. The first tells the session who it is.
func (s *soakSession) step(t *testing.T) {
	s.n++
	if s.tag == "" {
		s.run(t, "", "own", object{"nonce": s.nonce()}, nil)
		return
	}
	[]func(*testing.T){s.small, s.large, s.foreign, s.cached, s.planned, s.stolen, s.counts, s.browses, s.approves}[s.rand.IntN(9)](t)
}

func (s *soakSession) nonce() string { return fmt.Sprintf("n%d-%d", s.n, s.rand.Uint32()) }

func (s *soakSession) small(t *testing.T) { s.run(t, "", "own", object{"nonce": s.nonce()}, nil) }

// large leaves an artifact behind, and looks at it.
func (s *soakSession) large(t *testing.T) {
	nonce := s.nonce()
	text := s.run(t, "", "own", object{"nonce": nonce, "size": 5000}, nil)
	var e firewall.Envelope
	if err := json.Unmarshal([]byte(text), &e); err != nil || len(e.Artifacts) != 1 {
		t.Errorf("no artifact (%v): %.300s", err, text)
		return
	}
	page := s.want(t, "", "tool_view", object{"handle": e.Artifacts[0].Handle}, nonce)
	if !strings.Contains(page, nonce) {
		t.Errorf("the page is not of the artifact: %.300s", page)
	}
	s.leave(&s.handles, e.Artifacts[0].Handle)
}

// leave puts something where others find it. Only the last ones are kept.
func (s *soakSession) leave(list *[]leftover, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(*list) >= soakSessions {
		*list = slices.Delete(*list, 0, soakSessions/2)
	}
	*list = append(*list, leftover{s.tag, value})
}

// find returns something of another owner's.
func (s *soakSession) find(list *[]leftover) (value string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(*list) == 0 {
		return "", false
	}
	l := (*list)[s.rand.IntN(len(*list))]
	return l.value, l.tag != s.tag
}

func (s *soakSession) foreign(t *testing.T) {
	if handle, ok := s.find(&s.handles); ok {
		s.want(t, gateway.ViewFailed, "tool_view", object{"handle": handle}, "")
	}
}

// cached makes the same call as everybody else, with another answer for each.
func (s *soakSession) cached(t *testing.T) {
	if text := s.run(t, "", "cached", object{"size": 100}, nil); !strings.Contains(text, "[tag "+s.tag+" ") {
		t.Errorf("%s got %.300s", s.tag, text)
	}
}

func (s *soakSession) planned(t *testing.T) {
	args := object{"size": 10}
	s.run(t, gateway.ArgsInvalid, "planned", args, nil)
	var report struct {
		Token string `json:"plan_token"`
	}
	if err := json.Unmarshal([]byte(s.run(t, "", "planned", args, object{"dry_run": true})), &report); err != nil || report.Token == "" {
		t.Errorf("no token (%v)", err)
		return
	}
	if s.rand.IntN(2) == 0 {
		s.leave(&s.plans, report.Token) // for others to steal; it is not used here
		return
	}
	s.run(t, "", "planned", args, object{"plan_token": report.Token})
	s.run(t, gateway.ArgsInvalid, "planned", args, object{"plan_token": report.Token})
}

func (s *soakSession) stolen(t *testing.T) {
	if token, ok := s.find(&s.plans); ok {
		s.run(t, gateway.ArgsInvalid, "planned", object{"size": 10}, object{"plan_token": token})
	}
}

func (s *soakSession) counts(t *testing.T) {
	_, code := s.call(t, "tool_execute", object{"tool_id": s.ids["soak.counted"]}, "")
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counted[s.tag]
	if c == nil {
		c = new([2]int)
		s.counted[s.tag] = c
	}
	c[1]++
	switch code {
	case "":
		c[0]++
	case gateway.RateLimited:
	default:
		t.Errorf("counted: %s", code)
	}
}

// browses sees what is private to the caller and nothing else of the sort.
func (s *soakSession) browses(t *testing.T) {
	own := fmt.Sprintf("private_%d_", s.user)
	text := s.want(t, "", "tool_browse", object{"query": "private thing", "top_k": 20}, "")
	if got := strings.Count(text, `"name":"private_`); got != strings.Count(text, `"name":"`+own+`"`) || s.user >= 0 && got != 1 {
		t.Errorf("user %d sees %.600s", s.user, text)
	}
	other := s.rand.IntN(soakSessions)
	if other != s.user {
		s.want(t, gateway.HydrateFailed, "tool_execute", object{"tool_id": s.ids[fmt.Sprintf("private.private_%d_", other)]}, "")
	}
}

// approves makes the call that everybody makes, and approves its own one if it is an
// authenticated caller's who has one session, and then only every second.
func (s *soakSession) approves(t *testing.T) {
	if s.rand.IntN(8) > 0 {
		return
	}
	s.run(t, gateway.PermissionDenied, "approved", nil, nil)
	if s.user < 0 || s.shared || s.user%8 == 4 {
		return
	}
	pending, err := s.approvals.Pending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pending {
		if p.Caller == nil || p.Caller.ID != userName(s.user) {
			continue
		}
		if approved, err := s.approvals.Approve(t.Context(), p.ID); err == nil && approved {
			s.run(t, "", "approved", nil, nil)
			s.run(t, gateway.PermissionDenied, "approved", nil, nil)
			return
		}
	}
	t.Errorf("the call of user %d does not wait", s.user)
}

// settle checks what has to add up in the end: no two sessions are one owner unless
// they are one caller, and each owner has had its share.
func (w *soakWorld) settle(t *testing.T, sessions []*soakSession) {
	who := make(map[string]int)
	calls := 0
	for i, s := range sessions {
		calls += s.n
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
	if len(w.counted) == 0 && *soak >= time.Second {
		t.Error("nothing was counted")
	}
	t.Logf("%d sessions of %d owners took %d steps", len(sessions), len(who), calls)
}
