package gateway_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/disk"
	"github.com/cash-mcp/go-sdk/registry"
)

var (
	roomBytes = flag.Int("room", 5_000, "the bytes of each large result in TestZ2FullRoom")
	roomDisk  = flag.Int("roomdisk", 200, "the most results of one payer in its store on disk, of which 1,000 are the default")
)

// A crowded is a server whose callers ask for more than it can keep.
type crowded struct {
	share int // the most artifacts of one payer
	srv   *gateway.Server
	url   string
	ids   map[string]string
	clock atomic.Int64 // seconds

	mu    sync.Mutex
	kept  []promised
	lost  int
	calls int
}

// A promised is a handle with the number of its result.
type promised struct {
	handle string
	number int
	made   int64
}

func (w *crowded) now() time.Time { return time.Unix(1_900_000_000+w.clock.Load(), 0) }

func newCrowded(t *testing.T, share int, open func(now func() time.Time) firewall.Store) *crowded {
	w := &crowded{share: share, ids: make(map[string]string)}
	reg := registry.New(nil)
	type page struct {
		Number int    `json:"number"`
		Filter string `json:"filter,omitempty"`
	}
	large := func(_ context.Context, in page) (string, error) {
		line := fmt.Sprintf("result %d of many\n", in.Number)
		return strings.Repeat(line, *roomBytes/len(line)+1), nil
	}
	reg.Namespace("data", "").Add(
		registry.Func("read", "Read much.", large, registry.ReadOnly),
		registry.Func("write", "Write much.", large),
		registry.Func("small", "Read little.", func(context.Context, struct{}) (string, error) { return "little", nil }, registry.ReadOnly),
	)
	for f := range reg.All() {
		w.ids[f.Name()] = f.Primitive().String()
	}
	w.srv = gateway.NewServer(reg, &gateway.Options{
		Firewall: firewall.New(&firewall.Options{Store: open(w.now)}),
		Serve:    serve.Options{Address: func(r *http.Request) string { return r.Header.Get("X-Trusted-Address") }},
	})
	w.url = overHTTP(t, w.srv)
	return w
}

type withHeader struct {
	next        http.RoundTripper
	name, value string
}

func (h withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(h.name, h.value)
	return h.next.RoundTrip(r)
}

// connect returns a client without a session that sends a header, if it has a name.
func (w *crowded) connect(t *testing.T, name, value string) *cashtest.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	d := &cashtest.Dialer{Version: "2026-07-28", HTTPClient: &http.Client{Transport: transport}, Timeout: time.Minute}
	if name != "" {
		d.HTTPClient.Transport = withHeader{transport, name, value}
	}
	return d.ConnectHTTP(t, w.url)
}

func (w *crowded) call(t *testing.T, c *cashtest.Client, name string, number int) *cashtest.Reply {
	t.Helper()
	args := object{}
	if name != "small" {
		args["number"] = number
	}
	return c.Tool("tool_execute", object{"tool_id": w.ids[name], "args": args})
}

// reads makes n calls of read from several clients at a time. Each takes so many
// seconds.
func (w *crowded) reads(t *testing.T, n int, seconds int64) {
	t.Helper()
	var all sync.WaitGroup
	for range 4 {
		session := w.connect(t, "", "").Session
		all.Go(func() {
			for {
				w.mu.Lock()
				number := w.calls
				if w.calls++; n == 0 {
					w.calls--
					w.mu.Unlock()
					return
				}
				n--
				w.mu.Unlock()
				w.clock.Add(seconds)
				w.read(t, session, number)
			}
		})
	}
	all.Wait()
}

