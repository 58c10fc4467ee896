package redis_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/cashtest/storetest"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/redis"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/lastknown"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// unsubscribed returns options of a server whose user may not subscribe: no message arrives.
func unsubscribed(t *testing.T) redis.Options {
	t.Helper()
	s := ownServer(t)
	c := raw(t, s.address)
	if err := c.Do(t.Context(), c.B().Arbitrary("ACL", "SETUSER", "deaf", "on", ">pw", "~*", "&*", "+@all", "-subscribe").Build()).Error(); err != nil {
		t.Fatal(err)
	}
	return redis.Options{Addresses: []string{s.address}, Username: "deaf", Password: "pw"}
}

// withoutMessages runs a test with messages alone, and with the tick alone. A notice comes within the time. It comes
// later if the machine pauses, so that a test tries a few times.
func withoutMessages(t *testing.T, test func(t *testing.T, o redis.Options, within time.Duration)) {
	t.Run("messages", func(t *testing.T) { test(t, redis.Options{Key: key}.WithTick(time.Hour), time.Second) })
	t.Run("tick", func(t *testing.T) { test(t, unsubscribed(t), 2*time.Second) })
}

// tries is how often a test looks for a notice that comes within its time.
const tries = 5

// late is how long a test waits for what should come much sooner.
const late = 10 * time.Second

// listeners returns n replicas. All of them have subscribed if they may.
func listeners(t *testing.T, n int64, o redis.Options) []*redis.Client {
	t.Helper()
	list := replicas(t, int(n), o)
	if o.Addresses == nil {
		r := raw(t, shared.address)
		until(t, "all replicas subscribe", func() bool {
			counts, err := r.Do(t.Context(), r.B().PubsubNumsub().Channel(list[0].Channel()).Build()).AsIntMap()
			return err == nil && counts[list[0].Channel()] == n
		})
	}
	return list
}

// TestNoMessages holds the suites of stores that tell of changes if no message arrives.
func TestNoMessages(t *testing.T) {
	o := unsubscribed(t)
	o.Approvals = redis.ApprovalLimits{Max: 40, MaxPerOwner: 4}
	storetest.Run(t, storetest.Pins(storetest.Subject[pin.Store]{Open: opener(t, o, (*redis.Client).Pins)}))
	storetest.Run(t, storetest.Catalogs(storetest.Subject[lastknown.Store]{Open: opener(t, o, (*redis.Client).Catalogs)}))
	storetest.Run(t, storetest.Approvals(storetest.Subject[control.ApprovalStore]{Open: opener(t, o, (*redis.Client).Approvals), Room: 40, RoomPerOwner: 4}))
}

// tool adds a tool to a server.
func tool(srv *mcp.Server, name string) {
	srv.AddTool(&mcp.Tool{Name: name, Description: "Does " + name + ".", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
	})
}

// newUpstream returns a server over HTTP with one tool, and how often its list of tools was read.
func newUpstream(t *testing.T) (srv *mcp.Server, url string, lists *atomic.Int64) {
	t.Helper()
	srv, lists = mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, nil), new(atomic.Int64)
	tool(srv, "run")
	srv.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/list" {
				lists.Add(1)
			}
			return next(ctx, method, req)
		}
	})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, nil))
	t.Cleanup(web.Close)
	t.Cleanup(web.CloseClientConnections)
	return srv, web.URL, lists
}

// aggregate returns the registry and the aggregator of a replica.
func aggregate(t *testing.T, c *redis.Client, mode pin.Mode, server upstream.Server) (*registry.Registry, *upstream.Aggregator) {
	t.Helper()
	reg := registry.New(nil)
	agg := upstream.New(reg, &upstream.Options{Pins: c.Pins(), Mode: mode, Catalogs: c.Catalogs()})
	if err := agg.Add(server); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = agg.Close(context.Background()) })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := agg.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	return reg, agg
}

// told waits for a notice, and then until the client sees what it is about. It reports whether that came within the
// time.
func told(t *testing.T, what string, notices <-chan struct{}, within time.Duration, began time.Time, sees func() bool) bool {
	t.Helper()
	for end := time.After(late); ; {
		select {
		case <-notices:
			if !sees() {
				continue
			}
			took := time.Since(began)
			t.Logf("%s: told after %v", what, took.Round(time.Millisecond))
			return took <= within
		case <-end:
			t.Fatalf("%s: no notice", what)
		}
	}
}

// heard makes harmless changes until there were notices of all kinds, and takes all notices. list lists the tools: each
// client is told once of changes after that.
func heard(t *testing.T, change func(n int), list func(), kinds ...<-chan struct{}) {
	t.Helper()
	missing := slices.Clone(kinds)
	for n, began := 0, time.Now(); len(missing) > 0; n++ {
		if time.Since(began) > time.Minute {
			t.Fatalf("%d of %d kinds of notices do not come", len(missing), len(kinds))
		}
		list()
		change(n)
		time.Sleep(100 * time.Millisecond)
		missing = slices.DeleteFunc(missing, func(c <-chan struct{}) bool { return len(c) > 0 })
	}
	for quiet := false; !quiet; {
		list()
		time.Sleep(100 * time.Millisecond)
		quiet = true
		for _, c := range kinds {
			for ; len(c) > 0; quiet = false {
				<-c
			}
		}
	}
}

