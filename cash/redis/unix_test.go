//go:build unix

package redis_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/redis"
)

// TestServerThatHangs holds that an operation ends with its own timeout, or with the deadline of its call if that is
// earlier, and that the client recovers.
func TestServerThatHangs(t *testing.T) {
	s := ownServer(t)
	const timeout = 300 * time.Millisecond
	slow := dial(t, redis.Options{Addresses: []string{s.address}, Timeout: 3 * late})
	quick := make([]*redis.Client, 3)
	for i := range quick {
		quick[i] = dial(t, redis.Options{Addresses: []string{s.address}, Timeout: timeout})
	}
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// ends returns how long after its begin a claim fails.
	ends := func(c *redis.Client, given time.Duration) time.Duration {
		ctx, cancel := context.WithTimeout(t.Context(), given)
		defer cancel()
		start := time.Now()
		_, claimed, err := c.Plans().Claim(ctx, "a", "", time.Now().Add(time.Minute))
		if claimed || !errors.Is(err, redis.ErrUnreachable) {
			t.Errorf("after %v: %v, %v", time.Since(start), claimed, err)
		}
		return time.Since(start)
	}
	if took := ends(slow, 50*time.Millisecond); took > late {
		t.Errorf("a call with an early deadline ends after %v", took)
	}
	least := time.Hour // the machine may pause in some
	for _, c := range quick {
		least = min(least, ends(c, 6*late))
	}
	if least > timeout+200*time.Millisecond {
		t.Errorf("calls end after %v at least", least)
	}
	if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for _, c := range append(quick, slow) {
		for back := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			_, _, err := c.Plans().Claim(t.Context(), "b", "", time.Now().Add(time.Minute))
			if err == nil {
				break
			}
			if time.Since(back) > late {
				t.Fatal(err)
			}
		}
	}
}
