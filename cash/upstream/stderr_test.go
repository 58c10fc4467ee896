//go:build unix

package upstream_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/upstream"
)

// What a server writes to its standard error is logged, and is no flood there.
func TestW39StandardErrorFlood(t *testing.T) {
	var logged lockedBuffer
	loud := upstream.Server{Label: "loud", Endpoint: upstream.Command{
		Path: "sh", Args: []string{"-c", `yes "many words" | head -n 1000000 >&2`},
	}}
	_, agg, _ := aggregate(t, &upstream.Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))}, loud)
	if err := agg.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(logged.String(), "many words"); n == 0 || n > 5000 {
		t.Errorf("%d lines were logged", n)
	}
}
