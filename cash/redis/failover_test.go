package redis_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/redis"
)

// A pair is a server, a replica of it, and what stands between them and before them.
type pair struct {
	t             *testing.T
	first, second *server
	link          *proxy // from the replica to its server
	front         *proxy // from the clients to the server that is in charge
}

func newPair(t *testing.T) *pair {
	p := &pair{t: t, first: ownServer(t, "--repl-diskless-sync-delay", "0")}
	p.link, p.front = newProxy(t, p.first.address), newProxy(t, p.first.address)
	_, port, _ := strings.Cut(p.link.address, ":")
	p.second = ownServer(t, "--replicaof", "127.0.0.1 "+port, "--repl-diskless-sync-delay", "0")
	return p
}

// replicated waits until the replica follows. A new one begins up to a second after its first copy, and WAIT tells no
// difference.
func (p *pair) replicated() {
	from, to := raw(p.t, p.first.address), raw(p.t, p.second.address)
	n, err := from.Do(p.t.Context(), from.B().Incr().Key("written").Build()).AsInt64()
	if err != nil {
		p.t.Fatal(err)
	}
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if seen, err := to.Do(p.t.Context(), to.B().Get().Key("written").Build()).AsInt64(); err == nil && seen == n {
			return
		} else if time.Since(began) > 10*time.Second {
			p.t.Fatalf("the replica has %d of %d, %v", seen, n, err)
		}
	}
}

// failover kills the server, and puts the replica in charge.
func (p *pair) failover() {
	p.first.kill()
	p.link.lead("")
	c := raw(p.t, p.second.address)
	if err := c.Do(p.t.Context(), c.B().Replicaof().No().One().Build()).Error(); err != nil {
		p.t.Fatal(err)
	}
	p.front.lead(p.second.address)
}

// arrived waits until the replica of a killed server has all that was on its way: then comes the end of the connection.
func (p *pair) arrived() {
	to := raw(p.t, p.second.address)
	until(p.t, "the link is down", func() bool {
		info, err := to.Do(p.t.Context(), to.B().Info().Section("replication").Build()).ToString()
		return err == nil && strings.Contains(info, "master_link_status:down")
	})
}

// claimUntilKilled claims tokens, and kills the server when many are confirmed and further ones are on their way. It
// returns those that were confirmed.
func (p *pair) claimUntilKilled(c *redis.Client) (claimed []string) {
	const many = 200
	var confirmed atomic.Int32
	killed := make(chan struct{})
	kill := func() {
		p.first.kill()
		close(killed)
	}
	for i, began := 0, time.Now(); time.Since(began) < time.Minute; i++ {
		some, failed := claimEach(c, fmt.Sprint(i, " "), 5*many, func() {
			if confirmed.Add(1) == many {
				go kill()
			}
		})
		claimed = append(claimed, some...)
		select {
		case <-killed:
			if failed != nil {
				return claimed
			}
		default: // a new replica does not confirm the first ones
		}
	}
	p.t.Fatalf("only %d claims are confirmed in a minute, or the server lives", confirmed.Load())
	return nil
}

// claim claims tokens by several claimants, and returns those that were confirmed, and the errors.
func claim(c *redis.Client, name string, n int) (claimed []string, failed []error) {
	return claimEach(c, name, n, func() {})
}

