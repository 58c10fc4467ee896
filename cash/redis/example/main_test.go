package main

import (
	"bytes"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/internal/guidetest"
)

var clients = flag.Int("clients", 60, "clients during a restart of all replicas")

func TestMain(m *testing.M) { guidetest.Main(m, main) }

func TestReadme(t *testing.T) { new(guidetest.Guide).Test(t) }

// TestWithoutRedis holds that the reader learns what to install.
func TestWithoutRedis(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := run(t.Context(), nil, nil, new(bytes.Buffer))
	if err == nil || !strings.Contains(err.Error(), "apt-get install redis-server") || !strings.Contains(err.Error(), "-redis") {
		t.Error(err)
	}
}

// TestRollingRestart holds that no call of clients of 2026-07-28 fails while all replicas are restarted, and that each
// call runs once. All together make 500 calls a second at most.
func TestRollingRestart(t *testing.T) {
	c, err := newCluster(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.stop()
	start := time.Now()
	result, err := c.rolling(t.Context(), *clients, time.Duration(*clients)*2*time.Millisecond)
	if err != nil {
		t.Error(err)
	}
	if result == nil {
		return
	}
	for i, err := range result.failed {
		if i == 10 {
			break
		}
		t.Error(err)
	}
	runs, err := c.end()
	if err != nil || runs != result.calls {
		t.Errorf("%d calls, and %d runs, %v", result.calls, runs, err)
	}
	t.Logf("%d clients, %d calls in %v, at least %d of each, %d failed", *clients, result.calls, time.Since(start), result.least, len(result.failed))
	if result.least < 8 { // two before each restart, and two at the end
		t.Errorf("a client made %d calls", result.least)
	}
}
