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

func keyOf(owner, key string) control.ResultKey { return control.ResultKey{Owner: owner, Key: key} }

// store is a store with a clock that the test moves.
type store struct {
	*control.Results
	t   *testing.T
	now time.Time
}

func newStore(t *testing.T, opts control.ResultOptions) *store {
	s := &store{t: t, now: time.Unix(0, 0)}
	opts.Now = func() time.Time { return s.now }
	s.Results = control.NewResults(&opts)
	return s
}

func (s *store) keep(owner, key, text string, size int) bool {
	s.t.Helper()
	ok, err := s.Keep(context.Background(), keyOf(owner, key), &control.StoredResult{
		Result: registry.TextResult(text), Size: size, Limit: 1, Lasts: time.Minute, Promised: true,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return ok
}

// find returns the text of what is found, or "".
func (s *store) find(owner, key string) string {
	s.t.Helper()
	r, _, err := s.Find(context.Background(), keyOf(owner, key))
	if err != nil {
		s.t.Fatal(err)
	}
	if r == nil {
		return ""
	}
	return r.Result.Text()
}

func TestResultsAreFoundByOwnerAndKey(t *testing.T) {
	s := newStore(t, control.ResultOptions{})
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

// TestResultsOutliveTheirDelivery holds that a client whose answer was lost may
// ask once more, and that a later call is a new one.
func TestResultsOutliveTheirDelivery(t *testing.T) {
	s := newStore(t, control.ResultOptions{})
	s.keep("alice", "k", "one", 3)
	s.Expire(context.Background(), keyOf("alice", "k"), 30*time.Second)
	s.now = s.now.Add(29 * time.Second)
	if s.find("alice", "k") != "one" {
		t.Error("gone before the grace is over")
	}
	s.now = s.now.Add(time.Second)
	if s.find("alice", "k") != "" {
		t.Error("still there after the grace")
	}
}

func TestResultsBounds(t *testing.T) {
	s := newStore(t, control.ResultOptions{MaxBytes: 100, MaxBytesPerOwner: 40, MaxPerOwner: 2})
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
	try("", "x", 10, true)
	try("", "y", 10, true)
	try("", "z", 20, true)
	try("", "v", 1, false) // all nobodies together
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

// TestResultsInvariant drives the store at random beside a model of it: what
// Keep has promised is found until it has expired, and nothing else is.
func TestResultsInvariant(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	s := newStore(t, control.ResultOptions{MaxBytes: 500, MaxBytesPerOwner: 200, MaxPerOwner: 4})
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
				model[id] = entry{text, size, s.now.Add(time.Minute)}
			}
		case 1:
			if got := s.find(owner, key); got != model[id].text {
				t.Fatalf("step %d: Find = %q, want %q", i, got, model[id].text)
			}
		case 2:
			s.Expire(context.Background(), keyOf(owner, key), 5*time.Second)
			if e, ok := model[id]; ok {
				if soon := s.now.Add(5 * time.Second); soon.Before(e.expires) {
					e.expires = soon
					model[id] = e
				}
			}
		}
	}
}

// TestResultsOfTwoKinds holds that what is promised outlives what is not, by room and by Flush.
func TestResultsOfTwoKinds(t *testing.T) {
	s := newStore(t, control.ResultOptions{MaxBytes: 100})
	ctx := context.Background()
	_, before, _ := s.Find(ctx, keyOf("alice", "none"))
	keep := func(key, edition string) bool {
		ok, err := s.Keep(ctx, keyOf("alice", key), &control.StoredResult{
			Result: registry.TextResult(key), Size: 45, Lasts: time.Hour, Edition: edition,
		})
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if !s.keep("alice", "promised", "promised", 25) || !keep("first", before) || !keep("second", before) {
		t.Fatal("not kept")
	}
	if s.find("alice", "first") != "" || s.find("alice", "second") == "" || s.find("alice", "promised") == "" {
		t.Error("the older of the two that were not promised should be gone, and nothing else")
	}
	if err := s.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if s.find("alice", "second") != "" || s.find("alice", "promised") == "" {
		t.Error("Flush should drop what is not promised, and nothing else")
	}
	if _, now, _ := s.Find(ctx, keyOf("alice", "none")); keep("late", before) || !keep("new", now) {
		t.Error("a result of the edition before Flush was kept, or one of the new edition was not")
	}
}
