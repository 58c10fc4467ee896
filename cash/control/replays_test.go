package control_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

func kept(text string, size int) control.Replayed {
	return control.Replayed{Result: registry.TextResult(text), Length: len(text), Size: size, Limit: 1}
}

// store is a store with a clock that the test moves.
type store struct {
	*control.Replays
	t   *testing.T
	now time.Time
}

func newStore(t *testing.T, opts control.ReplayOptions) *store {
	s := &store{t: t, now: time.Unix(0, 0)}
	opts.Now = func() time.Time { return s.now }
	s.Replays = control.NewReplays(&opts)
	return s
}

func (s *store) keep(owner, key, text string, size int) bool {
	s.t.Helper()
	ok, err := s.Keep(context.Background(), owner, key, kept(text, size))
	if err != nil {
		s.t.Fatal(err)
	}
	return ok
}

// find returns the text of what is found, or "".
func (s *store) find(owner, key string) string {
	s.t.Helper()
	r, ok, err := s.Find(context.Background(), owner, key)
	if err != nil {
		s.t.Fatal(err)
	}
	if !ok {
		return ""
	}
	return r.Result.Text()
}

func TestReplaysAreFoundByOwnerAndKey(t *testing.T) {
	s := newStore(t, control.ReplayOptions{})
	if !s.keep("alice", "k", "one", 3) {
		t.Fatal("not kept")
	}
	for _, other := range [][2]string{{"bob", "k"}, {"alice", "other"}, {"", "k"}} {
		if got := s.find(other[0], other[1]); got != "" {
			t.Errorf("%v finds %q", other, got)
		}
	}
	s.keep("alice", "k", "two", 3)
	if got := s.find("alice", "k"); got != "two" {
		t.Errorf("after a replacement: %q", got)
	}
}

// TestReplaysOutliveTheirDelivery holds that a client whose answer was lost may
// ask once more, and that a later call is a new one.
func TestReplaysOutliveTheirDelivery(t *testing.T) {
	s := newStore(t, control.ReplayOptions{})
	s.keep("alice", "k", "one", 3)
	s.Delivered(context.Background(), "alice", "k")
	s.now = s.now.Add(29 * time.Second)
	if s.find("alice", "k") != "one" {
		t.Error("gone before the grace is over")
	}
	s.now = s.now.Add(time.Second)
	if s.find("alice", "k") != "" {
		t.Error("still there after the grace")
	}
}

func TestReplaysBounds(t *testing.T) {
	s := newStore(t, control.ReplayOptions{MaxBytes: 100, MaxBytesPerOwner: 40, MaxPerOwner: 2, MaxAge: time.Minute})
	try := func(owner, key string, size int, want bool) {
		t.Helper()
		if got := s.keep(owner, key, key, size); got != want {
			t.Errorf("Keep(%s, %s, %d) = %t", owner, key, size, got)
		}
	}
	try("a", "1", 41, false) // one result
	try("a", "1", 10, true)
	try("a", "2", 10, true)
	try("a", "3", 10, false) // number of one owner
	try(control.Nobody+"x", "1", 10, true)
	try(control.Nobody+"y", "1", 10, true)
	try(control.Nobody+"z", "1", 20, true)
	try(control.Nobody+"v", "1", 1, false) // all nobodies together
	try("b", "1", 40, true)
	try("c", "1", 1, false) // all together
	if s.find("a", "1") != "1" {
		t.Error("a result that was promised is gone")
	}
	s.now = s.now.Add(time.Minute)
	if s.find("a", "1") != "" {
		t.Error("a result outlives its age")
	}
	try("c", "1", 40, true)
}

// TestReplaysInvariant drives the store at random beside a model of it: what
// Keep has promised is found until it has expired, and nothing else is.
func TestReplaysInvariant(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	s := newStore(t, control.ReplayOptions{MaxBytes: 500, MaxBytesPerOwner: 200, MaxPerOwner: 4, MaxAge: 50 * time.Second, Grace: 5 * time.Second})
	type entry struct {
		text    string
		size    int
		expires time.Time
	}
	model := make(map[string]entry) // by owner and key
	for i := range 20_000 {
		s.now = s.now.Add(time.Duration(rnd.IntN(3)) * time.Second)
		for id, e := range model {
			if !s.now.Before(e.expires) {
				delete(model, id)
			}
		}
		owner, key := fmt.Sprint("o", rnd.IntN(6)), fmt.Sprint("k", rnd.IntN(6))
		id := owner + key
		switch rnd.IntN(3) {
		case 0:
			size := rnd.IntN(120)
			delete(model, id)
			total, own, results := size, size, 0
			for other, e := range model {
				total += e.size
				if other[:2] == owner {
					own += e.size
					results++
				}
			}
			text := fmt.Sprint("text ", i)
			want := total <= 500 && own <= 200 && results < 4
			if got := s.keep(owner, key, text, size); got != want {
				t.Fatalf("step %d: Keep = %t, want %t", i, got, want)
			}
			if want {
				model[id] = entry{text, size, s.now.Add(50 * time.Second)}
			}
		case 1:
			if got := s.find(owner, key); got != model[id].text {
				t.Fatalf("step %d: Find = %q, want %q", i, got, model[id].text)
			}
		case 2:
			s.Delivered(context.Background(), owner, key)
			if e, ok := model[id]; ok {
				if soon := s.now.Add(5 * time.Second); soon.Before(e.expires) {
					e.expires = soon
					model[id] = e
				}
			}
		}
	}
}