// claimEach is claim, and tells of each that was confirmed.
func claimEach(c *redis.Client, name string, n int, confirmed func()) (claimed []string, failed []error) {
	var mu sync.Mutex
	var group sync.WaitGroup
	expires := time.Now().Add(time.Hour)
	for i := range 8 {
		group.Go(func() {
			for j := i; j < n; j += 8 {
				token := name + strconv.Itoa(j)
				_, ok, err := c.Plans().Claim(context.Background(), token, "", expires)
				mu.Lock()
				if ok && err == nil {
					claimed = append(claimed, token)
					confirmed()
				}
				if err != nil {
					failed = append(failed, err)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return claimed, failed
}

// again returns how many of the tokens can be claimed once more.
func again(t *testing.T, c *redis.Client, tokens []string) (n int) {
	t.Helper()
	for _, token := range tokens {
		_, claimed, err := c.Plans().Claim(t.Context(), token, "", time.Now().Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		if claimed {
			n++
		}
	}
	return n
}

// TestFailover measures which used tokens a failover forgets: without Options.Replicas all that the replica has not
// received, with it none.
func TestFailover(t *testing.T) {
	t.Parallel()
	t.Run("the link is stalled", func(t *testing.T) {
		t.Parallel()
		p := newPair(t)
		p.replicated()
		p.replicated()
		c := dial(t, redis.Options{Addresses: []string{p.front.address}})
		if list := strings.Join(c.Forgets(), " "); !strings.Contains(list, "Options.Replicas") {
			t.Errorf("the server forgets %q", list)
		}
		before, _ := claim(c, "before ", 500)
		p.replicated()
		p.link.stall()
		during, failed := claim(c, "during ", 200)
		if len(before) != 500 || len(during) != 200 {
			t.Fatalf("%d and %d claims, %v", len(before), len(during), errors.Join(failed...))
		}
		p.failover()
		check := dial(t, redis.Options{Addresses: []string{p.second.address}})
		if n := again(t, check, before); n != 0 {
			t.Errorf("%d tokens are lost that the replica had", n)
		}
		n := again(t, check, during)
		t.Logf("%d of %d claims are lost that the replica had not received", n, len(during))
		if n != len(during) {
			t.Errorf("%d are lost: the test stalls nothing", n)
		}
	})
	for _, load := range []struct {
		name     string
		follows  bool
		replicas int
	}{
		{"under load", true, 0},
		{"under load, a replica confirms", true, 1},
		{"under load, with a new replica", false, 0},
		{"under load, a new replica confirms", false, 1},
	} {
		t.Run(load.name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t)
			if load.follows {
				p.replicated()
				p.replicated() // the first may have been in the copy
			}
			c := dial(t, redis.Options{Addresses: []string{p.front.address}, Replicas: load.replicas})
			claimed := p.claimUntilKilled(c)
			p.arrived()
			p.failover()
			lost := again(t, dial(t, redis.Options{Addresses: []string{p.second.address}}), claimed)
			t.Logf("%d of %d claims are lost", lost, len(claimed))
			switch {
			case load.replicas > 0 && lost > 0:
				t.Errorf("%d of %d confirmed claims are lost", lost, len(claimed))
			case load.follows && (lost > len(claimed)/10 || len(claimed) == 0):
				t.Errorf("%d of %d claims are lost over a link that works", lost, len(claimed))
			}
		})
	}
	t.Run("a replica confirms", func(t *testing.T) {
		t.Parallel()
		p := newPair(t)
		p.replicated()
		p.replicated()
		c := dial(t, redis.Options{Addresses: []string{p.front.address}, Replicas: 1})
		before, failed := claim(c, "before ", 500)
		if len(before) != 500 {
			t.Fatalf("%d claims, %v", len(before), errors.Join(failed...))
		}
		p.link.stall()
		begin := time.Now()
		during, failed := claim(c, "during ", 16)
		if len(during) != 0 || len(failed) != 16 || time.Since(begin) > 10*time.Second {
			t.Errorf("without a replica, %d claims pass, %d fail, after %v", len(during), len(failed), time.Since(begin))
		}
		for _, err := range failed {
			if !errors.Is(err, redis.ErrUnreachable) || !strings.Contains(err.Error(), "Options.Replicas") {
				t.Error(err)
			}
		}
		if refused, err := c.Quota().Take(t.Context(), quotaOf("ada")); refused != nil || err != nil {
			t.Errorf("a quota, which waits for no replica: %v, %v", refused, err)
		}
		p.failover()
		back := time.Now()
		for {
			if _, err := c.Quota().Take(t.Context(), quotaOf("ada")); err == nil {
				break
			}
			if time.Since(back) > 10*time.Second {
				t.Fatal("no answer after the failover")
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Logf("back %v after the failover", time.Since(back))
		if n := again(t, dial(t, redis.Options{Addresses: []string{p.second.address}}), before); n != 0 {
			t.Errorf("%d confirmed claims are lost", n)
		}
		// The new server has no replica yet: nothing passes that it might forget.
		if passed, _ := claim(c, "after ", 2); len(passed) != 0 {
			t.Errorf("%d claims pass without a replica", len(passed))
		}
		third := ownServer(t, "--replicaof", strings.Replace(p.second.address, ":", " ", 1))
		for back = time.Now(); ; time.Sleep(10 * time.Millisecond) {
			if passed, failed := claim(c, fmt.Sprint("with a new replica ", time.Since(back)), 1); len(passed) == 1 {
				break
			} else if time.Since(back) > 30*time.Second {
				t.Fatalf("with a replica at %s: %v", third.address, failed)
			}
		}
	})
}