// read makes a call of read, and records what becomes of its result.
func (w *crowded) read(t *testing.T, s *mcp.ClientSession, number int) {
	made := w.clock.Load()
	res, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "tool_execute", Arguments: object{"tool_id": w.ids["read"], "args": object{"number": number}}})
	if err != nil || res.IsError {
		t.Errorf("call %d: %v %s", number, err, toJSON(res))
		return
	}
	text := res.Content[0].(*mcp.TextContent).Text
	e := envelopeIn(t, text)
	if len(text) > firewall.DefaultInline+200 || !strings.Contains(e.Summary, fmt.Sprintf("result %d of", number)) {
		t.Errorf("call %d: %d characters: %.300s", number, len(text), text)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case e.Status == firewall.OK && len(e.Artifacts) == 1:
		w.kept = append(w.kept, promised{e.Artifacts[0].Handle, number, made})
	case e.Status == firewall.Partial && len(e.Artifacts) == 0 && strings.Contains(toJSON(e.Facts), "Add filters (e.g., filter)"):
		w.lost++
	default:
		t.Errorf("call %d: %s", number, text)
	}
}

// settle checks that every handle within its promise answers, and that no more do than
// one owner may have.
func (w *crowded) settle(t *testing.T) {
	t.Helper()
	answer := 0
	for _, p := range w.kept {
		page, err := w.srv.View(t.Context(), &gateway.ViewRequest{Handle: p.handle})
		if err == nil {
			if answer++; !strings.HasPrefix(page.Text, fmt.Sprintf("result %d of", p.number)) {
				t.Errorf("the handle of result %d shows %.100q", p.number, page.Text)
			}
		} else if w.clock.Load() < p.made+5*60 {
			t.Errorf("the handle of result %d is %d s old: %v", p.number, w.clock.Load()-p.made, err)
		}
	}
	if answer > w.share {
		t.Errorf("%d handles answer", answer)
	}
}

// quick fails if f waits for anything: what a store or a promise takes is longer.
func quick(t *testing.T, what string, f func()) {
	t.Helper()
	began := time.Now()
	if f(); time.Since(began) > 10*time.Second {
		t.Errorf("%s took %v", what, time.Since(began))
	}
}

// TestZ2FullRoom makes 5,000 large results for callers without a session, whom nothing
// tells apart, 2,000 of them at once: their share is full, and nobody else feels it.
// On disk there is a fifth of it all, unless -roomdisk is 1000.
func TestZ2FullRoom(t *testing.T) {
	if testing.Short() {
		t.Skip("in full without -short")
	}
	t.Run("memory", func(t *testing.T) {
		before := heapInUse()
		w := newCrowded(t, 1000, func(now func() time.Time) firewall.Store {
			return firewall.NewMemory(&firewall.MemoryOptions{Now: now})
		})
		w.fill(t)
		room := int64(w.share+20) * int64(*roomBytes+100)
		if used := heapInUse() - before; used > room+16<<20 {
			t.Errorf("%d bytes of memory for %d", used, room)
		}
	})
	t.Run("disk", func(t *testing.T) {
		dir := t.TempDir()
		w := newCrowded(t, *roomDisk, func(now func() time.Time) firewall.Store {
			store, err := disk.Open(dir, &disk.Options{MaxPerOwner: *roomDisk, Now: now})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { store.Close() })
			return store
		})
		w.fill(t)
		// A record has less than 1,000 bytes. Up to 9 spares have 64 KiB.
		room := int64(w.share+20)*int64(*roomBytes+1100) + 9*64<<10
		if used := filesIn(t, dir); used > room {
			t.Errorf("%d bytes of files for %d", used, room)
		}
	})
}

// fill makes twice as many results at once as one may have, and then three times as
// many one after the other, at a rate at which every promise can be kept.
func (w *crowded) fill(t *testing.T) {
	w.reads(t, 2*w.share, 0)
	if len(w.kept) != w.share || w.lost != w.share {
		t.Errorf("%d results are kept, %d are not; want %d of each", len(w.kept), w.lost, w.share)
	}
	w.settle(t)
	w.others(t)

	w.clock.Add(5 * 60)
	w.lost = 0
	w.reads(t, 3*w.share, 1000/int64(w.share))
	if w.lost > 0 {
		t.Errorf("%d results are not kept", w.lost)
	}
	w.settle(t)
	w.others(t)
}

