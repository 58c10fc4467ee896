package wire_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

func TestFunctionNamesOfOthers(t *testing.T) {
	want := map[string]string{"get-user": "get_user", "getUser": "getUser", "créer": "creer", "9": "9", "日本": "tool", "files/read": "files_read"}
	if got := wire.FunctionNames(slices.Collect(maps.Keys(want)), nil); got["getUser"] != "getUser" || !strings.HasPrefix(got["get-user"], "get_user_") {
		t.Errorf("names = %v", got)
	}
	delete(want, "getUser")
	if got := wire.FunctionNames(slices.Collect(maps.Keys(want)), nil); !maps.Equal(got, want) {
		t.Errorf("names = %v", got)
	}
}

// Every tool has a function, no two the same, and which is which does not depend
// on the order of the list.
func TestFunctionNames(t *testing.T) {
	tools := []string{"getUser", "get_user", "get-user", "", "\u641c", "get_user_2", "list", "admin.list", "admin/list"}
	want := wire.FunctionNames(tools, nil)
	if want["getUser"] != "getUser" || want["list"] != "list" || want["get_user_2"] == want["get_user"] {
		t.Errorf("names = %v", want)
	}
	for range 200 {
		rand.Shuffle(len(tools), func(i, j int) { tools[i], tools[j] = tools[j], tools[i] })
		if got := wire.FunctionNames(tools, nil); !maps.Equal(got, want) {
			t.Fatalf("in another order: %v, want %v", got, want)
		}
	}
	distinct(t, want)
}

func distinct(t *testing.T, names map[string]string) {
	t.Helper()
	seen := make(map[string]string)
	for tool, name := range names {
		c, ok := registry.Canonical(name)
		if !ok {
			t.Errorf("%q is called %q, which is no label", tool, name)
		}
		if other, dup := seen[c]; dup {
			t.Errorf("%q and %q are both called %q", tool, other, name)
		}
		seen[c] = tool
	}
}

// A tool that comes later takes no name away.
func TestFunctionNamesStay(t *testing.T) {
	had := wire.FunctionNames([]string{"get_user"}, nil)
	now := wire.FunctionNames([]string{"getUser", "get_user", "GET_USER"}, had)
	if now["get_user"] != "get_user" {
		t.Errorf("names = %v", now)
	}
	distinct(t, now)
}

func TestFunctionNamesOfMany(t *testing.T) {
	var tools []string
	for i := range 10_000 {
		tools = append(tools, strings.Repeat("\u641c", 1+i%3)+fmt.Sprint(strings.Repeat("-", i)))
	}
	slices.Sort(tools)
	distinct(t, wire.FunctionNames(slices.Compact(tools), nil))
}
