package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/guidetest"
	"github.com/cash-mcp/go-sdk/registry"
)

func TestMain(m *testing.M) { guidetest.Main(m, main) }

func TestReadme(t *testing.T) {
	g := &guidetest.Guide{Args: func(args []string) []string {
		if len(args) == 0 {
			args = []string{"-addr", "127.0.0.1:8080", "-url", "http://127.0.0.1:8080"}
		}
		return args
	}}
	g.Test(t)
}

// The limits that the README names are the defaults.
func TestReadmeLimits(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	o := (*serve.Options)(nil).WithDefaults()
	wait, arguments := int(registry.DefaultQueueWait.Seconds()), o.MaxArguments>>20
	for _, want := range []string{
		fmt.Sprintf("| %s, of which a user has %s |", thousands(registry.DefaultCalls), thousands(registry.DefaultCalls/4)),
		fmt.Sprintf("| %s, for %d seconds |", thousands(registry.DefaultCalls/4), wait),
		fmt.Sprintf("| %s, of which a user has %s |", thousands(o.MaxSessions), thousands(o.MaxSessions/4)),
		fmt.Sprintf("| %d minutes, 1 minute before its first one |", int(o.SessionTimeout.Minutes())),
		fmt.Sprintf("| %d MiB |", arguments),
	} {
		if !strings.Contains(string(readme), want) {
			t.Errorf("README.md does not say %q", want)
		}
	}
}

func thousands(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }
