package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/disk"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestHandles holds W32 at the gateway: a foreign, an expired and a missing handle
// are answered alike, byte for byte, and the answer says how to get a new one.
func TestHandles(t *testing.T) {
	for _, l := range links {
		t.Run(l.String(), func(t *testing.T) {
			var now atomic.Int64
			store := firewall.NewMemory(&firewall.MemoryOptions{MaxAge: time.Hour, Now: func() time.Time { return time.Unix(now.Load(), 0) }})
			reg := raw(registry.New(nil), "", "big", answers(registry.TextResult(strings.Repeat("word ", 5000))))
			srv := gateway.NewServer(reg, &gateway.Options{Firewall: firewall.New(&firewall.Options{Store: store})})
			ann, bob := l.Connect(t, srv, named("ann"), nil), l.Connect(t, srv, named("bob"), nil)
			handle := execute(t, ann, idOf(t, reg, "big"), nil).Artifacts[0].Handle
			view := func(c *cashtest.Client, handle string) *cashtest.Reply {
				return c.Tool("tool_view", object{"handle": handle})
			}
			view(ann, handle).OK()
			view(l.Connect(t, srv, named("ann"), nil), handle).OK() // the same caller over another connection
			missing := view(ann, handle[:len(handle)-1]+"x").Text
			foreign := view(bob, handle).Text
			nobody := view(l.Connect(t, srv, nil, nil), handle).Text
			now.Add(3601)
			expired := view(ann, handle)
			if e := wantCode(t, expired, gateway.ViewFailed); !strings.Contains(e.Message, "tool_execute") {
				t.Errorf("no way to a new one: %s", e.Message)
			}
			if missing != foreign || missing != expired.Text || missing != nobody {
				t.Errorf("missing, foreign, of nobody, expired:\n%s\n%s\n%s\n%s", missing, foreign, nobody, expired.Text)
			}
		})
	}
}

// TestHandlesOfConnections holds that artifacts of anonymous callers belong to their
// connection, as far as they have one.
func TestHandlesOfConnections(t *testing.T) {
	reg := raw(registry.New(nil), "", "big", answers(registry.TextResult(strings.Repeat("word ", 5000))))
	srv := gateway.NewServer(reg, nil)
	for _, l := range links[:3] { // the fourth has none
		a, b := l.Connect(t, srv, nil, nil), l.Connect(t, srv, nil, nil)
		handle := execute(t, a, idOf(t, reg, "big"), nil).Artifacts[0].Handle
		a.Tool("tool_view", object{"handle": handle}).OK()
		if wantCode(t, b.Tool("tool_view", object{"handle": handle}), gateway.ViewFailed); t.Failed() {
			t.Errorf("over %s", l)
		}
	}
}

// A trickStore does what the test says.
type trickStore struct {
	firewall.Store
	reserve func() error
	keep    func() ([]firewall.Ref, error)
	open    func() (*firewall.Artifact, error)
}

func (s *trickStore) Reserve(ctx context.Context, owner firewall.Owner, size int64) (firewall.Reservation, error) {
	if s.reserve != nil {
		if err := s.reserve(); err != nil {
			return nil, err
		}
	}
	r, err := s.Store.Reserve(ctx, owner, size)
	return trickRoom{r, s.keep}, err
}

func (s *trickStore) Open(ctx context.Context, owner, handle string) (*firewall.Artifact, error) {
	if s.open != nil {
		return s.open()
	}
	return s.Store.Open(ctx, owner, handle)
}

type trickRoom struct {
	firewall.Reservation
	keep func() ([]firewall.Ref, error)
}

func (r trickRoom) Keep(ctx context.Context, parts []firewall.Part) ([]firewall.Ref, error) {
	if r.keep != nil {
		return r.keep()
	}
	return r.Reservation.Keep(ctx, parts)
}

// limitedStore is a store that takes nothing.
func limitedStore(err error) firewall.Store {
	return &trickStore{Store: firewall.NewMemory(nil), reserve: func() error { return err }}
}

// noRooms are stores that take nothing.
var noRooms = map[string]error{
	"full":      &firewall.FullError{Limit: "bytes", RetryAfter: 90 * time.Second},
	"disk full": &firewall.FullError{Limit: "disk"},
	"no space":  syscall.ENOSPC, "read-only": syscall.EROFS, "broken": errors.New("/var/secret/path: no"),
}

