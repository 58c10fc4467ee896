package firewall_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/view"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func text(s string) *mcp.TextContent { return &mcp.TextContent{Text: s} }

// letters returns n letters and digits that look random.
func letters(n int) string {
	return strings.Repeat("aB3dE5gH7jK9mN1pQ2sT4vW6yZ8", n/27+1)[:n]
}

// shield puts a result through a firewall, for the owner "me".
func shield(t testing.TB, fw *firewall.Firewall, r firewall.Result) *firewall.Shielded {
	t.Helper()
	a, err := fw.Admit(t.Context(), firewall.Owner{ID: "me"})
	if err != nil {
		t.Fatalf("Admit: %v", err)
	}
	defer a.Release()
	return a.Shield(t.Context(), r)
}

func issues(n int) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"id":%d,"title":"Issue number %d","labels":["bug"]}`, 9007199254740993+i, i)
	}
	return `{"issues":[` + strings.Join(rows, ",") + `]}`
}

// A budget that is out of reach stands for none.
func TestShieldW31WithoutBudget(t *testing.T) {
	fw, content := firewall.New(&firewall.Options{Inline: math.MaxInt}), []mcp.Content{text("hello")}
	if got := shield(t, fw, firewall.Result{Content: content}).Envelope; got.Summary != "hello" || len(got.Artifacts) > 0 {
		t.Errorf("got %+v", got)
	}
	for range 65 { // more than pass beside an envelope
		content = append(content, &mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png"})
	}
	if got := shield(t, fw, firewall.Result{Content: content}).Envelope; len(got.Artifacts) == 0 {
		t.Errorf("got %+v", got)
	}
}

func TestShieldW31Small(t *testing.T) {
	image := &mcp.ImageContent{Data: []byte{0x89, 'P', 'N', 'G', 0}, MIMEType: "image/png"}
	link := &mcp.ResourceLink{URI: "file:///a", Name: "a"}
	for _, tt := range []struct {
		name   string
		result firewall.Result
		want   string
		beside int
	}{
		{"text", firewall.Result{Content: []mcp.Content{text("hello")}}, "hello", 0},
		{"texts", firewall.Result{Content: []mcp.Content{text("a"), text(""), text("b")}}, "a\nb", 0},
		{"JSON as it is", firewall.Result{Content: []mcp.Content{text(`{ "b":12.50, "a":9007199254740993 }`)}}, `{ "b":12.50, "a":9007199254740993 }`, 0},
		{"structured", firewall.Result{Structured: json.RawMessage(` {"b":1.0,"a":2} `)}, `{"b":1.0,"a":2}`, 0},
		{"structured and the same text", firewall.Result{Content: []mcp.Content{text("{\n  \"a\": \"\\u003c\"\n}")}, Structured: json.RawMessage(`{"a":"<"}`)}, `{"a":"<"}`, 0},
		{"structured and other text", firewall.Result{Content: []mcp.Content{text("Found 2.")}, Structured: json.RawMessage(`{"n":2}`)}, "Found 2.\n{\"n\":2}", 0},
		{"structured null", firewall.Result{Content: []mcp.Content{text("x")}, Structured: json.RawMessage("null")}, "x", 0},
		{"structured that is broken", firewall.Result{Structured: json.RawMessage(`{"a":`)}, `{"a":`, 0},
		{"image", firewall.Result{Content: []mcp.Content{image}}, "The result is beside this: 1 image.", 1},
		{"text, image and link", firewall.Result{Content: []mcp.Content{text("see"), image, link}}, "see", 2},
		{"nothing", firewall.Result{}, "The tool returned nothing.", 0},
		{"empty text", firewall.Result{Content: []mcp.Content{text("")}}, "The tool returned nothing.", 0},
		{"nothing to see", firewall.Result{Content: []mcp.Content{text("\u200b\x1b[0m")}}, "The tool returned nothing.", 0},
		{"failed", firewall.Result{IsError: true}, "The tool failed and returned nothing.", 0},
		{"nil blocks", firewall.Result{Content: []mcp.Content{nil, (*mcp.TextContent)(nil), (*mcp.ImageContent)(nil), (*mcp.AudioContent)(nil),
			(*mcp.ResourceLink)(nil), (*mcp.EmbeddedResource)(nil), &mcp.EmbeddedResource{}}}, "The tool returned nothing.", 0},
		{"unknown block", firewall.Result{Content: []mcp.Content{other{text("x"), `{"type":"new","n":1}`}}}, `{"type":"new","n":1}`, 0},
		{"unknown block that panics", firewall.Result{Content: []mcp.Content{other{}}}, "[a block that has no wire form]", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := shield(t, firewall.New(nil), tt.result)
			if got.Envelope.Summary != tt.want || len(got.Content) != tt.beside {
				t.Errorf("summary %q and %d blocks, want %q and %d", got.Envelope.Summary, len(got.Content), tt.want, tt.beside)
			}
			if got.Envelope.Artifacts == nil || len(got.Envelope.Artifacts) != 0 || got.Envelope.Provenance == nil {
				t.Errorf("envelope %+v", got.Envelope)
			}
			if want := map[bool]firewall.Status{true: firewall.Failed, false: firewall.OK}[tt.result.IsError]; got.Envelope.Status != want {
				t.Errorf("status %s, want %s", got.Envelope.Status, want)
			}
		})
	}
}

// TestShieldW31Limit holds that what has as many characters as may be passes.
func TestShieldW31Limit(t *testing.T) {
	fw := firewall.New(&firewall.Options{Inline: 400})
	for name, make := range map[string]func(n int) firewall.Result{
		"text": func(n int) firewall.Result {
			return firewall.Result{Content: []mcp.Content{text(strings.Repeat("é", n))}}
		},
		"texts": func(n int) firewall.Result {
			return firewall.Result{Content: []mcp.Content{text("a"), text(strings.Repeat("é", n-2))}}
		},
		"structured": func(n int) firewall.Result {
			return firewall.Result{Structured: json.RawMessage(encode(strings.Repeat("é", n-2)))}
		},
		"image": func(n int) firewall.Result {
			return firewall.Result{Content: []mcp.Content{text(strings.Repeat("x", n-300)), &mcp.ImageContent{Data: bytes.Repeat([]byte{1}, 225)}}}
		},
	} {
		for n, whole := range map[int]bool{400: true, 401: false} {
			if got := shield(t, fw, make(n)).Envelope; (len(got.Artifacts) == 0) != whole {
				t.Errorf("%s of %d characters: artifacts %v", name, n, got.Artifacts)
			}
		}
	}
}

// other is a block of a kind that nobody knows. Without a wire form it panics.
type other struct {
	mcp.Content
	wire string
}

func (o other) MarshalJSON() ([]byte, error) {
	if o.wire == "" {
		panic("no wire form")
	}
	return []byte(o.wire), nil
}

// everything is a result with every kind of block, larger than is shown.
func everything() firewall.Result {
	png := append([]byte("\x89PNG\r\n\x1a\n\x00"), bytes.Repeat([]byte{0xff, 0, 7}, 500)...)
	return firewall.Result{
		Label: "github:list_issues#12345678",
		Content: []mcp.Content{
			text(strings.Repeat("A line of text.\n", 300)),
			&mcp.ImageContent{Data: png, MIMEType: "image/png"},
			&mcp.AudioContent{Data: []byte{1, 2, 0, 0xfe}, MIMEType: "audio/wav"},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///a.txt", Text: "a\r\nb", MIMEType: "text/plain"}},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///a.bin", Blob: []byte{0, 1, 0xff}}},
			&mcp.ResourceLink{URI: "https://example.com/x", Name: "x"},
			text("id,name,n\n1,a,2\n2,b,3\n3,c,4\n"),
			text(`{"a":[1,2]}`),
		},
		Structured: json.RawMessage(issues(100)),
	}
}

func TestShieldW31Large(t *testing.T) {
	fw := firewall.New(nil)
	got := shield(t, fw, everything())
	e := got.Envelope
	if e.Status != firewall.OK || len(got.Content) != 0 {
		t.Errorf("status %s, %d blocks beside it", e.Status, len(got.Content))
	}
	if !strings.Contains(e.Summary, "100 issues") || e.Provenance["tool_id"] != "github:list_issues#12345678" {
		t.Errorf("summary %q, provenance %v", e.Summary, e.Provenance)
	}
	var types []string
	for _, ref := range e.Artifacts {
		types = append(types, ref.MediaType)
	}
	want := []string{
		"text/plain; charset=utf-8", "image/png", "audio/wav", "text/plain", "application/octet-stream", "application/json",
		"text/csv; charset=utf-8", "application/json", "application/json",
	}
	if !slices.Equal(types, want) {
		t.Errorf("media types %q, want %q", types, want)
	}
	if n := length(e); n > firewall.DefaultInline {
		t.Errorf("envelope of %d characters", n)
	}
}

// TestShieldW32Bytes reads every part back, byte for byte.
func TestShieldW32Bytes(t *testing.T) {
	store := &keeper{Store: firewall.NewMemory(nil)}
	r := everything()
	shield(t, firewall.New(&firewall.Options{Store: store}), r)
	for i, want := range []string{
		r.Content[0].(*mcp.TextContent).Text, string(r.Content[1].(*mcp.ImageContent).Data), string(r.Content[2].(*mcp.AudioContent).Data),
		"a\r\nb", "\x00\x01\xff", "", "id,name,n\n1,a,2\n2,b,3\n3,c,4\n", `{"a":[1,2]}`, string(r.Structured),
	} {
		a, err := store.Open(t.Context(), "me", store.refs[i].Handle)
		if err != nil {
			t.Fatal(err)
		}
		if want != "" && string(a.Data) != want {
			t.Errorf("part %d is %q, want %q", i, a.Data, want)
		}
		if _, err := store.Open(t.Context(), "you", store.refs[i].Handle); !errors.Is(err, firewall.ErrNotFound) {
			t.Errorf("part %d for somebody else: %v", i, err)
		}
	}
}

// keeper is a store that remembers what it was given, or does something worse.
type keeper struct {
	firewall.Store
	parts []firewall.Part
	refs  []firewall.Ref
	keep  func(context.Context, []firewall.Part) ([]firewall.Ref, error)
	freed atomic.Int32
}

func (k *keeper) Reserve(ctx context.Context, owner firewall.Owner, size int64) (firewall.Reservation, error) {
	r, err := k.Store.Reserve(ctx, owner, size)
	if err != nil {
		return nil, err
	}
	return &keeping{r, k}, nil
}

type keeping struct {
	firewall.Reservation
	k *keeper
}

func (r *keeping) Keep(ctx context.Context, parts []firewall.Part) (refs []firewall.Ref, err error) {
	r.k.parts = parts
	if r.k.keep != nil {
		return r.k.keep(ctx, parts)
	}
	r.k.refs, err = r.Reservation.Keep(ctx, parts)
	return r.k.refs, err
}

func (r *keeping) Release() { r.k.freed.Add(1); r.Reservation.Release() }

// TestShieldW32Lost has stores that cannot keep a result, which is delivered
// whole then.
func TestShieldW32Lost(t *testing.T) {
	big := issues(200)
	for name, keep := range map[string]func(context.Context, []firewall.Part) ([]firewall.Ref, error){
		"full": func(context.Context, []firewall.Part) ([]firewall.Ref, error) { return nil, firewall.ErrFull },
		"disk full": func(context.Context, []firewall.Part) ([]firewall.Ref, error) {
			return nil, errors.New("no space left on device")
		},
		"panic": func(context.Context, []firewall.Part) ([]firewall.Ref, error) { panic("secret contents") },
		"runtime panic": func(_ context.Context, p []firewall.Part) ([]firewall.Ref, error) {
			return nil, errors.New(p[len(p)].Label)
		},
		"none": func(context.Context, []firewall.Part) ([]firewall.Ref, error) { return nil, nil },
		"no handle": func(_ context.Context, p []firewall.Part) ([]firewall.Ref, error) {
			return make([]firewall.Ref, len(p)), nil
		},
		"bad handle": func(_ context.Context, p []firewall.Part) ([]firewall.Ref, error) {
			return slices.Repeat([]firewall.Ref{{Handle: "a\nb"}}, len(p)), nil
		},
		"canceled": func(ctx context.Context, _ []firewall.Part) ([]firewall.Ref, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"hangs": func(context.Context, []firewall.Part) ([]firewall.Ref, error) { time.Sleep(time.Hour); return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, failed := range []bool{false, true} {
					store := &keeper{Store: firewall.NewMemory(nil), keep: keep}
					var log bytes.Buffer
					fw := firewall.New(&firewall.Options{Store: store, Logger: slog.New(slog.NewTextHandler(&log, nil))})
					image := &mcp.ImageContent{Data: make([]byte, 9000), MIMEType: "image/png"}
					got := shield(t, fw, firewall.Result{Content: []mcp.Content{text(big), image}, IsError: failed})
					if want := map[bool]firewall.Status{true: firewall.Failed, false: firewall.Partial}[failed]; got.Envelope.Status != want {
						t.Errorf("status %s, want %s", got.Envelope.Status, want)
					}
					if got.Envelope.Summary != big || len(got.Content) != 1 || !bytes.Equal(got.Content[0].(*mcp.ImageContent).Data, image.Data) {
						t.Errorf("lost: %.100q, %d blocks", got.Envelope.Summary, len(got.Content))
					}
					if len(got.Envelope.Facts) != 1 || len(got.Envelope.Artifacts) != 0 {
						t.Errorf("facts %q, artifacts %v", got.Envelope.Facts, got.Envelope.Artifacts)
					}
					if log.Len() == 0 || strings.Contains(log.String(), "contents") || strings.Contains(log.String(), "Issue") {
						t.Errorf("log %q", log.String())
					}
					time.Sleep(2 * time.Hour)
					if synctest.Wait(); store.freed.Load() != 1 {
						t.Errorf("room given back %d times, want 1", store.freed.Load())
					}
				}
			})
		})
	}
}

// TestShieldW32Canceled stores what has happened though the caller is gone.
func TestShieldW32Canceled(t *testing.T) {
	a, err := firewall.New(nil).Admit(t.Context(), firewall.Owner{ID: "me"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if e := a.Shield(ctx, firewall.Result{Content: []mcp.Content{text(issues(200))}}).Envelope; e.Status != firewall.OK || len(e.Artifacts) != 1 {
		t.Errorf("status %s, artifacts %v", e.Status, e.Artifacts)
	}
	a.Release()
	a.Release()
	if e := a.Shield(ctx, firewall.Result{Content: []mcp.Content{text(issues(200))}}).Envelope; e.Status != firewall.Partial || e.Summary != issues(200) {
		t.Errorf("after Release: status %s", e.Status)
	}
}

// reserver is a store with a Reserve of its own.
type reserver struct {
	firewall.Store
	reserve func() (firewall.Reservation, error)
}

func (r reserver) Reserve(context.Context, firewall.Owner, int64) (firewall.Reservation, error) {
	return r.reserve()
}

func TestAdmitW32(t *testing.T) {
	for name, tt := range map[string]struct {
		reserve func() (firewall.Reservation, error)
		full    bool
	}{
		"full":   {func() (firewall.Reservation, error) { return nil, fmt.Errorf("%w: try again", firewall.ErrFull) }, true},
		"panic":  {func() (firewall.Reservation, error) { panic("x") }, false},
		"nil":    {func() (firewall.Reservation, error) { return nil, nil }, false},
		"broken": {func() (firewall.Reservation, error) { return nil, errors.New("broken") }, false},
		"hangs":  {func() (firewall.Reservation, error) { time.Sleep(time.Hour); return nil, nil }, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, err := firewall.New(&firewall.Options{Store: reserver{reserve: tt.reserve}}).Admit(t.Context(), firewall.Owner{ID: "me"})
				if a != nil || err == nil || errors.Is(err, firewall.ErrFull) != tt.full {
					t.Errorf("Admit = %v, %v", a, err)
				}
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// TestAdmitW32Full fills a store: what has no room is not admitted, what was
// admitted is kept.
func TestAdmitW32Full(t *testing.T) {
	fw := firewall.New(&firewall.Options{Store: firewall.NewMemory(&firewall.MemoryOptions{MaxBytes: 1 << 20}), Room: 600 << 10})
	first, err := fw.Admit(t.Context(), firewall.Owner{ID: "me"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fw.Admit(t.Context(), firewall.Owner{ID: "you"}); !errors.Is(err, firewall.ErrFull) {
		t.Errorf("the second: %v", err)
	}
	huge := strings.Repeat("more than was reserved\n", 1<<17)
	if e := first.Shield(t.Context(), firewall.Result{Content: []mcp.Content{text(huge)}}).Envelope; e.Status != firewall.OK || e.Artifacts[0].Size != int64(len(huge)) {
		t.Errorf("status %s, artifacts %v", e.Status, e.Artifacts)
	}
	first.Release()
}

func TestShieldW35Redacts(t *testing.T) {
	secret := "gh" + "p_" + letters(36)
	hidden := secret[:10] + "\u200b" + secret[10:]
	r := firewall.Result{
		Content: []mcp.Content{
			text("token " + secret), text("and " + hidden),
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "x:" + secret, Text: secret, Meta: mcp.Meta{"k": secret}}},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "x:y", Blob: []byte(secret), MIMEType: "text/x-log"}},
			&mcp.ResourceLink{URI: "x:" + secret, Name: secret, Title: secret, Description: secret, Icons: []mcp.Icon{{Source: secret}}},
			&mcp.ImageContent{Data: []byte{1}, MIMEType: "image/" + secret, Meta: mcp.Meta{"n": json.Number("9007199254740993"), "k": secret}},
			other{text("x"), encode(secret)},
		},
		Structured: json.RawMessage(`{"k":` + encode(secret) + `}`),
		Label:      "tool " + secret,
	}
	for _, size := range []int{1, 5000} {
		r.Content[0] = text(strings.Repeat("x ", size) + secret)
		store := &keeper{Store: firewall.NewMemory(nil)}
		fw := firewall.New(&firewall.Options{Store: store})
		got := shield(t, fw, r)
		for i, part := range store.parts {
			if bytes.Contains(part.Data, []byte(secret)) || strings.Contains(part.Label+part.MediaType, secret) {
				t.Errorf("part %d, %q, has the secret", i, part.Label)
			}
		}
		if out := encode(got); strings.Contains(out, secret) || strings.Contains(out, secret[:10]) && size == 1 {
			t.Errorf("the secret gets out: %s", out)
		}
		counts, _ := got.Envelope.Provenance["redactions"].(map[string]int)
		if counts["github-token"] < 10 {
			t.Errorf("provenance %v", got.Envelope.Provenance)
		}
		for _, ref := range store.refs {
			for _, selector := range []string{`{"type":"head"}`, `{"type":"path","path":"$"}`} {
				page, err := fw.View(t.Context(), "me", ref.Handle, json.RawMessage(selector))
				if err == nil && strings.Contains(encode(page), secret) {
					t.Errorf("a view of %s has the secret: %+v", ref.Label, page)
				}
			}
		}
	}
}

// TestViewW35 redacts what was stored as binary and is text after all.
func TestViewW35(t *testing.T) {
	fw := firewall.New(&firewall.Options{MaxView: 1000})
	data := []byte(strings.Repeat("password=hunter2 ", 2000))
	e := shield(t, fw, firewall.Result{Content: []mcp.Content{&mcp.ImageContent{Data: data, MIMEType: "image/png"}}}).Envelope
	page, err := fw.View(t.Context(), "me", e.Artifacts[0].Handle, json.RawMessage(`{"type":"head","chars":900}`))
	if err == nil && (strings.Contains(page.Text, "hunter2") || length(page) > 1000) {
		t.Errorf("page of %d characters: %s", length(page), page.Text)
	}
	var wrong *view.SelectorError
	if err != nil && !errors.As(err, &wrong) {
		t.Errorf("error %v", err)
	}
}

func TestViewW32Errors(t *testing.T) {
	fw := firewall.New(nil)
	e := shield(t, fw, everything()).Envelope
	handle := e.Artifacts[0].Handle
	var errs []string
	for _, tt := range []struct{ owner, handle string }{{"you", handle}, {"me", "art-none"}, {"me", ""}, {"", handle}, {"me", strings.Repeat("x", 1<<20)}} {
		_, err := fw.View(t.Context(), tt.owner, tt.handle, json.RawMessage(`{"type":"head"}`))
		if !errors.Is(err, firewall.ErrNotFound) {
			t.Errorf("View of %.20q by %q: %v", tt.handle, tt.owner, err)
			continue
		}
		errs = append(errs, err.Error())
	}
	if slices.Sort(errs); len(slices.Compact(errs)) != 1 || !strings.Contains(errs[0], "again") {
		t.Errorf("errors differ: %q", errs)
	}
	if _, err := fw.View(t.Context(), "me", handle, json.RawMessage(`{"type":"nope"}`)); err == nil {
		t.Error("a selector that is none shows something")
	}
}

// hostile is text that hides, turns and colors.
const hostile = "a\x1b[31mb\u202ec\u200bd\U000e0041e\u009b1mf\x00g\r\nh\u2028i"

func TestShieldW35Hostile(t *testing.T) {
	for _, size := range []int{0, 5000} {
		fill := strings.Repeat("x", size)
		got := shield(t, firewall.New(nil), firewall.Result{
			Label: hostile,
			Content: []mcp.Content{
				text(hostile + fill),
				text(`{"k` + "\u009b" + `":"x","b":"\u001b[31m\u200b` + "\u202e" + `"}`),
				&mcp.ImageContent{Data: []byte{1}, MIMEType: hostile},
				&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "x:" + hostile, MIMEType: hostile, Text: hostile}},
				&mcp.ResourceLink{URI: hostile, Name: hostile, Title: hostile, Description: hostile, MIMEType: hostile},
			},
			Structured: json.RawMessage(`{"` + "\u202e" + `":"\u202e"}`),
		})
		out := encode(got)
		if strings.ContainsAny(out, "\x1b\u202e\u200b\U000e0041\u009b\x00\u2028") {
			t.Errorf("hostile characters get out: %q", out)
		}
		for _, escape := range []string{`\u001b`, `\u202e`, `\u200b`, `\u009b`, `\u0000`, `\u2028`} {
			if strings.Contains(out, escape) {
				t.Errorf("%s gets out: %q", escape, out)
			}
		}
		if got.Envelope.Provenance["cleaned"] != true {
			t.Errorf("provenance %v", got.Envelope.Provenance)
		}
		if size == 0 {
			lines := strings.Split(got.Envelope.Summary, "\n")
			if want := `{"k":"`; !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, want[:3]) && json.Valid([]byte(l)) }) {
				t.Errorf("JSON is JSON no more: %q", lines)
			}
		}
	}
}

