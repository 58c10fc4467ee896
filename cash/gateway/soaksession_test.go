package gateway_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/internal/client"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/registry"
)

// A soakSession is one client of a face.
type soakSession struct {
	*soakWorld
	conn    *client.Conn
	face    string
	user    int    // -1 is anonymous
	tag     string // learned from the first result
	shared  bool   // others have the same owner
	rand    *rand.Rand
	fetched map[string]bool // descriptions of disclosure
	n       int
}

type callerHeader struct {
	next http.RoundTripper
	user int
}

func (h callerHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	if h.user < 0 {
		return h.next.RoundTrip(r)
	}
	r = r.Clone(r.Context())
	r.Header.Set("X-Caller", strconv.Itoa(h.user))
	return h.next.RoundTrip(r)
}

// soakNotices sends each request over a connection of its own.
var soakNotices = &http.Transport{DisableKeepAlives: true}

// A calling transport leaves requests with a short deadline, such as the notice of a cancelled call, to soakNotices. If
// the deadline ends just when the empty answer arrives, [http.Transport] may have passed the connection on already.
// The next request then fails with the error of the first: "context deadline exceeded" within its own deadline.
type calling struct{ next http.RoundTripper }

func (c calling) RoundTrip(r *http.Request) (*http.Response, error) {
	if deadline, ok := r.Context().Deadline(); ok && time.Until(deadline) < time.Minute {
		return soakNotices.RoundTrip(r)
	}
	return c.next.RoundTrip(r)
}

// connect returns the i-th session. Of eight, two are anonymous in memory and one over either HTTP, and four are
// authenticated, of which the last is of the same caller as the one before.
func (w *soakWorld) connect(t *testing.T, i int) *soakSession {
	t.Helper()
	s := &soakSession{
		soakWorld: w, face: soakFaces[i/8%len(soakFaces)], user: -1, rand: rand.New(rand.NewPCG(1, uint64(i))), fetched: make(map[string]bool),
	}
	l := links[[]int{0, 1, 2, 3, 0, 2, 1, 3}[i%8]]
	if i%8 >= 4 {
		s.user = i
	}
	switch i % 8 {
	case 7:
		s.user, s.shared = i-1, true
	case 6:
		s.shared = i+1 < w.sessions
	case 3:
		s.shared = true // nobody
	}
	ctx := context.Background()
	if s.user >= 0 {
		ctx = registry.WithCaller(ctx, soakCaller(s.user))
	}
	transport := client.InMemory(ctx, w.faces[s.face])
	if l.HTTP {
		transport = &mcp.StreamableClientTransport{Endpoint: w.web.URL + "/" + s.face, HTTPClient: &http.Client{Transport: callerHeader{calling{w.client}, s.user}}}
	}
	var err error
	if s.conn, err = client.Dial(context.Background(), transport, &client.Options{Version: l.Version, Timeout: 5 * time.Minute}); err != nil {
		t.Fatalf("connecting to %s: %v", s.face, err)
	}
	s.step(t) // an unused session ends soon
	return s
}

func (s *soakSession) rest(ctx context.Context) { rest(ctx, s.pause) }

var soakMark = regexp.MustCompile(`\[tag ([a-z]+\d*) nonce ([a-z0-9-]*)\]`)

// The codes of requests without a result: given up, and refused by the protocol.
const (
	lost     gateway.Code = "LOST"
	protocol gateway.Code = "PROTOCOL"
)

const rejected = -32005 // of the SDK's client: there was no answer

// send calls a tool, and checks that what comes back is of whom it was called for: of the session if from is empty, else
// of an upstream. The code is that of an error, or "".
func (s *soakSession) send(ctx context.Context, t *testing.T, what, tool string, args object, from, nonce string) (text string, code gateway.Code) {
	end := s.begin(s.face + ": " + what)
	limited, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	late := time.AfterFunc(time.Minute, func() { s.showStacks(s.face + ": " + what + " has no answer for a minute") })
	defer late.Stop()
	res, err := s.conn.Session.CallTool(limited, &mcp.CallToolParams{Name: tool, Arguments: args})
	var refused *jsonrpc.Error
	switch {
	case err != nil && ctx.Err() != nil:
		end("given up")
		return "", lost
	case errors.As(err, &refused) && refused.Code != rejected:
		end(fmt.Sprint("code ", refused.Code))
		return refused.Message, protocol
	case err != nil:
		t.Errorf("%s: %s: %v", s.face, what, err)
		end("lost")
		return "", lost
	}
	for _, block := range res.Content {
		if b, ok := block.(*mcp.TextContent); ok {
			text += b.Text
		}
	}
	s.check(t, what, text, from, nonce)
	if !res.IsError {
		end("ok")
		return text, ""
	}
	if code, err = s.codeOf(res, text); err != nil {
		t.Errorf("%s: %s: %v: %.300s", s.face, what, err, text)
	}
	end(string(code))
	return text, code
}