// TestZ2NoRoom holds that nothing with an effect is run whose result could not be
// kept, that the refusal is the store's own and says when to come back, and that the
// log has one line for all of them.
func TestZ2NoRoom(t *testing.T) {
	for name, err := range noRooms {
		t.Run(name, func(t *testing.T) {
			s := newShop()
			var log bytes.Buffer
			fw := firewall.New(&firewall.Options{Store: limitedStore(err), Logger: slog.New(slog.NewTextHandler(&log, nil))})
			c := inMemory(t, gateway.NewServer(s, &gateway.Options{Firewall: fw}), nil)
			for range 20 {
				r := c.Tool("tool_execute", object{"tool_id": s.id(t, "orders.retail.refund"), "args": object{"id": "7"}})
				e := wantCode(t, r, gateway.RateLimited)
				if !e.Retryable || s.runs.Load() != 0 || strings.Contains(r.Text, "/var") || !strings.Contains(e.Message, "not run") {
					t.Errorf("after %d runs: %s", s.runs.Load(), r.Text)
				}
				want := `{"reason":"artifact_store_failed","retry_after":10,"scope":"artifacts"}`
				switch name {
				case "full":
					want = `{"reason":"artifact_store_full","retry_after":90,"scope":"artifacts"}`
				case "disk full":
					want = `{"reason":"artifact_store_full","retry_after":10,"scope":"artifacts"}`
				}
				if string(e.Details) != want {
					t.Errorf("details %s, want %s", e.Details, want)
				}
			}
			c.Tool("tool_browse", object{"path": "/"}).OK()
			if n := strings.Count(log.String(), "\n"); n != 1 {
				t.Errorf("%d lines in the log: %s", n, log.String())
			}
		})
	}
}

// TestZ2ReadsWithoutRoom holds that functions that only read run whatever the store
// does: a small result passes whole, and a large one says how to narrow the call.
func TestZ2ReadsWithoutRoom(t *testing.T) {
	for name, err := range noRooms {
		t.Run(name, func(t *testing.T) {
			s := newShop()
			type listing struct {
				Status string `json:"status,omitempty"`
				Since  string `json:"since,omitempty"`
			}
			s.Namespace("orders", "Create and manage customer orders.").Add(registry.Func("export", "Export all orders.", func(context.Context, listing) ([]orderID, error) {
				var all []orderID
				for i := range 2000 {
					all = append(all, orderID{fmt.Sprintf("ORD-%d", i)})
				}
				return all, nil
			}, registry.ReadOnly))
			store := limitedStore(err)
			c := inMemory(t, gateway.NewServer(s, &gateway.Options{Firewall: firewall.New(&firewall.Options{Store: store})}), nil)
			if e := execute(t, c, s.id(t, "orders.list"), nil); e.Status != firewall.OK || e.Summary != `["ORD-1","ORD-2"]` {
				t.Errorf("a small result: %+v", e)
			}
			if e := execute(t, c, "skill::orders:restock#"+hashOf(t, "orders", "restock"), nil); e.Status != firewall.OK || !strings.Contains(e.Summary, "shelf") {
				t.Errorf("a skill: %+v", e)
			}
			e := execute(t, c, s.id(t, "orders.export"), nil)
			facts := strings.Join(e.Facts, " ")
			if e.Status != firewall.Partial || len(e.Artifacts) != 0 || len(e.Views) != 0 || len(toJSON(e)) > firewall.DefaultInline+100 {
				t.Errorf("a large one: %s", toJSON(e))
			}
			for _, want := range []string{"Not kept", "Add filters (e.g., status, since)", "2000 objects"} {
				if !strings.Contains(facts, want) && !strings.Contains(e.Summary, want) {
					t.Errorf("%q is not said: %s", want, toJSON(e))
				}
			}
			if !strings.Contains(e.Summary, `{"id":"ORD-50"}`) || strings.Contains(e.Summary, "stored") {
				t.Errorf("the summary is %s", e.Summary)
			}
			if got := strings.Contains(facts, "again in 90 s"); got != (name == "full") {
				t.Errorf("facts %s", facts)
			}
		})
	}
}

