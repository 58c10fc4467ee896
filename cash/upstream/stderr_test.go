//go:build unix

package upstream_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream"
)

// What a server writes to its standard error is logged, and is no flood there.
func TestW39StandardErrorFlood(t *testing.T) {
	var logged lockedBuffer
	loud := upstream.Server{Label: "loud", Endpoint: upstream.Command{
		Path: "sh", Args: []string{"-c", `yes "many words" | head -n 1000000 >&2`},
	}, ConnectTimeout: 6 * patience}
	began := time.Now()
	_, agg, _ := aggregateWithin(t, 6*patience, &upstream.Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))}, loud)
	if err := agg.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	if n := strings.Count(logged.String(), "many words"); n == 0 || n > 5000+100*int(took.Seconds()) { // 100 a second are logged
		t.Errorf("%d lines were logged in %v", n, took)
	}
}