// others checks what callers get while the share of those whom nothing tells apart is
// full.
func (w *crowded) others(t *testing.T) {
	t.Helper()
	same := w.connect(t, "", "")
	full := w.lost > 0
	quick(t, "a small call of the same callers", func() {
		if e := envelopeOf(t, w.call(t, same, "small", 0).OK()); e.Summary != "little" || e.Status != firewall.OK {
			t.Errorf("%+v", e)
		}
	})
	if full {
		e := wantCode(t, w.call(t, same, "write", 1), gateway.RateLimited)
		if details := string(e.Details); !strings.Contains(details, `"reason":"artifact_store_full","retry_after":300`) {
			t.Errorf("details %s", details)
		}
	}
	for _, header := range [][2]string{{"X-Caller", "ann"}, {"X-Trusted-Address", "192.0.2.7"}} {
		c := w.connect(t, header[0], header[1])
		quick(t, "the calls of "+header[1], func() {
			if e := envelopeOf(t, w.call(t, c, "small", 0).OK()); e.Summary != "little" {
				t.Errorf("%+v", e)
			}
			for _, name := range []string{"read", "write"} {
				e := envelopeOf(t, w.call(t, c, name, 5).OK())
				if e.Status != firewall.OK || len(e.Artifacts) != 1 {
					t.Fatalf("%s of %s: %s", name, header[1], toJSON(e))
				}
				view := object{"handle": e.Artifacts[0].Handle}
				if page := c.Tool("tool_view", view).OK(); !strings.Contains(page.Text, "result 5 of") {
					t.Errorf("the page is %s", page.Text)
				}
				// An address pays, but opens nothing and closes nothing. An identity does.
				if r := same.Tool("tool_view", view); r.IsError != (header[0] == "X-Caller") {
					t.Errorf("others see of %s: %.200s", header[1], r.Text)
				}
			}
		})
	}
}

// TestZ2SessionsAtWill has one client with as many sessions as it likes. It has no
// more room than three quarters, and the rest is for callers who are known.
func TestZ2SessionsAtWill(t *testing.T) {
	w := newCrowded(t, 10, func(now func() time.Time) firewall.Store {
		return firewall.NewMemory(&firewall.MemoryOptions{MaxArtifacts: 40, MaxPerOwner: 10, Now: now})
	})
	for i := range 8 {
		d := &cashtest.Dialer{Version: "2025-11-25"}
		s := d.ConnectHTTP(t, w.url).Session
		for n := range 10 {
			w.read(t, s, 10*i+n)
		}
	}
	if len(w.kept) != 30 || w.lost != 50 {
		t.Errorf("%d results are kept, %d are not", len(w.kept), w.lost)
	}
	ann := w.connect(t, "X-Caller", "ann")
	for range 4 {
		for _, name := range []string{"read", "write"} {
			if e := envelopeOf(t, w.call(t, ann, name, 1).OK()); e.Status != firewall.OK || len(e.Artifacts) != 1 {
				t.Errorf("%s of ann: %s", name, toJSON(e))
			}
		}
	}
	// With an address that is trusted, the sessions are of one payer.
	w = newCrowded(t, 10, func(now func() time.Time) firewall.Store {
		return firewall.NewMemory(&firewall.MemoryOptions{MaxArtifacts: 40, MaxPerOwner: 10, Now: now})
	})
	for i := range 4 {
		d := &cashtest.Dialer{Version: "2025-11-25", HTTPClient: &http.Client{Transport: withHeader{http.DefaultTransport, "X-Trusted-Address", "192.0.2.7"}}}
		s := d.ConnectHTTP(t, w.url).Session
		for n := range 10 {
			w.read(t, s, 10*i+n)
		}
	}
	if len(w.kept) != 10 || w.lost != 30 {
		t.Errorf("of one address, %d results are kept, %d are not", len(w.kept), w.lost)
	}
}

func heapInUse() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// filesIn returns the bytes of all files in a directory.
func filesIn(t *testing.T, dir string) (sum int64) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		sum += info.Size()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
