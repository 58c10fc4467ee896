package registry_test

import (
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// TestOwner holds that owners differ where callers do, and that no caller passes
// for one behind another.
func TestOwner(t *testing.T) {
	seen := make(map[string]string)
	for _, id := range []string{"", "a", "a\x00for:b", "a\x00\x01for:b", "a\x01for:b", "for:b"} {
		owner := (&registry.Caller{ID: id}).Owner()
		if other, dup := seen[owner]; dup {
			t.Errorf("%q and %q have the same owner", id, other)
		}
		seen[owner] = id
		if strings.Contains(owner, "\x00for:") || (owner == "") != (id == "") {
			t.Errorf("%q has the owner %q", id, owner)
		}
	}
}
