package redis_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/redis"
	"github.com/cash-mcp/go-sdk/firewall"
)

// TestReservationsAreLeases holds that a process which lives keeps its room, and that the room of one which has ended
// is free after the lease.
func TestReservationsAreLeases(t *testing.T) {
	t.Parallel()
	const lease = 1500 * time.Millisecond // renewed every third of it: the machine may pause for the rest
	o := redis.Options{Artifacts: redis.ArtifactLimits{MaxArtifacts: 2}}.WithLease(lease)
	two := replicas(t, 2, o)
	ann, bob := firewall.Owner{ID: "ann"}, firewall.Owner{ID: "bob"}
	dying, err := two[0].Artifacts().Reserve(t.Context(), ann, 10)
	if err != nil {
		t.Fatal(err)
	}
	living, err := two[1].Artifacts().Reserve(t.Context(), bob, 10)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(lease + lease/3)
	if _, err := two[1].Artifacts().Reserve(t.Context(), bob, 10); !errors.Is(err, firewall.ErrFull) {
		t.Errorf("both live: %v", err)
	}
	two[0].StopRenewing()
	stopped := time.Now()
	var third firewall.Reservation
	until(t, "there is room after one has ended", func() bool {
		third, err = two[1].Artifacts().Reserve(t.Context(), bob, 10)
		return err == nil
	})
	if took := time.Since(stopped); took > 2*lease {
		t.Errorf("there is room %v after one has ended, want %v", took, lease)
	}
	if _, err := two[1].Artifacts().Reserve(t.Context(), bob, 10); !errors.Is(err, firewall.ErrFull) {
		t.Errorf("two live: %v", err)
	}
	// A process that had only paused keeps its result after all.
	refs, err := dying.Keep(t.Context(), []firewall.Part{{Data: []byte("late")}})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := two[1].Artifacts().Open(t.Context(), "ann", refs[0].Handle); err != nil || string(a.Data) != "late" {
		t.Errorf("%v, %v", a, err)
	}
	for _, r := range []firewall.Reservation{dying, living, third} {
		r.Release()
	}
}

// TestWhoHasMostMayKeepIt holds that an artifact gives way wherever its payer stands among those with the most room, if
// all others have a promise.
func TestWhoHasMostMayKeepIt(t *testing.T) {
	const others = 25
	s := replicas(t, 1, redis.Options{Artifacts: redis.ArtifactLimits{MaxArtifacts: others + 1, MaxBytes: 100_000, Promise: time.Millisecond}})[0].Artifacts()
	reserve := func(owner string, size int64) firewall.Reservation {
		t.Helper()
		r, err := s.Reserve(t.Context(), firewall.Owner{ID: owner}, size)
		if err != nil {
			t.Fatalf("%s: %v", owner, err)
		}
		t.Cleanup(r.Release)
		return r
	}
	small := reserve("small", 10)
	refs, err := small.Keep(t.Context(), []firewall.Part{{Data: []byte("small")}})
	if err != nil {
		t.Fatal(err)
	}
	small.Release()
	for i := range others {
		reserve(fmt.Sprint("other", i), 3950) // more of the bytes than one artifact is of their number
	}
	time.Sleep(5 * time.Millisecond)
	reserve("last", 10)
	if _, err := s.Open(t.Context(), "small", refs[0].Handle); !errors.Is(err, firewall.ErrNotFound) {
		t.Errorf("what has no promise is there: %v", err)
	}
}

// TestArtifactsLeaveNothing holds that what has given way and what was released takes no memory of the server, and that
// sealed contents cannot be read or moved there.
func TestArtifactsLeaveNothing(t *testing.T) {
	s := ownServer(t)
	plain := raw(t, s.address)
	c := dial(t, redis.Options{Addresses: []string{s.address}, Key: key, Artifacts: redis.ArtifactLimits{MaxPerOwner: 2, Promise: time.Millisecond}})
	data := bytes.Repeat([]byte("SECRET"), 200_000)
	var last firewall.Ref
	for range 6 {
		room, err := c.Artifacts().Reserve(t.Context(), firewall.Owner{ID: "ann"}, int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		refs, err := room.Keep(t.Context(), []firewall.Part{{Data: data, Label: "SECRET"}})
		if err != nil {
			t.Fatal(err)
		}
		room.Release()
		last = refs[0]
		time.Sleep(5 * time.Millisecond)
	}
	dump := everything(t, plain)
	if n := strings.Count(dump, ":0\n"); n != 2 || strings.Contains(dump, "SECRET") {
		t.Errorf("%d contents are there, want 2, or one is readable", n)
	}
	if a, err := c.Artifacts().Open(t.Context(), "ann", last.Handle); err != nil || !bytes.Equal(a.Data, data) {
		t.Errorf("%v", err)
	}
	keys, err := plain.Do(t.Context(), plain.B().Keys().Pattern("cash:artifact:*").Build()).AsStrSlice()
	if err != nil || len(keys) != 6 {
		t.Fatalf("%v, %v", keys, err)
	}
	// The operator swaps two chunks of each content.
	for _, key := range keys {
		if id, ok := strings.CutSuffix(key, ":1"); ok {
			if err := plain.Do(t.Context(), plain.B().Copy().Source(id+":2").Destination(key).Replace().Build()).Error(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if a, err := c.Artifacts().Open(t.Context(), "ann", last.Handle); a != nil || err == nil || errors.Is(err, firewall.ErrNotFound) {
		t.Errorf("a changed content: %v, %v", a, err)
	}
	other := dial(t, redis.Options{Addresses: []string{s.address}, Key: bytes.Repeat([]byte{8}, 32)})
	if a, err := other.Artifacts().Open(t.Context(), "ann", last.Handle); a != nil || err == nil {
		t.Errorf("another key: %v, %v", a, err)
	}
}
