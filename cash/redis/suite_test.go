package redis_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/cashtest/storetest"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/redis"
	"github.com/cash-mcp/go-sdk/cash/upstream/lastknown"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/firewall"
)

var key = bytes.Repeat([]byte{7}, 32)

// both runs a suite in the clear and sealed.
func both(t *testing.T, suite func(t *testing.T, o redis.Options)) {
	t.Run("clear", func(t *testing.T) { suite(t, redis.Options{}) })
	t.Run("sealed", func(t *testing.T) { suite(t, redis.Options{Key: key}) })
}

func TestPlans(t *testing.T) {
	both(t, func(t *testing.T, o redis.Options) {
		storetest.Run(t, storetest.Plans(storetest.Subject[control.PlanStore]{Open: opener(t, o, (*redis.Client).Plans)}))
	})
}

func TestQuota(t *testing.T) {
	for _, minute := range []time.Duration{time.Minute, time.Second} {
		t.Run(minute.String(), func(t *testing.T) {
			storetest.Run(t, storetest.Quota(storetest.Subject[control.QuotaStore]{
				Open: opener(t, redis.Options{}, func(c *redis.Client) control.QuotaStore {
					c.SetMinute(minute)
					return c.Quota()
				}),
				Clock: storetest.Clock{Minute: minute},
			}))
		})
	}
}

func TestApprovals(t *testing.T) {
	both(t, func(t *testing.T, o redis.Options) {
		o.Approvals = redis.ApprovalLimits{Max: 40, MaxPerOwner: 4}
		storetest.Run(t, storetest.Approvals(storetest.Subject[control.ApprovalStore]{
			Open: opener(t, o, (*redis.Client).Approvals), Room: 40, RoomPerOwner: 4,
		}))
	})
}

func TestPins(t *testing.T) {
	both(t, func(t *testing.T, o redis.Options) {
		storetest.Run(t, storetest.Pins(storetest.Subject[pin.Store]{Open: opener(t, o, (*redis.Client).Pins)}))
	})
}

func TestCatalogs(t *testing.T) {
	const room = 4 << 20
	both(t, func(t *testing.T, o redis.Options) {
		o.CatalogBytes = room
		storetest.Run(t, storetest.Catalogs(storetest.Subject[lastknown.Store]{Open: opener(t, o, (*redis.Client).Catalogs), Room: room}))
	})
}

// definitions returns a definition with the word in its texts.
func definitions(word string) map[string]*pin.Definition {
	return map[string]*pin.Definition{word: {Name: word, Description: word}}
}

func TestArtifacts(t *testing.T) {
	both(t, func(t *testing.T, o redis.Options) {
		storetest.Run(t, storetest.Artifacts(func(n int, l firewall.MemoryOptions) ([]firewall.Store, error) {
			o.Artifacts = redis.ArtifactLimits{
				MaxBytes: l.MaxBytes, MaxBytesPerOwner: l.MaxBytesPerOwner, MaxArtifacts: l.MaxArtifacts, MaxPerOwner: l.MaxPerOwner,
				MaxAge: l.MaxAge, Promise: l.Promise,
			}
			return opener(t, o, (*redis.Client).Artifacts)(n)
		}, storetest.Clock{}))
	})
}

func TestResults(t *testing.T) {
	both(t, func(t *testing.T, o redis.Options) {
		o.Results = redis.ResultLimits{MaxEntries: 40, MaxPerOwner: 4}
		storetest.Run(t, storetest.Results(storetest.Subject[control.ResultStore]{
			Open: opener(t, o, (*redis.Client).Results), Room: 40, RoomPerOwner: 4,
		}))
	})
}
