package cash_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// subscriber is a client that counts what it is told of cash://server.
type subscriber struct {
	*cashtest.Client
	told chan struct{}
}

func subscribe(t *testing.T, link cashtest.Link, srv cashtest.Face, c *registry.Caller) *subscriber {
	s := &subscriber{told: make(chan struct{}, 100)}
	s.Client = link.Connect(t, srv, c, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) {
			if req.Params.URI != manifest.ResourceURI {
				t.Errorf("told of %q", req.Params.URI)
			}
			s.told <- struct{}{}
		},
	})
	if err := s.subscribe(t, manifest.ResourceURI); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *subscriber) subscribe(t *testing.T, uri string) error {
	return s.Session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri})
}

// revision reads the resource and returns its revision.
func (s *subscriber) revision(t *testing.T) string {
	t.Helper()
	r, err := s.Session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: manifest.ResourceURI})
	if err != nil {
		t.Fatal(err)
	}
	var content struct{ Revision string }
	if err := json.Unmarshal([]byte(r.Contents[0].Text), &content); err != nil || content.Revision == "" {
		t.Fatalf("the content is %s (%v)", r.Contents[0].Text, err)
	}
	if _, err := manifest.Parse([]byte(r.Contents[0].Text)); err != nil {
		t.Errorf("the content is no manifest: %v", err)
	}
	return content.Revision
}

// viewed is a registry with things for everybody and for admins.
type viewed struct {
	*registry.Registry
	shop, vault *registry.Namespace
	n           int
}

func newViewed() *viewed {
	v := &viewed{Registry: registry.New(nil)}
	v.shop = v.Namespace("shop", "A shop.")
	v.vault = v.Namespace("vault", "Secrets.", registry.VisibleTo(registry.Roles("admin")))
	v.add(v.shop)
	v.add(v.vault)
	return v
}

// add adds a function with a new name.
func (v *viewed) add(ns *registry.Namespace, opts ...registry.FuncOption) {
	v.n++
	ns.Add(registry.Func(fmt.Sprint("f", v.n), "Do.", func(context.Context, struct{}) (string, error) { return "", nil }, opts...))
}

// TestSubscribe holds that a client is told when what it sees changes, and only then: over all
// links, with a revision of its own.
func TestSubscribe(t *testing.T) {
	admins := registry.VisibleTo(registry.Roles("admin"))
	away := &registry.Error{Kind: registry.Unavailable, Message: "Away."}
	steps := []struct {
		name    string
		do      func(*viewed)
		visible bool
	}{
		{"hidden function", func(v *viewed) { v.add(v.vault) }, false},
		{"hidden function beside visible ones", func(v *viewed) { v.add(v.shop, admins) }, false},
		{"hidden namespace", func(v *viewed) { v.add(v.Namespace("vault.deep", "Deep.")) }, false},
		{"hidden skill", func(v *viewed) { v.vault.AddSkill(registry.NewSkill("rob", "Rob.", "Rob it.")) }, false},
		{"hidden namespace away", func(v *viewed) { v.vault.Unavailable(away) }, false},
		{"hidden arguments", func(v *viewed) { v.vault.Arguments("key") }, false},
		{"arguments", func(v *viewed) { v.shop.Arguments("tenant") }, true},
		{"function", func(v *viewed) { v.add(v.shop) }, true},
		{"namespace", func(v *viewed) { v.add(v.Namespace("stock", "A stock.")) }, true},
		{"skill", func(v *viewed) { v.shop.AddSkill(registry.NewSkill("buy", "Buy.", "Buy it.")) }, true},
		{"note", func(v *viewed) { v.shop.Note("Closed on Sundays.") }, true},
		{"namespace away", func(v *viewed) { v.shop.Unavailable(away) }, true},
		{"namespace back", func(v *viewed) { v.shop.Unavailable(nil) }, true},
	}
	for _, link := range cashtest.Links() {
		check := func(t *testing.T) {
			v := newViewed()
			srv := cash.NewServer(v, nil)
			bob, admin := subscribe(t, link, srv, &registry.Caller{ID: "bob"}), subscribe(t, link, srv, &registry.Caller{ID: "root", Roles: []string{"admin"}})
			if !link.HTTP {
				synctest.Wait() // until the subscriptions have begun: the SDK's client does not wait for that
			}
			if bob.revision(t) == admin.revision(t) {
				t.Error("who sees more reads the same revision")
			}
			for _, step := range steps {
				before, over := bob.revision(t), admin.revision(t)
				step.do(v)
				<-admin.told
				if admin.revision(t) == over {
					t.Errorf("%s: the revision of who sees it is the same", step.name)
				}
				if step.visible {
					<-bob.told
				}
				if changed := bob.revision(t) != before; changed != step.visible {
					t.Errorf("%s: the revision changed: %v", step.name, changed)
				}
				if !link.HTTP {
					time.Sleep(time.Minute) // in a bubble
				}
				if len(bob.told)+len(admin.told) > 0 {
					t.Errorf("%s: told %d times too often, and %d times", step.name, len(bob.told), len(admin.told))
				}
			}
			if err := bob.Session.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: manifest.ResourceURI}); err != nil {
				t.Fatal(err)
			}
			if !link.HTTP {
				time.Sleep(time.Minute) // until a stream has ended
			}
			v.add(v.shop)
			<-admin.told
			if !link.HTTP {
				time.Sleep(time.Minute)
				if len(bob.told) > 0 {
					t.Error("told after unsubscribing")
				}
			}
			if err := bob.subscribe(t, manifest.ResourceURI); err != nil {
				t.Fatal(err)
			}
			if !link.HTTP {
				time.Sleep(time.Minute)
				v.add(v.shop)
				<-bob.told
			}
		}
		t.Run(link.String(), func(t *testing.T) {
			if link.HTTP {
				check(t)
				return
			}
			synctest.Test(t, check)
		})
	}
}