func TestShieldW31ManyBlocks(t *testing.T) {
	var content []mcp.Content
	for i := range 100_000 {
		content = append(content, text(fmt.Sprint("block ", i)))
	}
	store := &keeper{Store: firewall.NewMemory(nil)}
	e := shield(t, firewall.New(&firewall.Options{Store: store}), firewall.Result{Content: content}).Envelope
	if len(e.Artifacts) != len(store.parts) || len(store.parts) > 20 || length(e) > firewall.DefaultInline {
		t.Errorf("%d artifacts, %d parts, %d characters", len(e.Artifacts), len(store.parts), length(e))
	}
	last := store.parts[len(store.parts)-1]
	var blocks []struct{ Type, Text string }
	if err := json.Unmarshal(last.Data, &blocks); err != nil {
		t.Fatal(err)
	}
	if n := len(store.parts) - 1 + len(blocks); n != len(content) || blocks[len(blocks)-1].Text != "block 99999" {
		t.Errorf("%d blocks, want %d", n, len(content))
	}
}

// TestShieldW31Empty has so many empty blocks that they must not pass whole.
func TestShieldW31Empty(t *testing.T) {
	content := slices.Repeat([]mcp.Content{&mcp.ImageContent{}}, 10_000)
	got := shield(t, firewall.New(nil), firewall.Result{Content: content})
	if len(got.Content) != 0 || length(got.Envelope) > firewall.DefaultInline {
		t.Errorf("%d blocks, envelope of %d characters", len(got.Content), length(got.Envelope))
	}
}

