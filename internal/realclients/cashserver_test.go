//go:build realclients

package realclients

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ranCash runs the command, with the packages from npm for Node.js.
func ranCash(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), cashCommand, args...)
	cmd.Env = append(cmd.Environ(), "NODE_PATH="+filepath.Dir(programs))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// TestCashServer: a CaSH server that was written from the RFC with the TypeScript SDK passes the checks of the command,
// which also calls its functions.
func TestCashServer(t *testing.T) {
	server := []string{"--", filepath.Join(programs, "node"), testScript(t, "cashserver.cjs")}
	out, errs, err := ranCash(t, append([]string{"check", "-json", "-samples", testScript(t, "cashserver.json")}, server...)...)
	if err != nil {
		t.Errorf("check: %v\n%s", err, errs)
	}
	var report struct {
		Kind           string
		Passed, Failed int
		Rows           []struct {
			Name, Status string
			Evidence     []string
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, row := range report.Rows {
		if row.Status == "failed" {
			t.Errorf("%s: %s", row.Name, strings.Join(row.Evidence, "\n"))
		}
	}
	if report.Kind != "cash" || report.Passed < 55 || report.Failed != 0 {
		t.Errorf("a %s server: %d rows passed, %d failed", report.Kind, report.Passed, report.Failed)
	}
	t.Logf("%d rows passed, %d failed", report.Passed, report.Failed)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"call", "Orders.GET", `{"orderId": "ORD-1001"}`}, `{"order_id":"ORD-1001",`},
		{[]string{"call", "-sizelimit", "50000", "orders.list", `{}`}, `ORD-1399`},
		{[]string{"help", "orders"}, "- **retail** — Retail channel orders."},
		{[]string{"skill", "orders.createorderwithcheck", `{"product_id": "P-9"}`}, "for the product P-9."},
		{[]string{"browse"}, "inventory.check  "},
	} {
		out, errs, err := ranCash(t, append(test.args, server...)...)
		if err != nil || !strings.Contains(out, test.want) {
			t.Errorf("%q: %v\n%s%s", test.args, err, out, errs)
		}
	}
}

// TestCheckShop: the command finds nothing wrong with the shop, over stdio and over HTTP in both generations of the
// protocol, nor with its other faces.
func TestCheckShop(t *testing.T) {
	url := serveHTTP(t, shop)
	for name, args := range map[string][]string{
		"stdio":      {shop, "-stdio"},
		"stateless":  {"-protocol", "2026-07-28", url},
		"sessions":   {"-protocol", "2025-11-25", url},
		"facade":     {shop, "-stdio", "-face", "facade"},
		"disclosure": {shop, "-stdio", "-face", "disclosure"},
		"endpoint":   {"-as", "endpoint", shop, "-stdio", "-face", "endpoint"},
	} {
		out, errs, err := ranCash(t, append([]string{"check"}, args...)...)
		if err != nil || !strings.Contains(out, " passed, 0 failed, ") {
			t.Errorf("%s: %v\n%s%s", name, err, out, errs)
		}
	}
}
