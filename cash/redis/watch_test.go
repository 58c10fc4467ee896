package redis_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/redis"
	"github.com/cash-mcp/go-sdk/cash/upstream/lastknown"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
)

// TestWatchLeavesOutWhatItCannotOpen holds that changes are told beside entries that were sealed with another key, or
// damaged.
func TestWatchLeavesOutWhatItCannotOpen(t *testing.T) {
	prefix := newPrefix()
	own := replicas(t, 2, redis.Options{Key: key, Prefix: prefix})
	other := replicas(t, 1, redis.Options{Key: bytes.Repeat([]byte{9}, 32), Prefix: prefix})[0]
	keep := func(c *redis.Client, revision string) error {
		return c.Catalogs().Keep(t.Context(), "shop", lastknown.Kept{Revision: revision, Data: []byte("a catalog")})
	}
	accept := func(c *redis.Client) error {
		found, err := c.Pins().Load(t.Context(), "shop")
		if err == nil {
			_, err = c.Pins().Swap(t.Context(), "shop", found.Revision, map[string]*pin.Definition{"run": {Name: "run"}})
		}
		return err
	}
	if err := keep(other, "other"); err != nil {
		t.Fatal(err)
	}
	if err := accept(other); err != nil {
		t.Fatal(err)
	}
	r := raw(t, shared.address)
	for _, hash := range []string{"catalogs", "pins"} {
		full := prefix + hash + ":{all}"
		if n, err := r.Do(t.Context(), r.B().Exists().Key(full).Build()).AsInt64(); n != 1 || err != nil {
			t.Fatalf("%s: %v", full, err)
		}
		for field, value := range map[string]string{"damaged": "1 2 3 ????", "short": "x", "sealed": "1 2 3 AAAA"} {
			if err := r.Do(t.Context(), r.B().Hset().Key(full).FieldValue().FieldValue(field, value).Build()).Error(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for what, watch := range map[string]struct {
		watch  func(context.Context, func(string)) error
		change func() error
	}{
		"catalogs": {own[0].Catalogs().Watch, func() error { return keep(own[1], time.Now().String()) }},
		"pins":     {own[0].Pins().Watch, func() error { return accept(own[1]) }},
	} {
		t.Run(what, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			told, ended := make(chan string, 1000), make(chan error, 1)
			go func() { ended <- watch.watch(ctx, func(name string) { told <- name }) }()
			for end := time.After(5 * time.Second); ; {
				if err := watch.change(); err != nil {
					t.Fatal(err)
				}
				select {
				case name := <-told:
					if name != "shop" {
						t.Errorf("told of %q", name)
					}
					cancel()
					<-ended
					return
				case err := <-ended:
					t.Fatalf("the watch has ended: %v", err)
				case <-time.After(20 * time.Millisecond):
				case <-end:
					t.Fatal("nothing is told")
				}
			}
		})
	}
}

// TestReleaseIsNotPublished holds that the end of a lease without a catalog is told to nobody.
func TestReleaseIsNotPublished(t *testing.T) {
	prefix := newPrefix()
	c := replicas(t, 1, redis.Options{Prefix: prefix})[0].Catalogs()
	r := raw(t, shared.address)
	received := func() string {
		info, err := r.Do(t.Context(), r.B().Info().Section("commandstats").Build()).ToString()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range bytes.Split([]byte(info), []byte("\r\n")) {
			if calls, _, ok := bytes.Cut(line, []byte(",")); ok && bytes.HasPrefix(calls, []byte("cmdstat_publish:")) {
				return string(calls)
			}
		}
		return ""
	}
	before := received()
	if err := c.Keep(t.Context(), "shop", lastknown.Kept{}); err != nil {
		t.Fatal(err)
	}
	if now := received(); now != before {
		t.Errorf("publish: %q, before %q", now, before)
	}
	if err := c.Keep(t.Context(), "shop", lastknown.Kept{Revision: "1", Data: []byte("1")}); err != nil {
		t.Fatal(err)
	}
	if now := received(); now == before {
		t.Errorf("publish: %q, though something was kept", now)
	}
}