// TestShieldW31Sizes holds for random results: what was stored is described
// within the bound, what was not is whole, and all that was stored is listed.
func TestShieldW31Sizes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"word ", "\"", "\\", "<&>", "\n", "é", "日本", "\x1b[1m", "\u200b", "\xff", `{"a":1}`, "password=hunter2 ", "x,y,z\n", "\t", "😀"}
	junk := func(n int) string {
		var b strings.Builder
		for b.Len() < n {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		return b.String()
	}
	for range 300 {
		inline := []int{0, 10, 500, 2000, 4000, 20_000}[rnd.IntN(6)]
		store := &keeper{Store: firewall.NewMemory(nil)}
		if rnd.IntN(5) == 0 {
			store.keep = func(context.Context, []firewall.Part) ([]firewall.Ref, error) { return nil, firewall.ErrFull }
		}
		r := firewall.Result{IsError: rnd.IntN(3) == 0, Label: junk(rnd.IntN(400))}
		for range rnd.IntN(30) {
			n := rnd.IntN(1 << rnd.IntN(14))
			switch rnd.IntN(5) {
			case 0:
				r.Content = append(r.Content, &mcp.ImageContent{Data: []byte(junk(n)), MIMEType: junk(rnd.IntN(100))})
			case 1:
				r.Content = append(r.Content, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: junk(rnd.IntN(200)), Text: junk(n), MIMEType: "text/" + strings.Repeat("x", rnd.IntN(120))}})
			case 2:
				r.Content = append(r.Content, &mcp.ResourceLink{URI: junk(n), Name: junk(n)})
			case 3:
				r.Content = append(r.Content, text(`[`+strings.Repeat(encode(junk(n))+`,`, 3)+`1]`))
			default:
				r.Content = append(r.Content, text(junk(n)))
			}
		}
		got := shield(t, firewall.New(&firewall.Options{Store: store, Inline: inline}), r)
		e, bound := got.Envelope, inline
		if inline == 0 {
			bound = firewall.DefaultInline
		}
		switch {
		case len(e.Artifacts) > 0:
			if n := length(e); n > max(bound, 2000) {
				t.Errorf("inline %d: envelope of %d characters: %s", inline, n, encode(e))
			}
			if len(e.Artifacts) != len(store.refs) || len(got.Content) > 0 {
				t.Errorf("%d artifacts of %d, %d blocks", len(e.Artifacts), len(store.refs), len(got.Content))
			}
		case store.parts != nil:
			if e.Status != firewall.Partial && !r.IsError {
				t.Errorf("not stored, and the status is %s", e.Status)
			}
		default:
			if n := utf8.RuneCountInString(e.Summary); n > max(bound, 100) {
				t.Errorf("inline %d: summary of %d characters", inline, n)
			}
		}
		if (e.Status == firewall.Failed) != r.IsError {
			t.Errorf("status %s of a result with IsError %t", e.Status, r.IsError)
		}
	}
}