// TestResultIsNotLost holds that what an upstream has done and said arrives, whatever
// becomes of the store meanwhile. What it has only read is not worth the context.
func TestResultIsNotLost(t *testing.T) {
	text := strings.Repeat("one of many words ", 2000)
	image := []byte{0, 1, 2, 255}
	for name, keep := range map[string]func() ([]firewall.Ref, error){
		"disk full":  func() ([]firewall.Ref, error) { return nil, syscall.ENOSPC },
		"read-only":  func() ([]firewall.Ref, error) { return nil, syscall.EROFS },
		"panics":     func() ([]firewall.Ref, error) { panic("boom") },
		"nothing":    func() ([]firewall.Ref, error) { return nil, nil },
		"no handle":  func() ([]firewall.Ref, error) { return make([]firewall.Ref, 2), nil },
		"bad handle": func() ([]firewall.Ref, error) { return []firewall.Ref{{Handle: "a\nb"}, {Handle: "a\nb"}}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			answer := answers(&registry.Result{Content: []mcp.Content{
				&mcp.TextContent{Text: text}, &mcp.ImageContent{MIMEType: "image/png", Data: image},
			}})
			reg := raw(registry.New(nil), "", "big", answer)
			act, err := registry.RemoteFunc("act", "Does it.", registry.Remote{Handler: answer})
			if err != nil {
				t.Fatal(err)
			}
			reg.Namespace("", "").Add(act)
			srv := gateway.NewServer(reg, &gateway.Options{Firewall: firewall.New(&firewall.Options{Store: &trickStore{Store: firewall.NewMemory(nil), keep: keep}})})
			c := inMemory(t, srv, nil)
			r := c.Tool("tool_execute", object{"tool_id": idOf(t, reg, "act")}).OK()
			e := envelopeOf(t, r)
			if e.Status != firewall.Partial || strings.TrimSpace(e.Summary) != strings.TrimSpace(text) || len(e.Artifacts) != 0 {
				t.Errorf("status %s, %d characters, artifacts %v", e.Status, len(e.Summary), e.Artifacts)
			}
			if got, ok := r.Raw.Content[len(r.Raw.Content)-1].(*mcp.ImageContent); !ok || !bytes.Equal(got.Data, image) {
				t.Errorf("the image is lost: %.300s", toJSON(r.Raw.Content))
			}
			read := execute(t, c, idOf(t, reg, "big"), nil)
			if read.Status != firewall.Partial || len(toJSON(read)) > firewall.DefaultInline+100 || len(read.Artifacts) != 0 || !strings.HasPrefix(read.Facts[0], "Not kept") {
				t.Errorf("what was read: %.1000s", toJSON(read))
			}
		})
	}
}

// TestBrokenArtifacts holds that a store that cannot give back what it has is
// VIEW_FAILED.
func TestBrokenArtifacts(t *testing.T) {
	for name, open := range map[string]func() (*firewall.Artifact, error){
		"corrupt": func() (*firewall.Artifact, error) { return nil, errors.New("/var/secret/path: bad sum") },
		"nothing": func() (*firewall.Artifact, error) { return nil, nil },
		"panics":  func() (*firewall.Artifact, error) { panic("boom") },
		"empty":   func() (*firewall.Artifact, error) { return &firewall.Artifact{}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			srv := gateway.NewServer(newShop(), &gateway.Options{Firewall: firewall.New(&firewall.Options{Store: &trickStore{Store: firewall.NewMemory(nil), open: open}})})
			r := inMemory(t, srv, nil).Tool("tool_view", object{"handle": "x"})
			if name == "empty" { // an artifact of nothing may be shown
				if codeOf(t, r) != "" && codeOf(t, r) != gateway.ViewFailed {
					t.Errorf("the error is %s", r.Text)
				}
				return
			}
			if wantCode(t, r, gateway.ViewFailed); strings.Contains(r.Text, "/var") || strings.Contains(r.Text, "boom") {
				t.Errorf("the error is %s", r.Text)
			}
		})
	}
}

// TestDiskStore holds that the gateway works over a store on a disk, also one that is
// opened anew.
func TestDiskStore(t *testing.T) {
	dir := t.TempDir()
	reg := raw(registry.New(nil), "", "big", answers(registry.TextResult(strings.Repeat("word ", 5000))))
	reg.Namespace("", "").Add(registry.Func("act", "Act.", nothing))
	handle := ""
	for range 2 {
		store, err := disk.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := inMemory(t, gateway.NewServer(reg, &gateway.Options{Firewall: firewall.New(&firewall.Options{Store: store})}), named("ann"))
		if handle == "" {
			handle = execute(t, c, idOf(t, reg, "big"), nil).Artifacts[0].Handle
		}
		c.Tool("tool_view", object{"handle": handle}).OK()
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		wantCode(t, c.Tool("tool_view", object{"handle": handle}), gateway.ViewFailed)
		wantCode(t, c.Tool("tool_execute", object{"tool_id": idOf(t, reg, "act")}), gateway.RateLimited)
		if e := execute(t, c, idOf(t, reg, "big"), nil); e.Status != firewall.Partial || len(e.Artifacts) != 0 {
			t.Errorf("on a closed store: %+v", e)
		}
	}
}

