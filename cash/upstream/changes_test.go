package upstream_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

var innerChanges = flag.Int("changes", 50, "how many changes TestChangesThroughLevels makes over each transport, at least")

// soon is how long a change may take through two levels.
const soon = time.Second

// moving is a CaSH server whose functions come and go. A function answers with its name and its
// generation.
type moving struct {
	reg *registry.Registry

	mu        sync.Mutex
	functions map[string]fact
	gone      map[string]time.Time // when a name was last removed
	last      int                  // generation
}

type fact struct {
	generation int
	since      time.Time
}

func newMoving(names int) *moving {
	m := &moving{reg: registry.New(nil), functions: make(map[string]fact), gone: make(map[string]time.Time)}
	for range names {
		m.change(func() { m.add(m.unused()) })
	}
	return m
}

// add adds a function. The caller holds m.mu.
func (m *moving) add(name string) {
	m.last++
	m.functions[name] = fact{m.last, time.Now()}
}

func (m *moving) remove(name string) {
	delete(m.functions, name)
	m.gone[name] = time.Now()
}

// change edits the functions and shows them.
func (m *moving) change(edit func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	edit()
	tree := registry.New(nil)
	ns := tree.Namespace("", "Things that move.")
	for name, f := range m.functions {
		answer := fmt.Sprint(name, " ", f.generation)
		ns.Add(registry.Func(name, "Generation "+fmt.Sprint(f.generation)+".", func(context.Context, struct{}) (string, error) { return answer, nil }))
	}
	if err := m.reg.Replace("shop", tree); err != nil {
		panic(err)
	}
}

// unused returns a name of the pool without a function, and used one with a function.
func (m *moving) unused() string {
	for {
		if name := anyName(); m.functions[name].generation == 0 {
			return name
		}
	}
}

func (m *moving) used() string {
	for name := range m.functions {
		return name
	}
	panic("nothing is left")
}

// anyName returns a name of the pool, which is small, so that names come back.
func anyName() string { return fmt.Sprint("f", rand.IntN(40)) }

// step makes one random change: a new function, a renamed one, another one of the same name, or one
// less.
func (m *moving) step() {
	m.change(func() {
		switch n := rand.IntN(4); {
		case n == 0 && len(m.functions) < 25:
			m.add(m.unused())
		case n == 1:
			m.remove(m.used())
			m.add(m.unused())
		case n == 2 && len(m.functions) > 5:
			m.remove(m.used())
		default:
			name := m.used()
			m.remove(name)
			m.add(name)
		}
	})
}

func (m *moving) fact(name string) (f fact, there bool, gone time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, there = m.functions[name]
	return f, there, m.gone[name]
}

// outage is a server that can be away.
type outage struct {
	cashtest.Runner
	mu   sync.Mutex
	away bool
	ends map[int]context.CancelFunc
	next int
}

func (o *outage) Run(ctx context.Context, tr mcp.Transport) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	o.mu.Lock()
	if o.away {
		o.mu.Unlock()
		return refusing{}.Run(ctx, tr)
	}
	if o.ends == nil {
		o.ends = make(map[int]context.CancelFunc)
	}
	o.next++
	n := o.next
	o.ends[n] = cancel
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.ends, n)
	}()
	return o.Runner.Run(ctx, tr)
}

func (o *outage) set(away bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.away = away; away {
		for _, end := range o.ends {
			end()
		}
	}
}

// levels are a moving server, an aggregator that mounts it as inner, and one that mounts that as
// mid.
type levels struct {
	*moving
	outage *outage
	outer  *cash.Server
}

// TestChangesThroughLevels changes a server while 16 clients call its functions through two
// aggregators. No call reaches the wrong function, what exists is refused for a second at most, and
// the server's fall and rise is seen outside.
func TestChangesThroughLevels(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { // in which time passes only while all wait
			m := newMoving(15)
			o := &outage{Runner: cash.NewServer(m.reg, nil)}
			mid := serving(t, memory("inner", o))
			l := levels{m, o, serving(t, memory("mid", mid))}
			l.check(t, soon)
			l.checkHealth(t)
		})
	})
	for _, generation := range []serve.HTTPMode{serve.SessionsOnly, serve.NoSessions} {
		name := map[serve.HTTPMode]string{serve.SessionsOnly: "sessions", serve.NoSessions: "no sessions"}[generation]
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it mostly waits
			m := newMoving(15)
			options := &cash.Options{Serve: serve.Options{HTTP: generation}}
			over := func(label string, srv *cash.Server) upstream.Server {
				ts := httptest.NewServer(srv.Handler())
				t.Cleanup(ts.Close)
				return upstream.Server{Label: label, Endpoint: upstream.HTTP{URL: ts.URL}}
			}
			inner := over("inner", cash.NewServer(m.reg, options))
			_, _, reg := aggregate(t, nil, inner)
			l := levels{moving: m, outer: serving(t, over("mid", cash.NewServer(reg, options)))}
			l.check(t, patience) // time passes while others use the machine
		})
	}
}

