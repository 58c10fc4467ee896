package redis_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/redis"
	"github.com/cash-mcp/go-sdk/firewall"
)

// A job is what a process is to do. It is its environment variable CASH_REDIS_JOB.
type job struct {
	Address, Prefix string
	Tokens          int           // claim each of as many, with several claimants
	Claimants       int           // per process
	Minute          time.Duration // of the quota
	Calls           int           // to try
	Limit           int
	Keep, Open      string // keep a text, or open a handle
}

// A done is what a process has done.
type done struct {
	Claimed []int       // tokens
	Passed  []time.Time // when each call passed that did
	Handle  string
	Opened  string
	Errors  int
}

// work does a job. It is the main function of a process.
func work(text string) {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := redis.New(ctx, &redis.Options{Addresses: []string{j.Address}, Prefix: j.Prefix})
	if err != nil {
		panic(err)
	}
	defer c.Close()
	var mu sync.Mutex
	var d done
	var group sync.WaitGroup
	expires := time.Now().Add(time.Hour)
	for range j.Claimants {
		group.Go(func() {
			for i := range j.Tokens {
				_, claimed, err := c.Plans().Claim(ctx, fmt.Sprint("token ", i), "", expires)
				mu.Lock()
				if err != nil {
					d.Errors++
				}
				if claimed {
					d.Claimed = append(d.Claimed, i)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	c.SetMinute(j.Minute)
	for range j.Calls {
		refused, err := c.Quota().Take(ctx, &control.Taking{Owner: "ada", Lasting: true, Idle: time.Minute, Windows: []control.Window{{Scope: "tool", Limit: control.Limit{PerMinute: j.Limit}}}})
		if err != nil {
			d.Errors++
		} else if refused == nil {
			d.Passed = append(d.Passed, time.Now())
		}
		time.Sleep(j.Minute * 3 / time.Duration(10*j.Limit)) // three processes: ten times the rate
	}
	if j.Keep != "" {
		room, err := c.Artifacts().Reserve(ctx, firewall.Owner{ID: "ada"}, int64(len(j.Keep)))
		if err != nil {
			panic(err)
		}
		refs, err := room.Keep(ctx, []firewall.Part{{Data: []byte(j.Keep)}})
		if err != nil {
			panic(err)
		}
		room.Release()
		d.Handle = refs[0].Handle
	}
	if j.Open != "" {
		if a, err := c.Artifacts().Open(ctx, "ada", j.Open); err == nil {
			d.Opened = string(a.Data)
		}
		if a, err := c.Artifacts().Open(ctx, "bob", j.Open); a != nil || err != firewall.ErrNotFound {
			d.Errors++
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(d); err != nil {
		panic(err)
	}
}

// together runs n processes with a job, and returns what they have done.
func together(t *testing.T, n int, j job) (all []done) {
	t.Helper()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	all = make([]done, n)
	var group sync.WaitGroup
	var failed atomic.Int32
	for i := range all {
		group.Go(func() {
			cmd := exec.CommandContext(t.Context(), self)
			cmd.Env = append(os.Environ(), "CASH_REDIS_JOB="+string(text))
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil || json.Unmarshal(out, &all[i]) != nil || all[i].Errors != 0 {
				failed.Add(1)
				t.Errorf("process %d: %v, %d errors, %.300s", i, err, all[i].Errors, out)
			}
		})
	}
	group.Wait()
	if failed.Load() > 0 {
		t.FailNow()
	}
	return all
}

// TestProcessesShareTokens holds that of several processes with several claimants each, one claims a token.
func TestProcessesShareTokens(t *testing.T) {
	const tokens = 10_000
	j := job{Address: shared.address, Prefix: newPrefix(), Tokens: tokens, Claimants: 3, Minute: time.Second}
	claims := make([]int, tokens)
	for _, d := range together(t, 3, j) {
		for _, i := range d.Claimed {
			claims[i]++
		}
	}
	for i, n := range claims {
		if n != 1 {
			t.Errorf("token %d was claimed %d times", i, n)
		}
	}
}

// TestProcessesShareAQuota holds that no minute has more calls of all processes than the limit, in ten minutes at ten
// times the rate. A minute lasts 300 ms here. The times are those of the answers, so that a window is a little shorter.
func TestProcessesShareAQuota(t *testing.T) {
	const limit, minute = 15, 300 * time.Millisecond
	j := job{Address: shared.address, Prefix: newPrefix(), Minute: minute, Calls: 10 * 10 * limit / 3, Limit: limit}
	passed, last := 0, time.Time{}
	first := time.Now().Add(time.Hour)
	for _, d := range together(t, 3, j) {
		passed += len(d.Passed)
		for _, at := range d.Passed {
			if at.After(last) {
				last = at
			}
			if at.Before(first) {
				first = at
			}
		}
	}
	most := limit * (int(last.Sub(first)/minute) + 2)
	t.Logf("%d calls passed in %v", passed, last.Sub(first))
	if passed > most || passed < 5*limit {
		t.Errorf("%d calls passed in %v, want %d at most", passed, last.Sub(first), most)
	}
}

// TestProcessesShareArtifacts holds that what one process has kept every other one reads, for its owner only, also
// after the end of the first.
func TestProcessesShareArtifacts(t *testing.T) {
	j := job{Address: shared.address, Prefix: newPrefix(), Minute: time.Second, Keep: strings.Repeat("kept ", 1000)}
	handle := together(t, 1, j)[0].Handle
	j.Open, j.Keep = handle, ""
	for i, d := range together(t, 3, j) {
		if d.Opened != strings.Repeat("kept ", 1000) {
			t.Errorf("process %d read %.40q", i, d.Opened)
		}
	}
}