// TestOddResults holds that results of every kind arrive: without content, of nil
// blocks, binary, as embedded resources and links.
func TestOddResults(t *testing.T) {
	blob := bytes.Repeat([]byte{0, 255, 10, 13}, 3000)
	for name, r := range map[string]*registry.Result{
		"empty":      {},
		"no text":    {Content: []mcp.Content{&mcp.TextContent{}}},
		"nil block":  {Content: []mcp.Content{nil}},
		"nil typed":  {Content: []mcp.Content{(*mcp.TextContent)(nil)}},
		"no blob":    {Content: []mcp.Content{&mcp.EmbeddedResource{}}},
		"error":      {IsError: true},
		"image":      {Content: []mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: []byte{1}}}},
		"link":       {Content: []mcp.Content{&mcp.ResourceLink{URI: "file:///x", Name: "x"}}},
		"structured": {Structured: json.RawMessage(`{"a":9007199254740993}`)},
		"null":       {Structured: json.RawMessage(`null`)},
		"bad UTF-8":  {Content: []mcp.Content{&mcp.TextContent{Text: "a\xffb"}}},
		"blob":       {Content: []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///b", MIMEType: "application/octet-stream", Blob: blob}}}},
		"broken":     {Structured: json.RawMessage(`{"a":`)},
	} {
		t.Run(name, func(t *testing.T) {
			reg := raw(registry.New(nil), "", "odd", answers(r))
			c := inMemory(t, gateway.NewServer(reg, nil), nil)
			reply := c.Tool("tool_execute", object{"tool_id": idOf(t, reg, "odd")})
			if reply.IsError && !strings.Contains(reply.Text, `"status"`) {
				errorOf(t, reply) // what has no form on the wire is an error, and no crash
			} else if e := envelopeOf(t, reply); e.Summary == "" {
				t.Errorf("the envelope says nothing: %s", reply.Text)
			} else if name == "blob" {
				var whole []byte
				for start := 0; start < len(blob); {
					var page struct{ Text, Data json.RawMessage }
					c.Tool("tool_view", object{"handle": e.Artifacts[0].Handle, "selector": object{"type": "bytes", "start": start, "end": start + 3000}}).Decode(&page)
					var part []byte
					if err := errors.Join(json.Unmarshal(first(page.Data, page.Text), &part)); err != nil || len(part) == 0 {
						t.Fatalf("page at %d: %v", start, err)
					}
					whole = append(whole, part...)
					start += len(part)
				}
				if !bytes.Equal(whole, blob) {
					t.Errorf("%d bytes are not those of the blob", len(whole))
				}
			}
			c.Tool("tool_browse", object{"path": "/"}).OK()
		})
	}
}

func first(a, b json.RawMessage) json.RawMessage {
	if len(a) > 0 {
		return a
	}
	return b
}

// TestHugeResult holds that 100 MB pass the firewall: whole into the store if that
// has room, and through it else.
func TestHugeResult(t *testing.T) {
	const size = 100_000_000
	text := strings.Repeat("a line of a very long result, of which there are many more\n", size/59+1)[:size]
	reg := raw(registry.New(nil), "", "huge", answers(registry.TextResult(text)))
	roomy := firewall.NewMemory(&firewall.MemoryOptions{MaxBytes: 1 << 30, MaxBytesPerOwner: 1 << 30})
	srv := gateway.NewServer(reg, &gateway.Options{Firewall: firewall.New(&firewall.Options{Store: roomy})})
	r, err := srv.Execute(as("ann"), &gateway.ExecuteRequest{ID: idOf(t, reg, "huge")})
	if err != nil {
		t.Fatal(err)
	}
	e := envelopeIn(t, r.Text())
	if len(r.Text()) > 2*firewall.DefaultInline || len(e.Artifacts) != 1 || e.Artifacts[0].Size != size {
		t.Fatalf("%d characters, artifacts %v", len(r.Text()), e.Artifacts)
	}
	page, err := srv.View(as("ann"), &gateway.ViewRequest{Handle: e.Artifacts[0].Handle, Selector: json.RawMessage(`{"type":"tail","chars":100}`)})
	if err != nil || !strings.HasSuffix(text, page.Text) || page.Text == "" {
		t.Errorf("the end is %+v (%v)", page, err)
	}
}