// check checks that each mark in a text is what was asked for.
func (s *soakSession) check(t *testing.T, what, text, from, nonce string) {
	for _, m := range soakMark.FindAllStringSubmatch(text, -1) {
		if from == "" && s.tag == "" {
			s.tag = m[1]
		}
		if want := cmp.Or(from, s.tag); m[1] != want || m[2] != nonce {
			t.Errorf("%s: %s of %s with the nonce %q got %s", s.face, what, want, nonce, m[0])
		}
	}
}

// codeOf returns the code of an error, which has the form of its face.
func (s *soakSession) codeOf(res *mcp.CallToolResult, text string) (gateway.Code, error) {
	var code string
	switch s.face {
	case "gateway", "proxy":
		e, err := checkError(text)
		return e.Code, err
	case "disclosure":
		var e struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal([]byte(text), &e); err != nil || e.Error.Message == "" {
			return "", fmt.Errorf("not an error of the face (%v)", err)
		}
		code = e.Error.Code
	default:
		code, _ = res.Meta[registry.MetaCode].(string)
	}
	if code == "" || code == string(registry.Internal) {
		return "", fmt.Errorf("the code is %q", code)
	}
	return gateway.Code(code), nil
}

// run calls the function at a path by the means of the face. The answer is the session's own if from is empty, else
// that of an upstream.
func (s *soakSession) run(ctx context.Context, t *testing.T, path string, args object, from string) (text string, code gateway.Code) {
	namespace, name, _ := strings.Cut(path, ".")
	tool := namespace + "-" + name
	what := strings.TrimRight(path, "_0123456789")
	nonce, _ := args["nonce"].(string)
	switch s.face {
	case "cash":
		tool, args = "call", object{"namespace": namespace, "function": name, "kwargs": args}
	case "gateway", "proxy":
		tool, args = "tool_execute", object{"tool_id": s.id(path), "args": args}
	case "facade":
		tool, args = strings.ToUpper(namespace[:1])+namespace[1:]+"Execute", object{"cmd": name, "params": args}
	case "disclosure":
		s.fetch(t, tool)
	}
	return s.send(ctx, t, what, tool, args, from, nonce)
}

// id returns the id of a function as it is now, or one that nothing has.
func (s *soakSession) id(path string) string {
	namespace, name, _ := strings.Cut(path, ".")
	if namespace == "soak" || namespace == "private" {
		return s.ids[path]
	}
	if f, err := s.reg.Function(s.ctx(), namespace, name); err == nil {
		return f.Primitive().String()
	}
	return namespace + ":" + name + "#00000000"
}

// ctx has the caller of the session.
func (s *soakSession) ctx() context.Context {
	if s.user < 0 {
		return context.Background()
	}
	return registry.WithCaller(context.Background(), soakCaller(s.user))
}

// fetch reads the description of a tool, once.
func (s *soakSession) fetch(t *testing.T, tool string) {
	if s.fetched[tool] {
		return
	}
	end := s.begin("disclosure: resources/read")
	res, err := s.conn.Session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: disclosure.DefaultURI + "?tools=" + tool})
	if err != nil {
		t.Errorf("fetching %s: %v", tool, err)
		end("lost")
		return
	}
	end("ok")
	s.fetched[tool] = len(res.Contents) == 1 && !strings.Contains(res.Contents[0].Text, `"error"`)
}

// step does one thing. The first tells the session who it is.
func (s *soakSession) step(t *testing.T) {
	s.n++
	s.steps.Add(1)
	if s.tag == "" {
		s.small(t)
		return
	}
	steps := []func(*testing.T){s.small, s.lists, s.remote, s.changing, s.churned, s.hidden, s.cancels}
	if s.face == "gateway" {
		steps = append(steps, s.large, s.foreign, s.cached, s.planned, s.stolen, s.counts, s.browses, s.approves)
	}
	steps[s.rand.IntN(len(steps))](t)
}

