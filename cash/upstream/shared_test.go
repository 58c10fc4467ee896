package upstream_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/lastknown"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
)

// sluggish is a store that takes its time to keep, from when it is told to.
type sluggish struct {
	*lastknown.Memory
	on      atomic.Bool
	keeping chan struct{} // a catalog is being kept
	ready   chan struct{} // it may be kept
}

func (s *sluggish) Keep(ctx context.Context, key string, k lastknown.Kept) error {
	if k.Revision != "" && s.on.CompareAndSwap(true, false) {
		close(s.keeping)
		select {
		case <-s.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.Memory.Keep(ctx, key, k)
}

// TestChangeWhileKeeping: what changes after a reading has begun is read, however long the store takes to keep it.
func TestChangeWhileKeeping(t *testing.T) {
	inner := rich()
	r := plainRemote(t, inner)
	store := &sluggish{Memory: lastknown.NewMemory(0, nil), keeping: make(chan struct{}), ready: make(chan struct{})}
	one := newToolReplica(t, upstream.Options{Catalogs: store}, r.as("shop"))
	store.on.Store(true)
	addTool(inner, "walk", saying("done"))
	<-store.keeping
	addTool(inner, "jump", saying("done"))
	time.Sleep(100 * time.Millisecond) // until it is heard
	close(store.ready)
	until(t, func() bool { return strings.Contains(one.shows(), "shop.jump") })
}

// TestOthersLeaseKeepsConnection: a replica that waits for another one's reading reads in time itself, over the same
// connection.
func TestOthersLeaseKeepsConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := rich()
		r := overNetwork(ofServer(inner))
		store := &deaf{claimed{Memory: lastknown.NewMemory(0, nil)}}
		shop := r.as("shop")
		shop.ConnectTimeout = 800 * time.Millisecond
		one := newToolReplica(t, upstream.Options{Catalogs: store, CatalogOwner: "us"}, shop)
		began := one.status(t).Since
		for _, key := range store.keys() {
			if ok, err := store.Claim(t.Context(), key, time.Minute); !ok || err != nil {
				t.Fatal(ok, err)
			}
		}
		addTool(inner, "walk", saying("done"))
		until(t, func() bool { return strings.Contains(one.shows(), "shop.walk") })
		if s := one.status(t); s.State != upstream.Connected || !s.Since.Equal(began) || len(s.Notes) > 0 {
			t.Errorf("it has connected again: %+v", s)
		}
	})
}

// TestPartsAreNotTheWhole: a replica does not take what another one has read that leaves out functions.
func TestPartsAreNotTheWhole(t *testing.T) {
	r := overHTTP(t, cash.NewServer(newShop(), nil).Handler())
	opts := upstream.Options{Catalogs: lastknown.NewMemory(0, nil)}
	narrow := r.as("shop")
	narrow.Include = []string{"orders.get"}
	if one := newReplica(t, opts, narrow); one.shows() == "" {
		t.Fatal("nothing is included")
	}
	r.away.Store(true)
	if wide := newReplica(t, opts, r.as("shop")); wide.shows() != "" {
		t.Errorf("it shows %s", wide.shows())
	}
}

// seeker is a store that notes the keys that are looked for.
type seeker struct {
	*lastknown.Memory
	mu     sync.Mutex
	sought []string
}

func (s *seeker) Find(ctx context.Context, key, have string) (lastknown.Kept, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.sought, key) {
		s.sought = append(s.sought, key)
	}
	return s.Memory.Find(ctx, key, have)
}

// TestUnknownIdentitiesShareNothing: catalogs are separate if inherited variables differ. They are kept for nobody if only
// the embedder knows the identity, unless it names an owner.
func TestUnknownIdentitiesShareNothing(t *testing.T) {
	const name = "CASH_UPSTREAM_TEST_ACCOUNT"
	store := &seeker{Memory: lastknown.NewMemory(0, nil)}
	for i, account := range []string{"ada", "bob", "bob"} {
		t.Setenv(name, account)
		newToolReplica(t, upstream.Options{Catalogs: store}, upstream.Server{
			Label: "shop", Endpoint: upstream.Command{Path: os.DevNull, Inherit: []string{name}},
		})
		if want := []int{1, 2, 2}[i]; len(store.sought) != want {
			t.Errorf("%s looks for %d keys, want %d", account, len(store.sought), want)
		}
	}
	r := plainRemote(t, rich())
	for owner, kept := range map[string]bool{"": false, "ada": true} {
		store := &seeker{Memory: lastknown.NewMemory(0, nil)}
		one := newToolReplica(t, upstream.Options{Catalogs: store, CatalogOwner: owner}, upstream.Server{
			Label: "shop", Endpoint: upstream.HTTP{URL: r.URL, Client: new(http.Client)},
		})
		if s := one.status(t); (len(store.sought) > 0) != kept || strings.Contains(strings.Join(s.Notes, "\n"), "CatalogOwner") == kept {
			t.Errorf("owner %q: %d keys, %q", owner, len(store.sought), s.Notes)
		}
	}
}

// blinking is a pin store that cannot be watched at first, and tells of nothing then.
type blinking struct {
	pin.Store
	watches atomic.Int64
}

func (f *blinking) Watch(ctx context.Context, _ func(string)) error {
	if f.watches.Add(1) == 1 {
		return errors.New("it is away")
	}
	<-ctx.Done()
	return ctx.Err()
}

// TestChangesBeforeWatching: what has changed while a store could not be watched is noticed once it can.
func TestChangesBeforeWatching(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := pin.NewMemory()
		server := upstream.Server{Label: "a", Endpoint: upstream.InMemory{Server: rich()}}
		_, agg, _ := aggregate(t, &upstream.Options{Pins: &blinking{Store: shared}, Mode: pin.Locked}, server)
		_, other, _ := aggregate(t, &upstream.Options{Pins: shared, Mode: pin.Locked}, server)
		if len(agg.Status()[0].Quarantined) == 0 {
			t.Fatal("nothing is quarantined")
		}
		if err := other.Accept(t.Context(), "a", ""); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second)
		if len(agg.Status()[0].Quarantined) == 0 {
			t.Error("it is noticed without a watch")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if q := agg.Status()[0].Quarantined; len(q) > 0 {
			t.Errorf("quarantined still: %+v", q)
		}
	})
}
