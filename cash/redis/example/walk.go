package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/manifest"
)

// A walker goes through what replicas share, and prints it. It keeps the first error.
type walker struct {
	*cluster
	ctx context.Context
	out io.Writer
	err error
}

// walk starts the processes, goes through all steps, and ends the processes.
func walk(ctx context.Context, address string, out io.Writer) error {
	c, err := newCluster(ctx, address)
	if err != nil {
		return err
	}
	defer c.stop()
	w := &walker{cluster: c, ctx: ctx, out: out}
	for _, step := range []func(){w.plan, w.quota, w.artifact, w.replay, w.approval, w.state, w.restarts} {
		if step(); w.err != nil {
			return w.err
		}
	}
	return nil
}

// title prints the title of a step.
func (w *walker) title(text string) { fmt.Fprintln(w.out, text) }

// say prints what somebody did at a replica, and the answer.
func (w *walker) say(who, where, what, answer string) {
	fmt.Fprintf(w.out, "  %-8s  %s  %-28s  %s\n", who, where, what, answer)
}

// at returns the address of a replica, or that of the proxy.
func (w *walker) at(where string) string {
	for i, name := range names {
		if name == where {
			return w.replicas[i].url.String()
		}
	}
	return w.url
}

// object is a JSON object.
type object = map[string]any

// tool calls a tool of a face as a user, and prints the answer if it was for something.
func (w *walker) tool(user, where, face, tool string, args object, what string) string {
	if w.err != nil {
		return ""
	}
	session, err := connect(w.ctx, w.at(where)+face, user)
	if err != nil {
		w.err = err
		return ""
	}
	defer session.Close()
	res, err := session.CallTool(w.ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		w.err = err
		return ""
	}
	text := textOf(res)
	if what != "" {
		w.say(user, where, what, shown(text))
	}
	return text
}

// call calls a function through the CaSH face.
func (w *walker) call(user, where, function string, more object, what string) string {
	args := object{"namespace": "orders", "function": function, "kwargs": object{"id": "A-1"}}
	for key, value := range more {
		args[key] = value
	}
	return w.tool(user, where, "/mcp", "call", args, what)
}

