package redis_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/redis"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestAccessControl holds that all stores work for the user whom README.md describes, who can reach nothing else.
func TestAccessControl(t *testing.T) {
	s := ownServer(t)
	admin := raw(t, s.address)
	rules := strings.Fields("SETUSER cash on >s3cret ~cash:* &cash:* +@all -@admin -@dangerous +info")
	if err := admin.Do(t.Context(), admin.B().Arbitrary("ACL").Args(rules...).Build()).Error(); err != nil {
		t.Fatal(err)
	}
	c := dial(t, redis.Options{Addresses: []string{s.address}, Username: "cash", Password: "s3cret"})
	useAll(t, c, "x")
	room, err := c.Artifacts().Reserve(t.Context(), firewall.Owner{ID: "ann"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	refs, err := room.Keep(t.Context(), []firewall.Part{{Data: []byte("x")}})
	if err != nil {
		t.Fatal(err)
	}
	room.Release()
	if _, err := c.Artifacts().Open(t.Context(), "ann", refs[0].Handle); err != nil {
		t.Error(err)
	}
	_, err = c.Results().Keep(t.Context(), control.ResultKey{Owner: "ann", Key: "x"}, &control.StoredResult{Result: registry.TextResult("x"), Size: 1, Lasts: time.Minute, Promised: true})
	if err != nil {
		t.Error(err)
	}
	if _, err := c.Approvals().Pending(t.Context()); err != nil {
		t.Error(err)
	}
	other := dial(t, redis.Options{Addresses: []string{s.address}, Username: "cash", Password: "s3cret", Prefix: "other:"})
	if _, claimed, err := other.Plans().Claim(t.Context(), "x", "", time.Now().Add(time.Minute)); claimed || err == nil || !strings.Contains(err.Error(), "~other:*") {
		t.Errorf("keys of others: %v, %v", claimed, err)
	}
}
