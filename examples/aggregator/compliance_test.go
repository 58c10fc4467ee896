package main

import (
	"encoding/json"
	"net/http/httptest"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/cash/config"
	"github.com/cash-mcp/go-sdk/examples/shop/store"
)

// From a client's side an aggregator is a server like any other, over every
// transport, in both generations of the protocol, and however its own servers
// are reached (R120).
func TestR120Compliance(t *testing.T) {
	overStdio := write(t, entry())
	ofAggregator := write(t, nested(t, overStdio))
	versions := protocolVersions
	if testing.Short() {
		versions = versions[1:] // it takes minutes with the race detector
	}
	for _, version := range versions {
		t.Run("in memory "+version, func(t *testing.T) {
			m := mountFile(t, overStdio)
			target := newTarget("shop", version, func() mcp.Transport { return cashtest.InMemory(faceOf(m)) })
			target.Effect = restock(t, m)
			cashtest.Compliance(t, target)
		})
		t.Run("http "+version, func(t *testing.T) {
			m := mountFile(t, write(t, "  - {label: shop, endpoint: "+shopOverHTTP(t)+"}\n"))
			ts := httptest.NewServer(faceOf(m).Handler())
			t.Cleanup(ts.Close) // after the client's connections
			target := newTarget("shop", version, func() mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: ts.URL} })
			target.Effect = restock(t, m)
			cashtest.Compliance(t, target)
		})
		// Each connection is a process of its own, so effects can't be counted.
		t.Run("stdio "+version, func(t *testing.T) {
			cashtest.Compliance(t, newTarget("shop", version, func() mcp.Transport {
				return &mcp.CommandTransport{Command: command(t, "-config", overStdio, "-stdio")}
			}))
		})
		t.Run("aggregator of an aggregator "+version, func(t *testing.T) {
			cashtest.Compliance(t, newTarget("inner.shop", version, func() mcp.Transport {
				return &mcp.CommandTransport{Command: command(t, "-config", ofAggregator, "-stdio")}
			}))
		})
	}
	t.Run("no process is left", func(t *testing.T) { wantProcesses(t, 0) })
}

// shopOverHTTP starts the shop for the length of the test.
func shopOverHTTP(t *testing.T) string {
	t.Helper()
	cmd, url := listen(t, exec.Command(shop, "-http", "127.0.0.1:0"))
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return url
}

// newTarget is the shop below a path.
func newTarget(path, version string, transport func() mcp.Transport) check.Target {
	orders := path + ".orders"
	return check.Target{
		Transport: transport,
		Strict:    true,
		Version:   version,
		Read:      &check.Sample{Namespace: orders, Function: "get", Kwargs: store.OrderRef{OrderID: "ORD-1001"}},
		Large:     &check.Sample{Namespace: orders, Function: "list"},
		Fails:     []check.Sample{{Namespace: orders, Function: "get", Kwargs: store.OrderRef{OrderID: "ORD-1"}}},
		Skill: &check.SkillSample{
			Namespace: orders, Name: "monthlyreport",
			Inputs: map[string]string{"since": "2026-01-01"},
			Keeps:  []string{`call(namespace="` + orders + `", function="summary")`},
		},
	}
}

// restock is a call that changes the stock of a product, which tells how often
// it was made.
func restock(t *testing.T, m *config.Server) *check.Effect {
	return &check.Effect{
		Sample: check.Sample{Namespace: "shop.inventory", Function: "restock", Kwargs: store.Restock{ProductID: "P-12", Quantity: 1}},
		Runs:   func() int { return stock(t, m) }, // sold out at the start
	}
}

func stock(t *testing.T, m *config.Server) int {
	t.Helper()
	res, err := faceOf(m).Call(t.Context(), &cash.CallRequest{
		Namespace: "shop.inventory", Function: "check", Kwargs: []byte(`{"product_id":"P-12","quantity":1}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	var answer store.Availability
	if err := json.Unmarshal([]byte(res.Text()), &answer); err != nil {
		t.Fatal(err)
	}
	return answer.InStock
}
