package redis_test

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/cashtest/storetest"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/redis"
	"github.com/cash-mcp/go-sdk/cash/upstream/lastknown"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/firewall"
)

// startCluster starts a cluster of three nodes, and returns their addresses.
func startCluster(t *testing.T) (addresses []string) {
	t.Helper()
	const slots = 16384
	var first *server
	busOfFirst := ""
	for i := range int64(3) {
		bus, err := freePort()
		if err != nil {
			t.Fatal(err)
		}
		s := ownServer(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "2000", "--cluster-port", bus)
		addresses = append(addresses, s.address)
		c := raw(t, s.address)
		if err := c.Do(t.Context(), c.B().ClusterAddslotsrange().StartSlotEndSlot().StartSlotEndSlot(i*slots/3, (i+1)*slots/3-1).Build()).Error(); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first, busOfFirst = s, bus
			continue
		}
		port, _ := strconv.ParseInt(strings.TrimPrefix(first.address, "127.0.0.1:"), 10, 64)
		busPort, _ := strconv.ParseInt(busOfFirst, 10, 64)
		if err := c.Do(t.Context(), c.B().ClusterMeet().Ip("127.0.0.1").Port(port).ClusterBusPort(busPort).Build()).Error(); err != nil {
			t.Fatal(err)
		}
	}
	for _, address := range addresses {
		c := raw(t, address)
		for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
			info, err := c.Do(t.Context(), c.B().ClusterInfo().Build()).ToString()
			if err == nil && strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3") {
				break
			}
			if time.Since(began) > 15*time.Second {
				t.Fatalf("no cluster: %v, %s", err, info)
			}
		}
	}
	return addresses
}

// TestCluster runs the suites of all stores on a cluster of three nodes.
func TestCluster(t *testing.T) {
	o := redis.Options{Addresses: startCluster(t), Approvals: redis.ApprovalLimits{Max: 40, MaxPerOwner: 4}, Results: redis.ResultLimits{MaxEntries: 40, MaxPerOwner: 4}}
	t.Run("plans", func(t *testing.T) {
		storetest.Run(t, storetest.Plans(storetest.Subject[control.PlanStore]{Open: opener(t, o, (*redis.Client).Plans)}))
	})
	t.Run("quota", func(t *testing.T) {
		storetest.Run(t, storetest.Quota(storetest.Subject[control.QuotaStore]{Open: opener(t, o, (*redis.Client).Quota)}))
	})
	t.Run("approvals", func(t *testing.T) {
		storetest.Run(t, storetest.Approvals(storetest.Subject[control.ApprovalStore]{Open: opener(t, o, (*redis.Client).Approvals), Room: 40, RoomPerOwner: 4}))
	})
	t.Run("pins", func(t *testing.T) {
		storetest.Run(t, storetest.Pins(storetest.Subject[pin.Store]{Open: opener(t, o, (*redis.Client).Pins)}))
	})
	t.Run("catalogs", func(t *testing.T) {
		o := o
		o.CatalogBytes = 4 << 20
		storetest.Run(t, storetest.Catalogs(storetest.Subject[lastknown.Store]{Open: opener(t, o, (*redis.Client).Catalogs), Room: 4 << 20}))
	})
	t.Run("results", func(t *testing.T) {
		storetest.Run(t, storetest.Results(storetest.Subject[control.ResultStore]{Open: opener(t, o, (*redis.Client).Results), Room: 40, RoomPerOwner: 4}))
	})
	t.Run("artifacts", func(t *testing.T) {
		storetest.Run(t, storetest.Artifacts(func(n int, l firewall.MemoryOptions) ([]firewall.Store, error) {
			o.Artifacts = redis.ArtifactLimits{
				MaxBytes: l.MaxBytes, MaxBytesPerOwner: l.MaxBytesPerOwner, MaxArtifacts: l.MaxArtifacts, MaxPerOwner: l.MaxPerOwner,
				MaxAge: l.MaxAge, Promise: l.Promise,
			}
			return opener(t, o, (*redis.Client).Artifacts)(n)
		}, storetest.Clock{}))
	})
	t.Run("no replica confirms", func(t *testing.T) {
		o := redis.Options{Addresses: o.Addresses, Prefix: newPrefix(), Replicas: 1}
		c := dial(t, o)
		var claims sync.WaitGroup
		for i := range 6 { // on all nodes
			claims.Go(func() {
				_, claimed, err := c.Plans().Claim(t.Context(), strconv.Itoa(i), "", time.Now().Add(time.Minute))
				if claimed && err == nil || !errors.Is(err, redis.ErrUnreachable) || !strings.Contains(err.Error(), "0 of 1") {
					t.Errorf("token %d: %v, %v", i, claimed, err)
				}
			})
		}
		claims.Wait()
	})
}