func (s *soakSession) nonce() string { return fmt.Sprintf("n%d-%d", s.n, s.rand.Uint32()) }

func (s *soakSession) small(t *testing.T) {
	text, code := s.run(t.Context(), t, "soak.own", object{"nonce": s.nonce()}, "")
	if code != "" || !soakMark.MatchString(text) {
		t.Errorf("%s: code %q: %.300s", s.face, code, text)
	}
}

// lists reads what the face lists. The caller sees its own private function, what comes and goes for its role, and
// nothing else of the sort.
func (s *soakSession) lists(t *testing.T) {
	var text string
	switch s.face {
	case "cash":
		for _, namespace := range []string{"private", "churn"} {
			page, _ := s.send(t.Context(), t, "help", "help", object{"namespace": namespace}, "", "")
			text += page
		}
	case "gateway":
		for _, path := range []string{"/private", "/churn"} {
			page, _ := s.send(t.Context(), t, "tool_browse", "tool_browse", object{"path": path}, "", "")
			text += page
		}
	default:
		end := s.begin(s.face + ": tools/list")
		for tool, err := range s.conn.Session.Tools(t.Context(), nil) {
			if err != nil {
				t.Errorf("%s: tools/list: %v", s.face, err)
				end("lost")
				return
			}
			text += toJSON(tool)
		}
		end("ok")
	}
	own := 0
	for _, m := range soakPrivate.FindAllStringSubmatch(text, -1) {
		if m[1] != strconv.Itoa(s.user) {
			t.Errorf("%s: user %d sees private_%s_", s.face, s.user, m[1])
		}
		own++
	}
	if s.user >= 0 && own == 0 {
		t.Errorf("%s: user %d does not see what is private to it: %.300s", s.face, s.user, text)
	}
	for _, m := range soakChurn.FindAllStringSubmatch(text, -1) {
		if s.user < 0 || m[1] != userRole(s.user) {
			t.Errorf("%s: user %d sees churn_%s", s.face, s.user, m[1])
		}
	}
}

var (
	soakPrivate = regexp.MustCompile(`private_(\d+)_`)
	soakChurn   = regexp.MustCompile(`churn_(r\d)_`)
)

// mayFail are the codes that a call may have while its server dies or changes, and while its function goes.
var mayFail = map[gateway.Code]bool{
	protocol: true, gateway.UpstreamError: true, gateway.UpstreamTimeout: true, gateway.UpstreamUnavailable: true,
	gateway.RateLimited: true, gateway.HydrateFailed: true, gateway.PathNotFound: true,
	gateway.Code(registry.Unavailable): true, gateway.Code(registry.UnknownFunction): true, gateway.Code(registry.UnknownNamespace): true,
	gateway.Code(registry.Failed): true, gateway.Code(registry.TimedOut): true, "TOOL_DESCRIPTION_REQUIRED": true,
}

// may checks the outcome of a call that may fail.
func (s *soakSession) may(t *testing.T, what, text string, code gateway.Code) {
	if code != "" && !mayFail[code] || code == "" && !soakMark.MatchString(text) {
		t.Errorf("%s: %s: code %q: %.300s", s.face, what, code, text)
	}
}

// remote calls a tool of an upstream.
func (s *soakSession) remote(t *testing.T) {
	label := s.upstreams[s.rand.IntN(len(s.upstreams))].label
	text, code := s.run(t.Context(), t, label+".echo", object{"nonce": s.nonce(), "size": s.rand.IntN(500)}, label)
	s.may(t, label+".echo", text, code)
}

// changing calls a tool whose definition changes.
func (s *soakSession) changing(t *testing.T) {
	label := s.upstreams[s.rand.IntN(len(s.upstreams))].label
	text, code := s.run(t.Context(), t, label+".turning", object{"nonce": s.nonce()}, label)
	s.may(t, label+".turning", text, code)
}

// churned calls a function that comes and goes. Only callers of its role reach it.
func (s *soakSession) churned(t *testing.T) {
	i := s.rand.IntN(6)
	role := "r" + strconv.Itoa(i%soakRoles)
	text, code := s.run(t.Context(), t, fmt.Sprintf("churn.churn_%s_%d", role, i), object{"nonce": s.nonce()}, "")
	s.may(t, "churn", text, code)
	if code == "" && (s.user < 0 || userRole(s.user) != role) {
		t.Errorf("%s: user %d reached a function of %s", s.face, s.user, role)
	}
}

