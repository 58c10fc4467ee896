package redis_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var kills = flag.Int("kills", 2, "how often TestKills kills a replica or the server")

// A crash is a stand whose replicas and server are killed under load. Its clients note what they were told.
type crash struct {
	*stand
	tool     string // the id of shop.report
	downs    []atomic.Int64
	wrong    atomic.Int32 // mistakes that are logged
	calls    atomic.Int64
	unknown  atomic.Int64 // calls whose connection broke
	unserved atomic.Int64 // calls that were told that they did not run, for want of the server

	mu       sync.Mutex
	promised []promise
	told     map[string]fate // by function and id
}

// A promise is an artifact that a client was told of.
type promise struct{ user, handle, text string }

// A fate is what clients were told of all calls with an id.
type fate struct {
	done, unknown int
	once          bool // it has run, and its result is kept
}

// fail reports a mistake; the first ones in full.
func (c *crash) fail(format string, args ...any) {
	if c.wrong.Add(1) <= 20 {
		c.t.Errorf(format, args...)
	}
}

// The outcomes of a call.
const (
	hasRun  = "has run"
	notRun  = "not run"
	unclear = "unclear"
	other   = "other" // an answer that says none of these
)

// outcome judges an answer. before is the state of the replica as the call began: only that of a killed one may break
// off.
func (c *crash) outcome(replica int, before int64, a answer, err error) string {
	c.calls.Add(1)
	down := &c.downs[replica%len(c.downs)]
	var timeout net.Error
	switch {
	case err != nil && !errors.Is(err, errTold):
		c.unknown.Add(1)
		if errors.As(err, &timeout) && timeout.Timeout() || before%2 == 0 && down.Load() == before {
			c.fail("a call of a living replica has no answer: %v", err)
		}
		return unclear
	case err != nil:
		c.fail("a call has an answer that is no result: %v", err)
		return other
	case !a.IsError:
		return hasRun
	}
	text := strings.ToLower(a.Text)
	if strings.Contains(text, "cannot be") {
		c.unserved.Add(1)
	}
	if strings.Contains(text, "was not run") {
		return notRun
	}
	return other
}

// try calls a function through the tool call.
func (c *crash) try(user string, replica int, function, id string, more map[string]any) (answer, string) {
	before := c.downs[replica%len(c.downs)].Load()
	a, err := c.call(user, replica, function, id, more)
	return a, c.outcome(replica, before, a, err)
}

// note adds to what is told of an id.
func (c *crash) note(function, id string, f func(*fate)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := function + " " + id
	one := c.told[key]
	f(&one)
	c.told[key] = one
}

func (c *crash) noteOutcome(function, id, outcome string) {
	c.note(function, id, func(f *fate) {
		switch outcome {
		case hasRun:
			f.done++
		case unclear:
			f.unknown++
		}
	})
}

// client makes calls of a user until ctx ends.
func (c *crash) client(ctx context.Context, i int) {
	user := fmt.Sprint("user ", i)
	for n := 0; ctx.Err() == nil; n++ {
		id, replica := fmt.Sprint(i, ".", n), rand.IntN(len(c.replicas))
		switch n % 8 {
		case 0, 4:
			c.pay(user, replica, id)
		case 1:
			c.export(ctx, user, replica, id)
		case 2:
			c.report(user, replica, id)
		default:
			a, outcome := c.try("all", replica, "ping", id, nil)
			c.noteOutcome("ping", id, outcome)
			if outcome == other {
				c.fail("ping: %s", a.Text)
			}
		}
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
	}
}

