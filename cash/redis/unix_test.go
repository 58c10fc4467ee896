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
	c := dial(t, redis.Options{Addresses: []string{s.address}, Timeout: 300 * time.Millisecond})
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for _, given := range []time.Duration{50 * time.Millisecond, time.Minute} {
		ctx, cancel := context.WithTimeout(t.Context(), given)
		start := time.Now()
		_, claimed, err := c.Plans().Claim(ctx, "a", "", time.Now().Add(time.Minute))
		cancel()
		if claimed || !errors.Is(err, redis.ErrUnreachable) || time.Since(start) > min(given, 300*time.Millisecond)+200*time.Millisecond {
			t.Errorf("after %v: %v, %v", time.Since(start), claimed, err)
		}
	}
	if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for back := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, _, err := c.Plans().Claim(t.Context(), "b", "", time.Now().Add(time.Minute)); err == nil {
			return
		} else if time.Since(back) > 2*time.Second {
			t.Fatal(err)
		}
	}
}
