//go:build unix

package upstream_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/upstream"
)

// No process is left after Close, whatever it does to stay.
func TestNoProcessIsLeft(t *testing.T) {
	bin := buildShop(t)
	for name, script := range map[string]string{
		"is stopped":     `exec "$SHOP" -stdio`,
		"ignores TERM":   `trap '' TERM INT HUP; "$SHOP" -stdio; while :; do sleep 1; done`,
		"has a child":    `sleep 1000 & echo $! >> "$PIDS"; exec "$SHOP" -stdio`,
		"holds the pipe": `(trap '' TERM; sleep 1000) & echo $! >> "$PIDS"; "$SHOP" -stdio; sleep 1000`,
		"writes a line":  `head -c 100000000 /dev/zero | tr '\0' e >&2; exec "$SHOP" -stdio`,
		"writes lines":   `yes stderr | head -c 20000000 >&2; exec "$SHOP" -stdio`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pids := filepath.Join(t.TempDir(), "pids")
			srv, agg, _ := aggregate(t, nil, upstream.Server{Label: "shop", Endpoint: upstream.Command{
				Path: "/bin/sh", Args: []string{"-c", `echo $$ >> "$PIDS"; ` + script}, Env: []string{"SHOP=" + bin, "PIDS=" + pids},
			}})
			cashtest.Connect(t, srv).Call("shop.orders", "get", args{"order_id": "ORD-1001"}).OK()
			list := processes(t, pids)
			if name == "is stopped" {
				_ = syscall.Kill(list[0], syscall.SIGSTOP)
			}
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if err := agg.Close(ctx); err != nil {
				t.Error(err)
			}
			until(t, func() bool {
				for _, pid := range list {
					if alive(pid) {
						return false
					}
				}
				return true
			})
		})
	}
}

// processes reads the numbers that the children have written.
func processes(t *testing.T, file string) (list []int) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range strings.Fields(string(data)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, pid)
	}
	return list
}

// alive reports whether a process has not ended: one that nobody has waited for
// yet has.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}