// hidden calls what is private to another caller.
func (s *soakSession) hidden(t *testing.T) {
	other := s.rand.IntN(s.sessions)
	if other == s.user {
		return
	}
	if text, code := s.run(t.Context(), t, fmt.Sprintf("private.private_%d_", other), nil, ""); !mayFail[code] {
		t.Errorf("%s: user %d calls what is private to user %d: code %q: %.300s", s.face, s.user, other, code, text)
	}
}

// cancels gives up a call, sooner or later.
func (s *soakSession) cancels(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	timer := time.AfterFunc(randomPart(40*time.Millisecond), cancel)
	defer timer.Stop()
	path, from := "soak.own", ""
	if s.rand.IntN(2) == 0 {
		from = s.upstreams[s.rand.IntN(len(s.upstreams))].label
		path = from + ".echo"
	}
	text, code := s.run(ctx, t, path, object{"nonce": s.nonce(), "pause": 20}, from)
	if code != lost && !(from == "" && code == gateway.Code(registry.Canceled)) {
		s.may(t, "a call that may be given up", text, code)
	}
}

// want checks the code of a call of one of the gateway's tools.
func (s *soakSession) want(t *testing.T, want gateway.Code, tool string, args object, nonce string) string {
	text, code := s.send(t.Context(), t, tool, tool, args, "", nonce)
	if code != want {
		t.Errorf("%s %v of %s: code %q, want %q: %.300s", tool, args, s.tag, code, want, text)
	}
	return text
}

// execute calls a function of soak through the gateway.
func (s *soakSession) execute(t *testing.T, want gateway.Code, name string, args object, more object) string {
	call := object{"tool_id": s.ids["soak."+name], "args": args}
	for k, v := range more {
		call[k] = v
	}
	nonce, _ := args["nonce"].(string)
	return s.want(t, want, "tool_execute", call, nonce)
}

// large leaves an artifact behind, and looks at it.
func (s *soakSession) large(t *testing.T) {
	nonce := s.nonce()
	text := s.execute(t, "", "own", object{"nonce": nonce, "size": 5000}, nil)
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
	if len(*list) >= s.sessions {
		*list = slices.Delete(*list, 0, s.sessions/2)
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
	if text := s.execute(t, "", "cached", object{"size": 100}, nil); !strings.Contains(text, "[tag "+s.tag+" ") {
		t.Errorf("%s got %.300s", s.tag, text)
	}
}

func (s *soakSession) planned(t *testing.T) {
	args := object{"size": 10}
	s.execute(t, gateway.ArgsInvalid, "planned", args, nil)
	var report struct {
		Token string `json:"plan_token"`
	}
	if err := json.Unmarshal([]byte(s.execute(t, "", "planned", args, object{"dry_run": true})), &report); err != nil || report.Token == "" {
		t.Errorf("no token (%v)", err)
		return
	}
	if s.rand.IntN(2) == 0 {
		s.leave(&s.plans, report.Token) // for others to steal; it is not used here
		return
	}
	s.execute(t, "", "planned", args, object{"plan_token": report.Token})
	s.execute(t, gateway.ArgsInvalid, "planned", args, object{"plan_token": report.Token})
}

func (s *soakSession) stolen(t *testing.T) {
	if token, ok := s.find(&s.plans); ok {
		s.execute(t, gateway.ArgsInvalid, "planned", object{"size": 10}, object{"plan_token": token})
	}
}

func (s *soakSession) counts(t *testing.T) {
	_, code := s.send(t.Context(), t, "soak.counted", "tool_execute", object{"tool_id": s.ids["soak.counted"]}, "", "")
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
}

// approves makes the call that everybody makes, and approves its own one if it is an
// authenticated caller's who has one session, and then only every second.
func (s *soakSession) approves(t *testing.T) {
	if s.rand.IntN(8) > 0 {
		return
	}
	s.execute(t, gateway.PermissionDenied, "approved", nil, nil)
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
			s.execute(t, "", "approved", nil, nil)
			s.execute(t, gateway.PermissionDenied, "approved", nil, nil)
			return
		}
	}
	t.Errorf("the call of user %d does not wait", s.user)
}