// TestNoticesCrossReplicas holds that clients of a replica are told of a change that only another replica has heard of:
// the first one is not connected to the upstream. It holds over all links, for tools of two faces and for the resource
// cash://server, of changed catalogs and of accepted definitions.
func TestNoticesCrossReplicas(t *testing.T) {
	withoutMessages(t, func(t *testing.T, o redis.Options, within time.Duration) {
		for _, link := range cashtest.Links() {
			for _, mode := range []pin.Mode{pin.Off, pin.FirstUse} {
				t.Run(fmt.Sprint(link, " ", mode), func(t *testing.T) {
					t.Parallel()
					far, url, _ := newUpstream(t)
					o := o
					o.Prefix = newPrefix()
					both := listeners(t, 2, o)
					server := upstream.Server{Label: "far", Endpoint: upstream.HTTP{URL: url}}
					_, there := aggregate(t, both[1], mode, server)
					server.Lazy = true
					reg, here := aggregate(t, both[0], mode, server)
					if s := here.Status()[0]; s.State != upstream.Idle || s.LastKnown.IsZero() {
						t.Fatalf("the status is %+v", s)
					}
					notices := make(chan struct{}, 1000)
					tools := &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { notices <- struct{}{} }}
					lists := link.Connect(t, plain.NewServer(reg, nil), nil, tools)
					updates := make(chan struct{}, 1000)
					watches := link.Connect(t, cash.NewServer(reg, nil), nil, &mcp.ClientOptions{
						ResourceUpdatedHandler: func(context.Context, *mcp.ResourceUpdatedNotificationRequest) { updates <- struct{}{} },
					})
					if err := watches.Session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: manifest.ResourceURI}); err != nil {
						t.Fatal(err)
					}
					described := make(chan struct{}, 1000)
					staged := link.Connect(t, disclosure.NewServer(reg, &disclosure.Options{Grants: new(disclosure.Grants)}), nil, &mcp.ClientOptions{
						ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { described <- struct{}{} },
					})
					// The SDK's client does not wait for its subscriptions.
					heard(t, func(n int) {
						reg.Namespace(fmt.Sprint("own", n), "Is served here.").Add(registry.Func("run", "Runs.", func(context.Context, struct{}) (string, error) { return "", nil }))
					}, func() { lists.Tools(); staged.Tools() }, notices, described, updates)

					has := func(c *cashtest.Client, name string) func() bool {
						return func() bool {
							return slices.ContainsFunc(c.Tools(), func(one *mcp.Tool) bool { return one.Name == name })
						}
					}
					soon := false
					for n := 0; n < tries && !soon; n++ {
						name := fmt.Sprint("walk", n)
						began := time.Now()
						tool(far, name)
						if mode != pin.Off {
							until(t, "the change is in quarantine", func() bool {
								return slices.ContainsFunc(there.Status()[0].Quarantined, func(q pin.Quarantine) bool { return q.Tool == name })
							})
							began = time.Now()
							if err := there.Accept(t.Context(), "far", name); err != nil {
								t.Fatal(err)
							}
						}
						first := told(t, "plain", notices, within, began, has(lists, "far-"+name))
						second := told(t, "disclosure", described, within+100*time.Millisecond, began, has(staged, "far-"+name))
						third := told(t, "cash://server", updates, within+200*time.Millisecond, began, func() bool {
							_, err := reg.Function(t.Context(), "far", name)
							return err == nil
						})
						soon = first && second && third
					}
					if !soon {
						t.Errorf("of %d changes, none was told within %v", tries, within)
					}
					if s := here.Status()[0]; s.State != upstream.Idle {
						t.Errorf("the replica has connected: %+v", s)
					}
				})
			}
		}
	})
}

// TestReplicasReadOnce holds that of three replicas, one reads what has changed of an upstream, and that a new one
// serves it while the upstream is away.
func TestReplicasReadOnce(t *testing.T) {
	withoutMessages(t, func(t *testing.T, o redis.Options, within time.Duration) {
		far, url, lists := newUpstream(t)
		o.Prefix = newPrefix()
		server := upstream.Server{Label: "far", Endpoint: upstream.HTTP{URL: url}}
		var all []*registry.Registry
		for _, c := range listeners(t, 3, o) {
			reg, _ := aggregate(t, c, pin.Off, server)
			all = append(all, reg)
		}
		time.Sleep(500 * time.Millisecond) // streams that open count as changes
		for i, once := 0, 0; once < 5; i++ {
			before, began := lists.Load(), time.Now()
			name := fmt.Sprint("new", i)
			tool(far, name)
			for n, reg := range all {
				for _, err := reg.Function(t.Context(), "far", name); err != nil; _, err = reg.Function(t.Context(), "far", name) {
					if time.Since(began) > late {
						t.Fatalf("change %d: replica %d does not show it", i, n)
					}
					time.Sleep(time.Millisecond)
				}
			}
			took := time.Since(began)
			time.Sleep(200 * time.Millisecond)
			switch n := lists.Load() - before; {
			case took <= within && n == 1:
				once++
			case i-once >= 3*tries:
				t.Fatalf("of %d changes, %d were read once, and shown within %v", i+1, once, within)
			default:
				t.Logf("change %d: %v, read %d times", i, took, n) // a replica that hears late reads itself
			}
		}
	})
}