func textOf(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// shown returns what is to be printed of an answer: what it is about, in one sentence, without tokens and handles.
func shown(text string) string {
	var a struct {
		PlanToken string `json:"plan_token"` // of a dry run
		Summary   string // of an envelope
		Text      string // of a view
		Error     string
		Message   string // of the gateway's errors
	}
	if json.Unmarshal([]byte(text), &a) == nil {
		switch {
		case a.PlanToken != "":
			return "a plan token; nothing has run"
		case a.Error != "":
			text = "**Error:** " + a.Message
		default:
			text = a.Summary + a.Text
		}
	}
	text, _, _ = strings.Cut(text, "\n")
	if rest, ok := strings.CutPrefix(text, "**Error:** "); ok {
		rest, _, _ = strings.Cut(rest, ". ")
		text = "refused: " + strings.TrimSuffix(rest, ".") + "."
	}
	return text
}

// member returns a text member of an answer, wherever it is.
func (w *walker) member(text, key string) string {
	m := regexp.MustCompile(`"` + key + `": ?"([^"]+)"`).FindStringSubmatch(text)
	if m == nil && w.err == nil {
		w.err = fmt.Errorf("the answer has no %s: %.300s", key, text)
	}
	if m == nil {
		return ""
	}
	return m[1]
}

func (w *walker) plan() {
	w.title("A plan token runs its function once, on any replica:")
	report := w.call("ada", "a", "cancel", object{"dry_run": true}, "cancel, dry run")
	token := object{"plan_token": w.member(report, "plan_token")}
	w.call("ada", "b", "cancel", token, "cancel, with the token")
	w.call("ada", "c", "cancel", token, "cancel, with the same token")
}

func (w *walker) quota() {
	w.title("A quota of five calls a minute is one quota:")
	for i := range 7 {
		w.call("ada", names[i%3], "get", nil, fmt.Sprintf("get, call %d", i+1))
	}
	w.call("bob", "a", "get", nil, "get, his first call")
}

func (w *walker) artifact() {
	w.title("What is too large to show is kept for all replicas, for its owner only:")
	card := w.tool("ada", "a", "/gateway", "tool_browse", object{"query": "history"}, "")
	envelope := w.tool("ada", "a", "/gateway", "tool_execute", object{"tool_id": regexp.MustCompile(`orders:history#\w+`).FindString(card), "args": object{"id": "A-1"}}, "history")
	view := object{"handle": w.member(envelope, "handle"), "selector": object{"type": "lines", "start": 699, "end": 700}}
	w.tool("ada", "b", "/gateway", "tool_view", view, "line 700")
	w.tool("bob", "b", "/gateway", "tool_view", view, "line 700, the same handle")
}

func (w *walker) replay() {
	w.title("A withheld result is replayed, and its function does not run again:")
	w.call("ada", "a", "export", nil, "export")
	w.call("ada", "b", "export", object{"sizelimit": 100_000}, "export, sizelimit 100,000")
}

func (w *walker) approval() {
	w.title("An approval is asked for on one replica and settled on another:")
	w.call("ada", "a", "refund", nil, "refund")
	var ids []string
	w.ask(http.MethodGet, w.at("b")+"/approvals", &ids)
	w.say("operator", "b", "list", fmt.Sprintf("calls that wait: %d", len(ids)))
	for _, id := range ids {
		w.ask(http.MethodPost, w.at("b")+"/approvals/"+id, nil)
		w.say("operator", "b", "approve", "ok")
	}
	w.call("ada", "c", "refund", nil, "refund, once more")
	w.call("ada", "a", "refund", nil, "refund, a second time")
}

func (w *walker) state() {
	w.title("The manifest tells operators what is shared:")
	var m manifest.Manifest
	w.ask(http.MethodGet, w.at("a")+manifest.WellKnownPath, &m)
	for _, s := range m.State {
		w.say("operator", "a", s.Name, fmt.Sprintf("%s: %s", s.Kept, s.Description))
	}
}

// ask sends a request of the operator, who reads the answer as JSON.
func (w *walker) ask(method, url string, answer any) {
	if w.err != nil {
		return
	}
	r, err := http.NewRequestWithContext(w.ctx, method, url, http.NoBody)
	if err != nil {
		w.err = err
		return
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Authorization", "Bearer token-of-operator")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		w.err = err
		return
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		w.err = errors.New(method + " " + r.URL.Path + ": " + res.Status)
	} else if answer != nil {
		w.err = json.NewDecoder(res.Body).Decode(answer)
	}
}

func (w *walker) restarts() {
	if w.err != nil {
		return
	}
	const clients = 50
	w.title("All replicas are restarted, one after the other, while clients call through the proxy:")
	result, err := w.rolling(w.ctx, clients, 10*time.Millisecond)
	if err != nil {
		w.err = err
		return
	}
	w.err = errors.Join(result.failed...)
	if runs, err := w.end(); err != nil || runs != result.calls {
		w.err = errors.Join(w.err, err, fmt.Errorf("%d calls, and %d runs", result.calls, runs))
	}
	fmt.Fprintf(w.out, "  %d clients: %d calls failed, and each ran once.\n", clients, len(result.failed))
}

// connect connects a client of 2026-07-28, which has no session.
func connect(ctx context.Context, url, user string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "example"}, nil)
	transport := &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: as{user}, CheckRedirect: never}}
	return client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: "2026-07-28"})
}

// never follows no redirect, because the token is for one server.
func never(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// as sends requests with the token of a user.
type as struct{ user string }

var transport = &http.Transport{MaxIdleConnsPerHost: 1000}

// RoundTrip implements [http.RoundTripper].
func (a as) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer token-of-"+a.user)
	return transport.RoundTrip(r)
}