// TestSubscribeCapability holds that clients learn whether they can subscribe, and that they can.
func TestSubscribeCapability(t *testing.T) {
	reg := newViewed()
	const legacy = "2025-11-25"
	for _, test := range []struct {
		name string
		srv  face
		link cashtest.Link
		want bool
	}{
		{"cash", faces["cash"](reg, serve.Options{}), cashtest.Link{Version: legacy}, true},
		{"cash", faces["cash"](reg, serve.Options{}), cashtest.Link{HTTP: true, Version: legacy}, true},
		{"without sessions", faces["cash"](reg, serve.Options{HTTP: serve.NoSessions}), cashtest.Link{HTTP: true, Version: legacy}, false},
		{"cash", faces["cash"](reg, serve.Options{HTTP: serve.NoSessions}), cashtest.Link{HTTP: true, Version: "2026-07-28"}, true},
		{"of a source that does not say", faces["cash"](struct{ registry.Source }{reg}, serve.Options{}), cashtest.Link{Version: legacy}, false},
		{"gateway", faces["gateway"](reg, serve.Options{}), cashtest.Link{Version: legacy}, false},
		{"plain", faces["plain"](reg, serve.Options{}), cashtest.Link{Version: legacy}, false},
		{"disclosure", faces["disclosure"](reg, serve.Options{}), cashtest.Link{Version: legacy}, false},
	} {
		t.Run(test.name+"/"+test.link.String(), func(t *testing.T) {
			c := test.link.Connect(t, test.srv, nil, nil)
			caps := c.Session.InitializeResult().Capabilities
			if got := caps.Resources != nil && caps.Resources.Subscribe; got != test.want {
				t.Errorf("the capability is %v", got)
			}
			if caps.Tools.ListChanged != (test.name == "plain" || test.name == "disclosure") {
				t.Errorf("the capability for tools is %v", caps.Tools.ListChanged)
			}
			if test.link.Version != legacy {
				return
			}
			err := c.Session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: manifest.ResourceURI})
			if (err == nil) != test.want {
				t.Errorf("subscribing gives %v", err)
			}
			var wire *jsonrpc.Error
			err = c.Session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "cash://another\x00"})
			if !errors.As(err, &wire) || (wire.Code == -32002) != (test.want || test.name == "without sessions") {
				t.Errorf("subscribing to another resource gives %v", err)
			}
		})
	}
}

