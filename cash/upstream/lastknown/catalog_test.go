package lastknown

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var far = &mcp.InitializeResult{ProtocolVersion: "2026-07-28", ServerInfo: &mcp.Implementation{Name: "far", Version: "1"}}

func tool(name string, arguments any) *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: name, Arguments: arguments, Meta: mcp.Meta{"progressToken": name}}
}

// given returns the answer to a request, as a replay gives it.
func (c *Catalog) given(t *testing.T, method string, params any) (result string, ok bool) {
	t.Helper()
	data, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	r := (&replaying{replay: replay{c, func() {}}}).answer(&jsonrpc.Request{Method: method, Params: data})
	return string(r.Result), r.Error == nil
}

// TestRecording: the first answer to a request counts, whatever its metadata; what was not read again is that of before,
// except for lists.
func TestRecording(t *testing.T) {
	var first recording
	first.add("tools/list", &mcp.ListToolsParams{}, json.RawMessage(`{"tools":[1]}`))
	first.add("tools/list", &mcp.ListToolsParams{Cursor: "2"}, json.RawMessage(`{"tools":[2]}`))
	first.add("tools/call", tool("help", map[string]any{"b": 1, "a": 2}), json.RawMessage(` {"n": 9007199254740993} `))
	first.add("tools/call", tool("help", map[string]any{"a": 2, "b": 1}), json.RawMessage(`"second"`))
	first.add("tools/call", tool("help", map[string]any{"a": 3}), nil)
	first.add("skills/list", nil, json.RawMessage(`{}`))
	c, err := first.catalog(far, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if c, err = Decode(kept); err != nil {
		t.Fatal(err)
	}
	if got, ok := c.given(t, "tools/call", map[string]any{"name": "help", "arguments": map[string]any{"a": 2, "b": 1}, "_meta": map[string]any{"x": 1}}); got != ` {"n": 9007199254740993} ` || !ok {
		t.Errorf("a page: %q", got)
	}
	if got, ok := c.given(t, "tools/call", tool("help", map[string]any{"a": 3})); ok {
		t.Errorf("a page without an answer: %q", got)
	}
	if got, ok := c.given(t, "initialize", struct{}{}); !ok || !strings.Contains(got, `"far"`) || !strings.Contains(got, replayed) {
		t.Errorf("initialize: %q", got)
	}
	var second recording
	second.add("tools/list", &mcp.ListToolsParams{}, json.RawMessage(`{"tools":[3]}`))
	second.add("tools/call", tool("help", map[string]any{"a": 4}), json.RawMessage(`4`))
	next, err := second.catalog(far, c)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		method string
		params any
		result string
	}{
		{"tools/list", struct{}{}, `{"tools":[3]}`},
		{"tools/list", map[string]any{"cursor": "2"}, ""},
		{"skills/list", nil, `{}`},
		{"tools/call", tool("help", map[string]any{"a": 2, "b": 1}), ` {"n": 9007199254740993} `},
		{"tools/call", tool("help", map[string]any{"a": 4}), `4`},
	} {
		if got, ok := next.given(t, want.method, want.params); got != want.result || ok != (want.result != "") {
			t.Errorf("%s %v: %q, want %q", want.method, want.params, got, want.result)
		}
	}
	if same, err := first.catalog(far, nil); err != nil || !maps.EqualFunc(same.answers, c.answers, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		t.Error("the same recording is another catalog")
	} else if again, err := same.Encode(); err != nil || again.Revision != kept.Revision {
		t.Errorf("the revision of the same: %q, want %q", again.Revision, kept.Revision)
	}
}

// TestMissing: a replay tells what is missing of a catalog, and not what the server did not answer.
func TestMissing(t *testing.T) {
	var r recording
	r.add("tools/list", nil, json.RawMessage(`{"tools":[]}`))
	r.add("tools/call", tool("help", 1), nil)
	c, err := r.catalog(far, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if c, err = Decode(kept); err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string]int{"tools/list {}": 0, `tools/call {"name":"help","arguments":1}`: 0, "logging/setLevel {}": 0, "resources/subscribe {}": 0, `tools/call {"name":"help","arguments":2}`: 1, "skills/list {}": 1} {
		missing := 0
		method, params, _ := strings.Cut(request, " ")
		(&replaying{replay: replay{c, func() { missing++ }}}).answer(&jsonrpc.Request{Method: method, Params: json.RawMessage(params)})
		if missing != want {
			t.Errorf("%s: %d are missing, want %d", request, missing, want)
		}
	}
}

// TestTooLargeIsNotEntire: a server whose catalog is too large to be kept is read in part again.
func TestTooLargeIsNotEntire(t *testing.T) {
	defer func(n int) { maxBytes = n }(maxBytes)
	maxBytes = 100
	k := NewShelf(NewMemory(0, nil), "shop", nil, slog.New(slog.DiscardHandler))
	entire := true
	for range 2 {
		if err := k.Read(t.Context(), large{func() { entire = k.Entire() }}); err != nil {
			t.Fatal(err)
		}
	}
	if entire || k.Entire() || k.Note() == "" {
		t.Errorf("all of it is read: %v, %v, %q", entire, k.Entire(), k.Note())
	}
}

