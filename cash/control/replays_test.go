package control_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

func kept(text string) control.Replayed {
	return control.Replayed{Result: registry.TextResult(text), Length: len(text), Limit: 1}
}

// clock is a time that a test moves.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func TestReplaysByOwner(t *testing.T) {
	r := control.NewReplays(nil)
	if token, ok := r.Keep("alice", "k", kept("one"), 3); token != "" || !ok {
		t.Fatalf("Keep: %q, %t", token, ok)
	}
	if _, ok := r.Find("bob", "k", ""); ok {
		t.Error("another owner finds it")
	}
	if _, ok := r.Find("alice", "other", ""); ok {
		t.Error("another key finds it")
	}
	if _, ok := r.Find(nil, "k", ""); ok {
		t.Error("nobody finds it")
	}
	r.Keep("alice", "k", kept("two"), 3)
	if got, ok := r.Find("alice", "k", ""); !ok || got.Result.Text() != "two" {
		t.Errorf("got %v, %t", got, ok)
	}
	r.Drop("alice", "k", "")
	if _, ok := r.Find("alice", "k", ""); ok {
		t.Error("it is found after Drop")
	}
}

func TestReplaysByToken(t *testing.T) {
	r := control.NewReplays(nil)
	one, _ := r.Keep(nil, "k", kept("one"), 3)
	two, _ := r.Keep(nil, "k", kept("two"), 3)
	if one == two || len(one) < 26 { // 26 characters of base32 are 130 bits
		t.Fatalf("tokens %q, %q", one, two)
	}
	if got, ok := r.Find("anyone", "k", one); !ok || got.Result.Text() != "one" {
		t.Errorf("got %v, %t", got, ok)
	}
	if _, ok := r.Find(nil, "other", one); ok {
		t.Error("the token finds another key's result")
	}
}

func TestReplaysBounds(t *testing.T) {
	c := &clock{time.Unix(0, 0)}
	r := control.NewReplays(&control.ReplayOptions{MaxBytes: 100, MaxResult: 40, MaxPerOwner: 2, MaxAge: time.Minute, Now: c.Now})
	try := func(owner any, key string, size int, want bool) {
		t.Helper()
		if _, ok := r.Keep(owner, key, kept(key), size); ok != want {
			t.Errorf("Keep(%v, %s, %d) = %t", owner, key, size, ok)
		}
	}
	try("a", "1", 41, false) // one result
	try("a", "1", 10, true)
	try("a", "2", 10, true)
	try("a", "3", 10, false) // of one owner
	try("b", "1", 40, true)
	try("c", "1", 40, true)
	try("d", "1", 10, false) // all together
	if _, ok := r.Find("a", "1", ""); !ok {
		t.Error("a result that was promised is gone")
	}
	c.now = c.now.Add(time.Minute)
	if _, ok := r.Find("a", "1", ""); ok {
		t.Error("a result outlives its age")
	}
	try("d", "1", 40, true)
}

// TestReplaysInvariant drives the store at random: what Keep has promised is
// found until it is dropped or has expired, and nothing else is.
func TestReplaysInvariant(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	c := &clock{time.Unix(0, 0)}
	r := control.NewReplays(&control.ReplayOptions{MaxBytes: 500, MaxResult: 100, MaxPerOwner: 4, MaxAge: 50 * time.Second, Now: c.Now})
	type entry struct {
		text    string
		size    int
		expires time.Time
	}
	model := make(map[string]entry) // by owner and key
	for i := range 20_000 {
		c.now = c.now.Add(time.Duration(rnd.IntN(3)) * time.Second)
		for id, e := range model {
			if !c.now.Before(e.expires) {
				delete(model, id)
			}
		}
		owner, key := fmt.Sprint("o", rnd.IntN(6)), fmt.Sprint("k", rnd.IntN(6))
		id := owner + key
		switch rnd.IntN(3) {
		case 0:
			size := rnd.IntN(120)
			delete(model, id)
			total, own := size, 0
			for other, e := range model {
				total += e.size
				if other[:2] == owner {
					own++
				}
			}
			text := fmt.Sprint(i)
			want := size <= 100 && total <= 500 && own < 4
			if _, ok := r.Keep(owner, key, kept(text), size); ok != want {
				t.Fatalf("step %d: Keep = %t, want %t", i, ok, want)
			}
			if want {
				model[id] = entry{text, size, c.now.Add(50 * time.Second)}
			}
		case 1:
			e, want := model[id]
			if got, ok := r.Find(owner, key, ""); ok != want || ok && got.Result.Text() != e.text {
				t.Fatalf("step %d: Find = %v, %t; want %v, %t", i, got, ok, e, want)
			}
		case 2:
			r.Drop(owner, key, "")
			delete(model, id)
		}
	}
}