// A counted is a store that counts the calls of Ask that have returned.
type counted struct {
	control.ApprovalStore
	asked *atomic.Int64
}

func (s counted) Ask(ctx context.Context, t *control.Ticket) (*control.Ticket, error) {
	defer s.asked.Add(1)
	return s.ApprovalStore.Ask(ctx, t)
}

// TestSettledOnAnotherReplica holds that a call that waits for a question which another replica has asked ends within
// the time after its answer there.
func TestSettledOnAnotherReplica(t *testing.T) {
	withoutMessages(t, func(t *testing.T, o redis.Options, within time.Duration) {
		o.Prefix = newPrefix()
		ada := &registry.Caller{ID: "ada"}
		asked, answer := make(chan struct{}, 2*tries), make(chan struct{})
		var clients []*cashtest.Client
		var asks []*atomic.Int64
		for _, c := range listeners(t, 2, o) {
			reg := registry.New(nil)
			bank := reg.Namespace("bank", "A bank.")
			for n := range tries {
				bank.Add(registry.Func(fmt.Sprint("pay", n), "Pays.", func(context.Context, struct{}) (string, error) { return "paid", nil }))
			}
			store := counted{c.Approvals(), new(atomic.Int64)}
			asks = append(asks, store.asked)
			policy := control.NewPolicy(&control.PolicyOptions{Default: control.RequireApproval, Approvals: control.NewApprovals(&control.ApprovalOptions{Store: store})})
			srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{Middleware: (&control.Controls{Policy: policy}).Middleware()}})
			clients = append(clients, cashtest.Links()[0].Connect(t, srv, ada, &mcp.ClientOptions{
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked <- struct{}{}
					<-answer
					return &mcp.ElicitResult{Action: "decline"}, nil
				},
			}))
		}
		defer close(answer)
		// round makes a call on both replicas, and returns how long after the answer they have ended.
		round := func(function string) (took time.Duration) {
			before := asks[1].Load()
			ended := make(chan time.Time, 2)
			for i, c := range clients {
				go func() {
					if r := c.Call("bank", function, nil); !r.IsError {
						t.Errorf("replica %d ran it: %s", i, r.Text)
					}
					ended <- time.Now()
				}()
				if i == 0 {
					until(t, "the first client is asked", func() bool { return len(asked) > 0 })
					<-asked
				}
			}
			until(t, "the second call waits", func() bool { return asks[1].Load() > before })
			begun, end := time.Now(), time.After(late)
			answer <- struct{}{}
			for range clients {
				select {
				case at := <-ended:
					took = max(took, at.Sub(begun))
				case <-end:
					t.Fatal("a call waits still")
				}
			}
			return took
		}
		soon := false
		for n := 0; n < tries && !soon; n++ {
			took := round(fmt.Sprint("pay", n))
			t.Logf("the calls end after %v", took)
			soon = took <= within
		}
		if !soon {
			t.Errorf("of %d answers, none ends the calls within %v", tries, within)
		}
		if len(asked) > 0 {
			t.Error("the second client was asked too")
		}
	})
}

// TestReplicasShareFetches holds that two replicas of the disclosure face have one limit of fetches.
func TestReplicasShareFetches(t *testing.T) {
	var all []*cashtest.Client
	for _, c := range replicas(t, 2, redis.Options{}) {
		reg := registry.New(nil)
		reg.Namespace("bank", "A bank.").Add(registry.Func("pay", "Pays.", func(context.Context, struct{}) (string, error) { return "paid", nil }))
		srv := disclosure.NewServer(reg, &disclosure.Options{FetchesPerMinute: 5, Fetches: c.Quota(), Tool: true, Grants: &disclosure.Grants{Keys: [][]byte{key}}})
		all = append(all, cashtest.Links()[3].Connect(t, srv, &registry.Caller{ID: "ada"}, nil))
	}
	passed := 0
	for i := range 12 {
		if r := all[i%2].Tool(disclosure.ToolName, json.RawMessage(`{"tools":["bank-pay"]}`)); !r.IsError {
			passed++
		}
	}
	if passed != 5 {
		t.Errorf("%d of 12 fetches passed, want 5", passed)
	}
}