// large is a reader of more than is kept.
type large struct{ reading func() }

func (l large) Read(ctx context.Context) (*mcp.InitializeResult, error) {
	l.reading()
	Record(ctx, "tools/list", nil, json.RawMessage(`"`+strings.Repeat("x", 200)+`"`))
	return far, nil
}
func (large) Replay(context.Context, *Catalog, time.Time) error { return nil }
func (large) Gone() <-chan struct{}                             { return nil }

// TestClockBehind: a store whose clock is set back answers that nothing is known, and replaces what it has.
func TestClockBehind(t *testing.T) {
	now := time.Now()
	store := NewMemory(0, func() time.Time { return now })
	if err := store.Keep(t.Context(), "shop", Kept{Revision: "old", Began: now}); err != nil {
		t.Fatal(err)
	}
	now = now.Add(-time.Hour)
	k := NewShelf(store, "shop", nil, slog.New(slog.DiscardHandler))
	if kept, began, err := k.find(); err != nil || !began.IsZero() {
		t.Errorf("%q began at %v, %v", kept.Revision, began, err)
	}
	if err := store.Keep(t.Context(), "shop", Kept{Revision: "new", Began: now}); err != nil {
		t.Fatal(err)
	}
	if kept, began, err := k.find(); err != nil || kept.Revision != "new" || began.IsZero() {
		t.Errorf("%q began at %v, %v", kept.Revision, began, err)
	}
}

// TestTroubles: the trouble of one operation lasts while another one succeeds.
func TestTroubles(t *testing.T) {
	k := NewShelf(NewMemory(1, nil), "shop", nil, slog.New(slog.DiscardHandler))
	if err := k.Read(t.Context(), large{func() {}}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := k.find(); err != nil || k.Note() != without[keeping] {
		t.Errorf("%v, %q", err, k.Note())
	}
}

// TestWorn: a catalog that grows by what was removed from its server is to be read as a whole.
func TestWorn(t *testing.T) {
	var c *Catalog
	reads := 0
	for i := range 300 {
		var r recording
		for n := range 5 {
			r.add("tools/call", tool("help", fmt.Sprint(i, " ", n)), json.RawMessage(`1`))
		}
		next, err := r.catalog(far, c)
		if err != nil {
			t.Fatal(err)
		}
		if c = next; c.worn() {
			c, reads = nil, reads+1
		}
		if c != nil && len(c.answers) > 120 {
			t.Fatalf("after %d readings it has %d answers", i, len(c.answers))
		}
	}
	if reads < 5 || reads > 30 {
		t.Errorf("it was worn %d times", reads)
	}
}

// TestBounds: a catalog that is too large is not encoded, and nothing is decompressed beyond the bounds.
func TestBounds(t *testing.T) {
	defer func(n int) { maxBytes = n }(maxBytes)
	maxBytes = 1 << 20
	var r recording
	r.add("tools/list", nil, json.RawMessage(`"`+strings.Repeat("x", maxBytes)+`"`))
	c, err := r.catalog(far, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Encode(); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("a large one: %v", err)
	}
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	zeros := make([]byte, 1<<20)
	for range 5 {
		_, _ = w.Write(zeros)
	}
	_ = w.Close()
	if _, err := Decode(Kept{Revision: "x", Data: bomb.Bytes()}); err == nil {
		t.Error("5 MiB of zeros are a catalog")
	}
}

// FuzzDecode: whatever is stored, it is refused or a catalog, which encodes to itself and answers.
func FuzzDecode(f *testing.F) {
	var r recording
	r.add("tools/list", nil, json.RawMessage(`{"tools":[]}`))
	c, err := r.catalog(far, nil)
	if err != nil {
		f.Fatal(err)
	}
	kept, err := c.Encode()
	if err != nil {
		f.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(kept.Data))
	if err != nil {
		f.Fatal(err)
	}
	var plain bytes.Buffer
	if _, err := plain.ReadFrom(z); err != nil {
		f.Fatal(err)
	}
	f.Add(plain.Bytes())
	f.Add([]byte(magic + "\x00\x02{}\x03a\nb\x01"))
	f.Add([]byte(magic + "\xff\xff\xff\xff\xff\xff\xff\xff\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, plain []byte) {
		var data bytes.Buffer
		w := gzip.NewWriter(&data)
		_, _ = w.Write(plain)
		_ = w.Close()
		c, err := Decode(Kept{Revision: revisionOf(plain), Data: data.Bytes()})
		if err != nil {
			return
		}
		c.given(t, "tools/list", struct{}{})
		kept, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(kept)
		if err != nil || len(again.answers) != len(c.answers) || again.whole != c.whole {
			t.Errorf("%v: %d answers, want %d", err, len(again.answers), len(c.answers))
		}
	})
}