// TestLongArguments holds that arguments at and over the bounds are answered.
func TestLongArguments(t *testing.T) {
	s := newShop()
	c := inMemory(t, gateway.NewServer(s, nil), nil)
	long := strings.Repeat("x", 1<<20)
	deep := strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 500)
	for name, call := range map[string]struct {
		tool string
		args object
	}{
		"long query":    {"tool_browse", object{"query": long}},
		"long path":     {"tool_browse", object{"path": "/" + long}},
		"long id":       {"tool_execute", object{"tool_id": long}},
		"long argument": {"tool_execute", object{"tool_id": s.id(t, "orders.create"), "args": object{"customer": strings.Repeat("x", 5<<20), "quantity": 1}}},
		"long key":      {"tool_execute", object{"tool_id": s.id(t, "orders.create"), "args": object{long: 1}}},
		"long member":   {"tool_execute", object{long: 1}},
		"long handle":   {"tool_view", object{"handle": long}},
		"long selector": {"tool_view", object{"handle": "x", "selector": object{"type": long}}},
		"deep args":     {"tool_execute", object{"tool_id": s.id(t, "orders.create"), "args": json.RawMessage(deep)}},
		"deep selector": {"tool_view", object{"handle": "x", "selector": json.RawMessage(deep)}},
		"long token":    {"tool_execute", object{"tool_id": s.id(t, "ping"), "plan_token": long}},
	} {
		if r := c.Tool(call.tool, call.args); r.IsError {
			errorOf(t, r)
		} else if r.Chars() > 10_000 {
			t.Errorf("%s: an answer of %d characters", name, r.Chars())
		}
	}
}

// TestPanickingVisibility holds that a rule of the embedder's that panics hides what it
// is about, and breaks nothing.
func TestPanickingVisibility(t *testing.T) {
	s := newShop()
	f := registry.Func("odd", "Odd.", nothing, registry.VisibleTo(func(context.Context, *registry.Caller) bool { panic("boom") }))
	s.Namespace("stock", "What there is.").Add(f)
	c := inMemory(t, gateway.NewServer(s, nil), nil)
	if ids := idsIn(c.Tool("tool_browse", object{"path": "/stock"}).OK().Text); len(ids) != 1 {
		t.Errorf("cards %v", ids)
	}
	wantCode(t, c.Tool("tool_execute", object{"tool_id": s.id(t, "stock.odd")}), gateway.HydrateFailed)
}

// TestApprovals holds that what a person has to approve is refused with an id, and
// passes once for the caller that was approved.
func TestApprovals(t *testing.T) {
	s := newShop()
	approvals := control.NewApprovals(&control.ApprovalOptions{OperatorOnly: true})
	policy := control.NewPolicy(&control.PolicyOptions{Approvals: approvals, Rules: []control.Rule{{Decision: control.RequireApproval, Classes: []control.Class{control.Destructive}}}})
	srv := gateway.NewServer(s, &gateway.Options{Serve: serve.Options{Controls: &control.Controls{Policy: policy}}})
	ann, bob := inMemory(t, srv, named("ann")), inMemory(t, srv, named("bob"))
	call := object{"tool_id": s.id(t, "orders.cancel"), "args": object{"id": "7"}}
	wantCode(t, ann.Tool("tool_execute", call), gateway.PermissionDenied)
	pending, err := approvals.Pending(t.Context())
	if err != nil || len(pending) != 1 {
		t.Fatalf("pending %+v, %v", pending, err)
	}
	if approved, err := approvals.Approve(t.Context(), pending[0].ID); err != nil || !approved {
		t.Fatalf("approved %t, %v", approved, err)
	}
	wantCode(t, bob.Tool("tool_execute", call), gateway.PermissionDenied)
	ann.Tool("tool_execute", call).OK()
	wantCode(t, ann.Tool("tool_execute", call), gateway.PermissionDenied)
	if n := s.runs.Load(); n != 1 {
		t.Errorf("%d runs", n)
	}
}

// TestManyAtOnce holds that many callers of slow functions do not take the room from
// one another: what is reserved is for those who run.
func TestManyAtOnce(t *testing.T) {
	const callers = 100
	var waiting sync.WaitGroup
	waiting.Add(callers)
	reg := raw(registry.New(nil), "", "slow", func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
		waiting.Done()
		waiting.Wait() // until all are here
		return registry.TextResult("done"), nil
	})
	srv := gateway.NewServer(reg, nil)
	id := idOf(t, reg, "slow")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	errs := make(chan error, callers)
	for i := range callers {
		go func() {
			_, err := srv.Execute(registry.WithCaller(ctx, named(fmt.Sprint("caller", i))), &gateway.ExecuteRequest{ID: id})
			errs <- err
		}()
	}
	failed := 0
	for range callers {
		if err := <-errs; err != nil {
			failed++
			waiting.Done()
			if failed == 1 {
				t.Logf("the first is told: %v", err)
			}
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d callers are refused while the others wait for their upstream", failed, callers)
	}
}
