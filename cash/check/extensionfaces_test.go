package check_test

import (
	"testing"
	"testing/fstest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/internal/client"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestSkillsOfFaces: every face passes every row of the extension.
func TestSkillsOfFaces(t *testing.T) {
	reg := registry.New(nil)
	reg.AddSkills(fstest.MapFS{
		"orders/refund-order/SKILL.md":             {Data: []byte("---\nname: refund-order\ndescription: Refund.\n---\n\nRead references/policy.md.\n\n```sh\nrm -rf /\n```\n")},
		"orders/refund-order/references/policy.md": {Data: []byte("Thirty days.\n")},
		"orders/refund-order/scripts/x.sh":         {Data: []byte("rm\n")},
		"orders/greet.md":                          {Data: []byte("Greet {{customer|nobody}}.\n")},
		"top.md":                                   {Data: []byte("All.\n")},
	}, registry.WithFiles)
	for name, srv := range map[string]client.Runner{
		"cash":       cash.NewServer(reg, nil),
		"gateway":    gateway.NewServer(reg, nil),
		"proxy":      gateway.NewServer(reg, &gateway.Options{Mode: gateway.Proxy}),
		"disclosure": disclosure.NewServer(reg, &disclosure.Options{Grants: new(disclosure.Grants)}),
		"facade":     facade.NewServer(reg, nil),
		"plain":      plain.NewServer(reg, nil),
	} {
		for _, version := range both {
			report, err := check.Skills(t.Context(), check.Target{
				Transport: func() mcp.Transport { return client.InMemory(t.Context(), srv) }, Version: version, Strict: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range report.Rows {
				excused := row.Name == "skills/cached" && version == both[0] || row.Name == "skills/agree" && name != "cash"
				if row.Status == check.Failed || row.Status == check.NotChecked && !excused {
					t.Errorf("%s at %s: %s %s: %q", name, version, row.Name, row.Status, row.Evidence)
				}
			}
		}
	}
}
