package apart_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/internal/apart"
)

var errOwn = errors.New("own")

func TestDo(t *testing.T) {
	for name, tt := range map[string]struct {
		f    func() (int, error)
		want int
		err  error
	}{
		"value": {func() (int, error) { return 7, nil }, 7, nil},
		"error": {func() (int, error) { return 7, errOwn }, 7, errOwn},
	} {
		if got, err := apart.Do(t.Context(), 0, tt.f, nil); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %d, %v", name, got, err)
		}
	}
}

func TestCrash(t *testing.T) {
	var pointer *int
	for reason, f := range map[string]func(){
		"string":                            func() { panic("the secret") },
		"runtime.Goexit":                    runtime.Goexit,
		"*errors.errorString":               func() { panic(errors.New("the secret")) },
		"invalid memory address or nil poi": func() { _ = *pointer },
	} {
		_, err := apart.Do(t.Context(), 0, func() (int, error) { f(); return 1, nil }, func() { t.Error("late") })
		var crash *apart.Crash
		if !errors.As(err, &crash) || !strings.Contains(crash.Reason, reason) || strings.Contains(crash.Reason, "secret") || !strings.Contains(crash.Stack, "apart_test") {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

// TestLeft holds that nobody waits for longer than a context, and that what was
// left behind is reported once it has ended.
func TestLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		release, late := make(chan struct{}), make(chan struct{})
		began := time.Now()
		_, err := apart.Do(ctx, time.Second, func() (int, error) { <-release; return 1, nil }, func() { close(late) })
		if !errors.Is(err, apart.ErrLeft) || time.Since(began) != 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		close(release)
		<-late
	})
}

// TestGrace holds that what notices the end of its context may say so.
func TestGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := apart.Do(ctx, time.Second, func() (int, error) { <-ctx.Done(); return 1, errOwn }, func() { t.Error("late") })
		if !errors.Is(err, errOwn) {
			t.Errorf("%v", err)
		}
	})
}

// TestUntil holds that the code itself may say how long it is waited for, more or
// less.
func TestUntil(t *testing.T) {
	for _, limit := range []time.Duration{500 * time.Millisecond, 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			first, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			release := make(chan struct{})
			began := time.Now()
			task := apart.New[int](nil)
			go func() {
				own, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				task.Until(own)
				<-release
				task.End(1, nil)
			}()
			_, err := task.Wait(first, 0)
			if !errors.Is(err, apart.ErrLeft) || time.Since(began) != limit {
				t.Errorf("%v after %v, want %v", err, time.Since(began), limit)
			}
			close(release)
		})
	}
}
