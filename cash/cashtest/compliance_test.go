package cashtest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/registry"
)

// The test binary is also the child process of the tests over stdio.
const (
	serveVar   = "CASHTEST_SERVE"
	roleVar    = "CASHTEST_ROLE"
	counterVar = "CASHTEST_COUNTER"
)

func TestMain(m *testing.M) {
	kind := os.Getenv(serveVar)
	if kind == "" {
		os.Exit(m.Run())
	}
	ctx := registry.WithCaller(context.Background(), caller(os.Getenv(roleVar)))
	if err := served(kind).Run(ctx, &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// served is what the child process serves.
func served(kind string) cashtest.Runner {
	if kind != "disclosure" {
		return servers(fixture{os.Getenv(counterVar)})[kind]
	}
	return disclosing(false)
}

func servers(fx fixture) map[string]*cash.Server {
	return map[string]*cash.Server{"fixture": fx.server(), "flat": flat()}
}

// wires are the ways to reach a server; each returns how to connect as a role.
var wires = []struct {
	name, version string
	dial          func(t *testing.T, kind string, fx fixture) func(role string) mcp.Transport
}{
	{"memory 2025-11-25", "2025-11-25", overMemory},
	{"memory 2026-07-28", "2026-07-28", overMemory},
	{"http 2025-11-25", "2025-11-25", overHTTP},
	{"http 2026-07-28", "2026-07-28", overHTTP},
	{"stdio", "", overStdio},
}

func overMemory(_ *testing.T, kind string, fx fixture) func(string) mcp.Transport {
	srv := servers(fx)[kind]
	return func(role string) mcp.Transport {
		d := &cashtest.Dialer{Context: registry.WithCaller(context.Background(), caller(role))}
		return d.InMemory(srv)
	}
}

func overHTTP(t *testing.T, kind string, fx fixture) func(string) mcp.Transport {
	web := httptest.NewServer(servers(fx)[kind].Handler())
	t.Cleanup(web.Close)
	return func(role string) mcp.Transport {
		return &mcp.StreamableClientTransport{Endpoint: web.URL, HTTPClient: &http.Client{Transport: withRole(role)}}
	}
}

// withRole is a RoundTripper that says who asks.
type withRole string

func (role withRole) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Role", string(role))
	return http.DefaultTransport.RoundTrip(r)
}

func overStdio(_ *testing.T, kind string, fx fixture) func(string) mcp.Transport {
	return func(role string) mcp.Transport {
		return &mcp.CommandTransport{Command: command(kind, role, fx)}
	}
}

func command(kind, role string, fx fixture) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveVar+"="+kind, roleVar+"="+role, counterVar+"="+fx.counter)
	return cmd
}

func TestCompliance(t *testing.T) {
	for _, wire := range wires {
		t.Run(wire.name, func(t *testing.T) {
			t.Run("fixture", func(t *testing.T) {
				fx := fixture{filepath.Join(t.TempDir(), "runs")}
				cashtest.Compliance(t, fx.target(t, wire.version, wire.dial(t, "fixture", fx)))
			})
			t.Run("flat", func(t *testing.T) {
				target := flatTarget(wire.dial(t, "flat", fixture{}))
				target.Version = wire.version
				cashtest.Compliance(t, target)
			})
		})
	}
}