// FuzzShield holds that JSON stays JSON however it is cleaned and redacted, that
// nothing invisible gets out, and that what is stored is described in bounds.
func FuzzShield(f *testing.F) {
	for _, s := range []string{hostile, `{"a":"\u001b[31m","\u202eb":["password=x"]}`, encode(hostile), issues(3), "a,b\n1,2\n3,4\n5,6\n", `["` + "\u009b" + `","b"]`} {
		f.Add(s, 1)
		f.Add(s, 400)
	}
	fw := firewall.New(&firewall.Options{Inline: 3000, Store: firewall.NewMemory(&firewall.MemoryOptions{MaxPerOwner: 1 << 30, MaxArtifacts: 1 << 30, MaxBytes: 1 << 40, MaxBytesPerOwner: 1 << 40, MaxAge: time.Second})})
	f.Fuzz(func(t *testing.T, s string, n int) {
		doc := s
		if n = 1 + (n&0xffff)%400; n > 1 {
			doc = strings.Repeat(s, n)
		}
		e := shield(t, fw, firewall.Result{Content: []mcp.Content{text(doc)}, Label: s}).Envelope
		if len(e.Artifacts) > 0 && length(e) > 3000 {
			t.Errorf("envelope of %d characters: %s", length(e), encode(e))
		}
		trimmed := strings.TrimSpace(doc)
		if len(e.Artifacts) == 0 && len(trimmed) > 0 && strings.ContainsAny(trimmed[:1], "[{") && json.Valid([]byte(doc)) && !json.Valid([]byte(e.Summary)) {
			t.Errorf("JSON breaks: %q becomes %q", doc, e.Summary)
		}
		if strings.ContainsAny(encode(e), "\x1b\u202e\u200b\U000e0041\u009b\x00\u2028") {
			t.Errorf("hostile characters get out: %q", encode(e))
		}
	})
}

