package control_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestW30ControlsTogether holds the order of the controls: what the quota refuses
// spends no plan token, and the audit learns of the cache and of each attempt.
func TestW30ControlsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		controls := &control.Controls{
			Audit: &control.Audit{Logger: slog.New(slog.NewTextHandler(&log, nil))},
			Quota: control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerMinute: 2}}),
			Plans: control.NewPlans(nil),
			Cache: control.NewCache(&control.CacheOptions{ReadOnly: true}),
			Retry: &control.Retry{MaxAttempts: 3},
		}
		r := newRig(map[string]registry.Handler{
			"read": failing(down(registry.Unavailable, true, nil), down(registry.Unavailable, true, nil)),
		}, controls.Middleware()...)
		last := func() string {
			lines := strings.Split(strings.TrimSpace(log.String()), "\n")
			return lines[len(lines)-1]
		}

		token := plan(t, r, "alice", "read", "{}").Token
		must(r.do("alice", "read", "{}"))
		if line := last(); !strings.Contains(line, "attempts=3") || strings.Contains(line, "cache_hit") {
			t.Errorf("three attempts: %s", line)
		}
		must(r.do("alice", "read", "{}"))
		if line := last(); !strings.Contains(line, "cache_hit=true") || strings.Contains(line, "attempts") || r.ran("read") != 3 {
			t.Errorf("from the cache: %s", line)
		}
		_, err := r.do("alice", "read", "{}", withPlan(token))
		refusal(t, err, registry.RateLimited)
		if line := last(); !strings.Contains(line, "outcome=RATE_LIMITED") {
			t.Errorf("refused: %s", line)
		}
		controls.Quota.Forget(t.Context(), "caller:alice")
		if res := must(r.do("alice", "read", "{}", withPlan(token))); !isHit(res) {
			t.Errorf("with the token: %+v", res)
		}
	})
}
