package firewall_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/firewall"
)

// A counter is a store that counts what is reserved, and refuses with an error unless
// it is nil.
type counter struct {
	firewall.Store
	mu     sync.Mutex
	sizes  []int64
	refuse error
	hang   bool
}

func (c *counter) Reserve(ctx context.Context, owner firewall.Owner, size int64) (firewall.Reservation, error) {
	c.mu.Lock()
	c.sizes = append(c.sizes, size)
	err, hang := c.refuse, c.hang
	c.mu.Unlock()
	if hang {
		time.Sleep(time.Hour)
	}
	if err != nil {
		return nil, err
	}
	return c.Store.Reserve(ctx, owner, size)
}

// TestZ2ReadingTakesRoomWhenItNeedsIt holds that what only reads reserves nothing
// before, nothing for a small result, and for a large one what it takes.
func TestZ2ReadingTakesRoomWhenItNeedsIt(t *testing.T) {
	store := &counter{Store: firewall.NewMemory(nil)}
	fw := firewall.New(&firewall.Options{Store: store})
	for _, r := range []firewall.Result{{}, {Content: []mcp.Content{text("small")}}, {Content: []mcp.Content{text("no")}, IsError: true}} {
		a := fw.AdmitReading(firewall.Owner{ID: "me"})
		if e := a.Shield(t.Context(), r).Envelope; len(e.Artifacts) != 0 || len(store.sizes) != 0 {
			t.Errorf("a small result: %v, reserved %v", e, store.sizes)
		}
		a.Release()
	}
	large := strings.Repeat("many words ", 1000)
	a := fw.AdmitReading(firewall.Owner{ID: "me"})
	e := a.Shield(t.Context(), firewall.Result{Content: []mcp.Content{text(large), &mcp.ImageContent{Data: make([]byte, 500), MIMEType: "image/png"}}}).Envelope
	a.Release()
	if e.Status != firewall.OK || len(e.Artifacts) != 2 || len(store.sizes) != 1 || store.sizes[0] < int64(len(large)+500) || store.sizes[0] > int64(len(large)+800) {
		t.Errorf("a large result: %+v, reserved %v", e, store.sizes)
	}
	if _, err := fw.View(t.Context(), "me", e.Artifacts[0].Handle, []byte(`{"type":"head"}`)); err != nil {
		t.Error(err)
	}
	// All that was reserved is given back: there is as much room as there would be.
	small := firewall.NewMemory(&firewall.MemoryOptions{MaxBytes: 30_000, MaxPerOwner: 3})
	fw = firewall.New(&firewall.Options{Store: small, Room: 1})
	for range 2 {
		if e := fw.AdmitReading(firewall.Owner{ID: "me"}).Shield(t.Context(), firewall.Result{Content: []mcp.Content{text(large)}}).Envelope; len(e.Artifacts) != 1 {
			t.Errorf("%+v", e)
		}
	}
	if _, err := fw.Admit(t.Context(), firewall.Owner{ID: "me"}); err != nil {
		t.Error(err)
	}
}