func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func length(v any) int { return utf8.RuneCountInString(encode(v)) }

func TestRedactW35Firewall(t *testing.T) {
	if got := firewall.New(nil).Redact("password=hunter2"); got != "password=[redacted: password]" {
		t.Errorf("Redact = %q", got)
	}
}

func ExampleFirewall() {
	ctx := context.Background()
	fw := firewall.New(nil)
	room, err := fw.Admit(ctx, firewall.Owner{ID: "alice"})
	if err != nil {
		return // no room: the tool must not run
	}
	defer room.Release()
	shown := room.Shield(ctx, firewall.Result{
		Content: []mcp.Content{&mcp.TextContent{Text: `{"name":"shop","password":"hunter2"}`}},
		Label:   "config:read",
	})
	out, _ := json.Marshal(shown.Envelope)
	fmt.Println(string(out))
	// Output: {"status":"ok","summary":"{\"name\":\"shop\",\"password\":\"[redacted: password]\"}","artifacts":[],"provenance":{"redactions":{"password":1},"tool_id":"config:read"}}
}

func BenchmarkShield(b *testing.B) {
	for name, content := range map[string]string{"small": issues(10), "10MB": issues(200_000)} {
		b.Run(name, func(b *testing.B) {
			fw := firewall.New(&firewall.Options{Store: firewall.NewMemory(&firewall.MemoryOptions{MaxBytes: 1 << 40, MaxBytesPerOwner: 1 << 40, MaxArtifacts: 1 << 30, MaxPerOwner: 1 << 30})})
			r := firewall.Result{Content: []mcp.Content{text(content)}}
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			for b.Loop() {
				shield(b, fw, r)
			}
		})
	}
}
