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

	"github.com/cash-mcp/go-sdk/cash/redis"
	"github.com/cash-mcp/go-sdk/firewall"
)

// A job is what a process is to do. It is its environment variable CASH_REDIS_JOB.
type job struct {
	Address, Prefix string
	Tokens          int    // claim each of as many, with several claimants
	Claimants       int    // per process
	Keep, Open      string // keep a text, or open a handle
}

// A done is what a process has done.
type done struct {
	Claimed []int // tokens
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
	j := job{Address: shared.address, Prefix: newPrefix(), Tokens: tokens, Claimants: 3}
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

// TestProcessesShareArtifacts holds that what one process has kept every other one reads, for its owner only, also
// after the end of the first.
func TestProcessesShareArtifacts(t *testing.T) {
	j := job{Address: shared.address, Prefix: newPrefix(), Keep: strings.Repeat("kept ", 1000)}
	handle := together(t, 1, j)[0].Handle
	j.Open, j.Keep = handle, ""
	for i, d := range together(t, 3, j) {
		if d.Opened != strings.Repeat("kept ", 1000) {
			t.Errorf("process %d read %.40q", i, d.Opened)
		}
	}
}