// TestZ2ReadingWithoutRoom holds what is said of a result that cannot be kept, for all
// that a store does, within the budget and without secrets.
func TestZ2ReadingWithoutRoom(t *testing.T) {
	secret := "gh" + "p_" + letters(36)
	for name, store := range map[string]*counter{
		"full":   {refuse: &firewall.FullError{Limit: "bytes per owner", RetryAfter: 89500 * time.Millisecond}},
		"broken": {refuse: errors.New("disk of /var/secret is bad")},
		"silent": {hang: true},
	} {
		for kind, r := range map[string]firewall.Result{
			"JSON":   {Content: []mcp.Content{text(issues(300))}, Filters: []string{"state", "since"}},
			"text":   {Content: []mcp.Content{text(secret + " " + strings.Repeat("many words ", 5000))}},
			"image":  {Content: []mcp.Content{&mcp.ImageContent{Data: bytes.Repeat([]byte{0xff, 0}, 9000), MIMEType: "image/png"}}},
			"failed": {Content: []mcp.Content{text(strings.Repeat("wrong ", 2000))}, IsError: true},
			"many":   everything(),
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := &counter{Store: firewall.NewMemory(nil), refuse: store.refuse, hang: store.hang}
					a := firewall.New(&firewall.Options{Store: store}).AdmitReading(firewall.Owner{ID: "me"})
					began := time.Now()
					got := a.Shield(t.Context(), r)
					a.Release()
					e := got.Envelope
					if time.Since(began) > time.Minute || len(e.Artifacts) != 0 || e.Artifacts == nil || len(e.Views) != 0 || len(got.Content) != 0 {
						t.Errorf("after %v: %s", time.Since(began), encode(got))
					}
					if want := map[bool]firewall.Status{true: firewall.Failed, false: firewall.Partial}[r.IsError]; e.Status != want {
						t.Errorf("status %s, want %s", e.Status, want)
					}
					if n := length(e); n > firewall.DefaultInline || strings.Contains(encode(e), secret) || strings.Contains(encode(e), "/var") || strings.Contains(e.Summary, "stored") {
						t.Errorf("%d characters: %s", n, encode(e))
					}
					facts := strings.Join(e.Facts, "\n")
					if !strings.HasPrefix(facts, "Not kept: ") || strings.Contains(facts, "90 s") != (name == "full") || strings.Contains(facts, "full") != (name == "full") {
						t.Errorf("facts %q", e.Facts)
					}
					if strings.Contains(facts, "state, since") != (kind == "JSON") || strings.Contains(facts, "ask for fewer") == (kind == "JSON") {
						t.Errorf("facts %q", e.Facts)
					}
					if shown := map[string]string{"JSON": `{"id":9007199254741000`, "text": "many words many", "failed": "wrong wrong", "image": "1 image", "many": "9 parts"}[kind]; !strings.Contains(e.Summary+facts, shown) {
						t.Errorf("%q is not in %s", shown, encode(e))
					}
					time.Sleep(2 * time.Hour) // until the silent store is done
				})
			})
		}
	}
}

// TestZ2OneLineForAnEpisode holds that a store that goes on refusing is logged once for
// each reason, and again when it begins anew.
func TestZ2OneLineForAnEpisode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		store := &counter{Store: firewall.NewMemory(nil)}
		fw := firewall.New(&firewall.Options{Store: store, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		refuse := func(err error, times int) {
			store.refuse = err
			for i := range times {
				if i%2 == 0 {
					if _, err := fw.Admit(t.Context(), firewall.Owner{ID: fmt.Sprint(i)}); err == nil {
						t.Fatal("it is admitted")
					}
				} else {
					fw.AdmitReading(firewall.Owner{ID: fmt.Sprint(i)}).Shield(t.Context(), firewall.Result{Content: []mcp.Content{text(issues(300))}})
				}
				time.Sleep(time.Second)
			}
		}
		lines := func(want int, what string) {
			t.Helper()
			if got := strings.Count(log.String(), "\n"); got != want {
				t.Errorf("%d lines after %s, want %d: %s", got, what, want, log.String())
			}
			log.Reset()
		}
		refuse(&firewall.FullError{Limit: "bytes"}, 200)
		lines(1, "200 refusals in 200 seconds")
		refuse(&firewall.FullError{Limit: "disk"}, 10)
		refuse(errors.New("broken"), 10)
		lines(2, "two more reasons")
		refuse(&firewall.FullError{Limit: "bytes"}, 10)
		lines(0, "the first reason again")
		time.Sleep(2 * time.Minute)
		refuse(&firewall.FullError{Limit: "bytes"}, 10)
		lines(1, "a pause")
		for i := range 1000 { // a store may name any number of limits
			refuse(&firewall.FullError{Limit: fmt.Sprint("limit ", i)}, 1)
		}
		if got := strings.Count(log.String(), "\n"); got > 20 {
			t.Errorf("%d lines for 1000 reasons", got)
		}
	})
}