// pay plans a call, and makes it on two replicas at once until it is known whether it has run.
func (c *crash) pay(user string, replica int, id string) {
	a, outcome := c.try(user, replica, "pay", id, map[string]any{"dry_run": true})
	token := planToken(a)
	if outcome == unclear {
		return
	}
	if token == "" {
		c.fail("a plan without a token: %s", a.Text)
		return
	}
	var group sync.WaitGroup
	for j := range 2 {
		group.Go(func() {
			for range 3 {
				a, outcome := c.try(user, replica+1+j, "pay", id, map[string]any{"plan_token": token})
				c.noteOutcome("pay", id, outcome)
				if outcome == other {
					c.fail("pay: %s", a.Text)
				}
				if outcome != unclear && !strings.Contains(a.Text, "cannot be") {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	group.Wait()
}

// export gets a result that is too large, and then asks other replicas for it.
func (c *crash) export(ctx context.Context, user string, replica int, id string) {
	a, outcome := c.try(user, replica, "export", id, nil)
	switch {
	case outcome == unclear || outcome == notRun:
		c.noteOutcome("export", id, outcome)
		return
	case strings.Contains(a.Text, "was not kept"):
		c.note("export", id, func(f *fate) { f.done++ })
		return
	case !strings.Contains(a.Text, "does not run it again"):
		c.fail("export: %s", a.Text)
		return
	}
	c.note("export", id, func(f *fate) { f.once = true })
	for began := time.Now(); time.Since(began) < 30*time.Second; {
		replica++
		a, outcome := c.try(user, replica, "export", id, map[string]any{"sizelimit": 100_000})
		if outcome == hasRun {
			if want := strings.Repeat("export "+id+"\n", 100); a.Text != want {
				c.fail("export: a kept result is %.100q", a.Text)
			}
			return
		}
		if outcome == other {
			c.fail("export again: %s", a.Text)
			return
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return
		}
	}
	c.fail("a kept result cannot be had")
}

// report gets an artifact.
func (c *crash) report(user string, replica int, id string) {
	before := c.downs[replica].Load()
	handle, a, err := c.execute(user, replica, c.tool, idOnly{id})
	outcome := c.outcome(replica, before, a, err)
	c.noteOutcome("report", id, outcome)
	switch {
	case handle != "":
		c.mu.Lock()
		defer c.mu.Unlock()
		c.promised = append(c.promised, promise{user, handle, "report " + id})
	case outcome == other:
		c.fail("report: %s", a.Text)
	case outcome == hasRun && !strings.Contains(a.Text, "could not be stored"):
		c.fail("report has no artifact: %s", a.Text)
	}
}

// killReplica kills a replica, and starts another in its place.
func (c *crash) killReplica(i int) error {
	c.downs[i].Add(1)
	p := c.replicas[i]
	p.kill()
	time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
	if err := p.start(); err != nil {
		return err
	}
	err := p.ready()
	c.downs[i].Add(1)
	return err
}

// killServer kills the server and starts it again. It returns how long after its first answer all replicas can use it.
func (c *crash) killServer() (time.Duration, error) {
	c.server.kill()
	time.Sleep(time.Duration(rand.IntN(1500)) * time.Millisecond)
	if err := c.server.start(); err != nil {
		return 0, err
	}
	for !answersPing(c.server.address) { // it may be loading
		time.Sleep(5 * time.Millisecond)
	}
	back := time.Now()
	for i := range c.replicas {
		for {
			id := fmt.Sprint("after ", i, rand.Int64())
			a, err := c.call("all", i, "ping", id, nil)
			if err == nil && !strings.Contains(a.Text, "cannot be") { // also if the quota is used up
				break
			}
			if time.Since(back) > 15*time.Second {
				return 0, fmt.Errorf("replica %d is not back: %v, %s", i, err, a.Text)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return time.Since(back), nil
}

// answersPing reports whether a server answers a ping.
func answersPing(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return false
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := io.WriteString(conn, "PING\r\n"); err != nil {
		return false
	}
	reply := make([]byte, 5)
	_, err = io.ReadFull(conn, reply)
	return err == nil && string(reply) == "+PONG"
}

// TestKills kills a replica or the server at random under 64 clients. Nothing runs twice, nothing is over the quota, no
// artifact is lost that a client was told of, and each call is answered, or its connection breaks with its replica.
func TestKills(t *testing.T) {
	const minute, limit = time.Second, 20
	server := ownServer(t, "--appendonly", "yes", "--appendfsync", "always")
	s := newStand(t, server, 3, role{Prefix: "cash:", Minute: minute, Limit: limit})
	c := &crash{stand: s, tool: s.toolID("report"), downs: make([]atomic.Int64, 3), told: make(map[string]fate)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var group sync.WaitGroup
	for i := range 64 {
		group.Go(func() { c.client(ctx, i) })
	}
	var slowest, sum time.Duration
	servers := 0
	for n := range *kills {
		time.Sleep(time.Duration(300+rand.IntN(500)) * time.Millisecond)
		victim := rand.IntN(6)
		if n < 2 {
			victim = n * 5 // the server, then a replica
		}
		if victim < 3 {
			took, err := c.killServer()
			if err != nil {
				t.Fatal(err)
			}
			servers++
			slowest, sum = max(slowest, took), sum+took
		} else if err := c.killReplica(victim - 3); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(300 * time.Millisecond)
	until(t, "enough calls", c.enough)
	cancel()
	group.Wait()
	c.check(minute, limit)
	average := sum / time.Duration(max(servers, 1))
	t.Logf("%d kills, %d of them of the server; back %v after it at most, %v on average", *kills, servers, slowest, average)
	if slowest > 10*time.Second || servers >= 5 && average > 2*time.Second { // once may be long on a machine without time
		t.Errorf("back %v after the server at most, %v on average", slowest, average)
	}
}

// enough reports whether the clients were told enough.
func (c *crash) enough() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.promised) > 0 && len(c.told) >= 100
}

// check compares what the clients were told with the runs.
func (c *crash) check(minute time.Duration, limit int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, f := range c.told {
		n := c.of(key)
		switch {
		case n > 1 || f.done > 1 && !strings.HasPrefix(key, "export"):
			c.fail("%s has run %d times; %d were told that it has", key, n, f.done)
		case f.done > 0 && n == 0 || f.once && n != 1:
			c.fail("%s has run %d times, and clients were told otherwise", key, n)
		case n > 0 && f.done == 0 && f.unknown == 0 && !f.once:
			c.fail("%s has run, and all clients were told that it has not", key)
		}
	}
	most, all := c.busiest("ping", minute)
	if most > limit || all == 0 {
		c.fail("%d calls ran in one minute, at most %d may; %d in all", most, limit, all)
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	list := c.promised
	for range 8 {
		group.Go(func() {
			for {
				mu.Lock()
				if len(list) == 0 {
					mu.Unlock()
					return
				}
				p := list[0]
				list = list[1:]
				mu.Unlock()
				if err := c.readable(p.user, rand.IntN(len(c.replicas)), p.handle, p.text); err != nil {
					c.fail("%v", err)
				}
				if a, err := c.view("nobody", rand.IntN(len(c.replicas)), p.handle); err != nil || !a.IsError {
					c.fail("a foreign artifact: %v, %s", err, a.Text)
				}
			}
		})
	}
	group.Wait()
	c.t.Logf("%d calls: %d broke off, %d were refused for want of the server; %d artifacts are there; at most %d of %d in a minute",
		c.calls.Load(), c.unknown.Load(), c.unserved.Load(), len(c.promised), most, limit)
	if len(c.promised) == 0 || len(c.told) < 100 {
		c.t.Errorf("%d artifacts, %d ids", len(c.promised), len(c.told))
	}
}