// refusal refuses whoever is called mallory.
func refusal(ctx context.Context, in *serve.Incoming) (*registry.Caller, error) {
	if h := in.Header.Get("X-Name"); h != "" {
		return nil, errors.New("not you")
	}
	return nil, nil
}

// TestSubscribeRefused holds that a caller whom the embedder refuses is not told anything.
func TestSubscribeRefused(t *testing.T) {
	ts := httptest.NewServer(cash.NewServer(newViewed(), &cash.Options{Serve: serve.Options{Identify: refusal}}).Handler())
	t.Cleanup(ts.Close)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["cash://server"]},"_meta":{` + modern + `}}}`,
	} {
		req := postOf(t, ts.URL, body)
		req.Header.Set("X-Name", "mallory")
		if got := bodyOf(t, req); !strings.Contains(got, "not you") || strings.Contains(got, "acknowledged") {
			t.Errorf("the answer is %s", got)
		}
	}
}

// TestSubscribeOften has a client subscribe and unsubscribe thousands of times, to what there is
// and to what there is not. It is told of a change once, and leaves nothing behind.
func TestSubscribeOften(t *testing.T) {
	for _, link := range cashtest.Links()[:2] {
		t.Run(link.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := newViewed()
				s := subscribe(t, link, cash.NewServer(v, nil), nil)
				time.Sleep(time.Minute)
				before := runtime.NumGoroutine()
				for i := range 2000 {
					_ = s.subscribe(t, fmt.Sprint("cash://server/", i))
					_ = s.Session.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: fmt.Sprint("cash://server/", i)})
					if err := s.Session.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: manifest.ResourceURI}); err != nil {
						t.Fatal(err)
					}
					if err := s.subscribe(t, manifest.ResourceURI); err != nil {
						t.Fatal(err)
					}
					// The SDK's client ends subscriptions in the background. Without a pause there may be more of
					// them than a connection has calls in flight, and the refusal of another is not told.
					synctest.Wait()
				}
				time.Sleep(time.Minute)
				if n := runtime.NumGoroutine() - before; n > 10 {
					t.Errorf("%d goroutines more", n)
				}
				v.add(v.shop)
				time.Sleep(time.Minute)
				if n := len(s.told); n != 1 {
					t.Errorf("told %d times", n)
				}
			})
		})
	}
}

// TestSubscribeToMany sends a subscription to very many resources. Only the one that exists is
// acknowledged, once.
func TestSubscribeToMany(t *testing.T) {
	ts := httptest.NewServer(cash.NewServer(newViewed(), nil).Handler())
	t.Cleanup(ts.Close)
	uris := make([]string, 8000)
	for i := range uris {
		uris[i] = fmt.Sprintf("%q", []string{manifest.ResourceURI, fmt.Sprint("x://", i)}[min(i%2000, 1)])
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":[` + strings.Join(uris, ",") + `]},"_meta":{` + modern + `}}}`
	req := postOf(t, ts.URL, body)
	first := firstEvent(t, req)
	var m struct {
		Method string
		Params struct{ Notifications mcp.NotificationSubscriptions }
	}
	if err := json.Unmarshal([]byte(first), &m); err != nil || m.Method != "notifications/subscriptions/acknowledged" {
		t.Fatalf("the first message is %.300s", first)
	}
	if got := m.Params.Notifications.ResourceSubscriptions; len(got) != 1 || got[0] != manifest.ResourceURI {
		t.Errorf("acknowledged are %.300q", got)
	}
}

// modern is the metadata of requests of 2026-07-28.
const modern = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`

// postOf returns the request to listen with a body.
func postOf(t *testing.T, url, body string) *http.Request {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen",
	} {
		req.Header.Set(key, value)
	}
	return req
}

// bodyOf returns the whole answer.
func bodyOf(t *testing.T, req *http.Request) string {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// firstEvent returns the data of the first event of the answer, which it leaves.
func firstEvent(t *testing.T, req *http.Request) string {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 10<<20)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return data
		}
		t.Logf("%.300s", lines.Text())
	}
	t.Fatalf("status %d, no event: %v", resp.StatusCode, lines.Err())
	return ""
}