// check makes the changes while clients call. late is how long what exists may be refused.
func (l levels) check(t *testing.T, late time.Duration) {
	var clients sync.WaitGroup
	var calls, refused, worst atomic.Int64
	done := make(chan struct{})
	for range 16 {
		c := cashtest.Connect(t, l.outer)
		clients.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(time.Duration(rand.IntN(100)) * time.Millisecond):
				}
				waited, err := l.call(c, late)
				if err != nil {
					t.Error(err)
					return
				}
				calls.Add(1)
				if waited > 0 {
					refused.Add(1)
				}
				for was := worst.Load(); int64(waited) > was && !worst.CompareAndSwap(was, int64(waited)); was = worst.Load() {
				}
			}
		})
	}
	const enough = 100 // calls
	began := time.Now()
	for n := 0; n < *innerChanges || calls.Load() < enough && time.Since(began) < time.Minute && !t.Failed(); n++ {
		l.step()
		time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond)
	}
	last := time.Now()
	for l.differs(t) != "" && time.Since(last) < late {
		time.Sleep(10 * time.Millisecond)
	}
	settled := time.Since(last)
	close(done)
	clients.Wait()
	t.Logf("%d calls, %d refused of what was new, at most %v after it appeared; the last change took %v",
		calls.Load(), refused.Load(), time.Duration(worst.Load()), settled)
	if calls.Load() < enough {
		t.Errorf("only %d calls", calls.Load())
	}
	if what := l.differs(t); what != "" {
		t.Error(what)
	}
}

// call calls a function by chance. It returns for how long a function had existed that was refused.
func (l levels) call(c *cashtest.Client, late time.Duration) (existed time.Duration, err error) {
	name, began := anyName(), time.Now()
	before, was, _ := l.fact(name)
	r := c.Call("mid.inner.shop", name, nil)
	after, is, gone := l.fact(name)
	switch {
	case !r.IsError:
		var got string
		var generation int
		if _, err := fmt.Sscan(r.Text, &got, &generation); err != nil || got != name {
			return 0, fmt.Errorf("the call of %s is answered with %q", name, r.Text)
		}
		if was && generation < before.generation {
			return 0, fmt.Errorf("the call of %s ran generation %d after %d was there", name, generation, before.generation)
		}
		if !was && !is && gone.Before(began) {
			return 0, fmt.Errorf("%s was gone before it was called and answered with %q", name, r.Text)
		}
	case was && is && before == after:
		if existed = began.Sub(before.since); existed > late {
			return 0, fmt.Errorf("%s is refused %v after it appeared: %s", name, existed, r.Text)
		}
		return max(existed, 1), nil
	}
	return 0, nil
}

// differs compares what help lists with what there is. It returns a difference, or "".
func (l levels) differs(t *testing.T) string {
	page, err := l.outer.Help(t.Context(), &cash.HelpRequest{Namespace: "mid.inner.shop"})
	if err != nil {
		return err.Error()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, f := range l.functions {
		if line := fmt.Sprintf("- **%s** — Generation %d.", name, f.generation); !strings.Contains(page, line) {
			return fmt.Sprintf("help does not list %q", line)
		}
	}
	if n := strings.Count(page, "\n- **"); n != len(l.functions) {
		return fmt.Sprintf("help lists %d functions, want %d", n, len(l.functions))
	}
	return ""
}

func (l levels) checkHealth(t *testing.T) {
	c := cashtest.Connect(t, l.outer)
	const mark = "**inner** — The server inner. (available: false)"
	if page := c.Help("mid", "").OK().Text; strings.Contains(page, mark) {
		t.Errorf("it is not available at first:\n%s", page)
	}
	l.outage.set(true)
	time.Sleep(time.Second)
	if page := c.Help("mid", "").OK().Text; !strings.Contains(page, mark) {
		t.Errorf("its fall is not seen outside:\n%s", page)
	}
	if r := c.Call("mid.inner.shop", l.used(), nil); !r.IsError || !strings.Contains(r.Text, "unavailable") {
		t.Errorf("a call is answered with %q", r.Text)
	}
	l.outage.set(false)
	time.Sleep(5 * time.Second) // reconnects back off
	if page := c.Help("mid", "").OK().Text; strings.Contains(page, mark) {
		t.Errorf("its rise is not seen outside:\n%s", page)
	}
	if what := l.differs(t); what != "" {
		t.Errorf("after its rise: %s", what)
	}
	l.change(func() { l.add("risen") })
	time.Sleep(soon)
	c.Call("mid.inner.shop", "risen", nil).OK()
}
