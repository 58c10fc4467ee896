//go:build realclients

package realclients

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The example of the README, with the servers of the folder instead of npx.
func TestAggregatorWalk(t *testing.T) {
	files := files(t)
	if err := os.WriteFile(filepath.Join(files.root, "notes.md"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := writeConfig(t, everything().entry(), files.entry(), memory(t).entry(),
		fmt.Sprintf("  - {label: shop, description: A shop., command: [%q, -stdio]}\n", shop))
	out, err := exec.CommandContext(t.Context(), aggregator, "-config", config).CombinedOutput()
	page := string(out)
	if err != nil {
		t.Fatalf("%v:\n%s", err, page)
	}
	for _, want := range []string{
		"< The sum of 2 and 40 is 42.\n",
		"~ 1 of 4, 2 of 4, 3 of 4",
		"< Long running operation completed. Duration: 2 seconds, Steps: 4.\n",
		"< [FILE] notes.md\n",
		"! Access denied - path outside allowed directories",
		`< [{"name":"C-42","entityType":"customer","observations":["likes P-7"]}]`,
		`< {"entities":[{"name":"C-42","entityType":"customer"`,
		"< Entities deleted successfully\n",
		`< {"order_id":"ORD-`,
		`help(namespace="shop.inventory", function="check")`,
		"everything: connected", "files: connected", "memory: connected", "shop: connected",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(page, "\n   ! "); n != 1 {
		t.Errorf("%d errors, want one", n)
	}
	if t.Failed() {
		t.Log(page)
	}
}

// The same through the other faces.
func TestAggregatorWalkOfFaces(t *testing.T) {
	files := files(t)
	config := writeConfig(t, everything().entry(), files.entry(), memory(t).entry(),
		fmt.Sprintf("  - {label: shop, description: A shop., command: [%q, -stdio]}\n", shop))
	for face, wants := range map[string][]string{
		"gateway": {
			`< {"status":"ok","summary":"The sum of 2 and 40 is 42."`,
			"~ 1 of 4, 2 of 4, 3 of 4",
			`! {"status":"error","summary":"Access denied - path outside allowed directories`,
			`< {"view":"rows 0-2 of 300 `,
			`> resource_read {"resource_id":"resource::everything:architecture`,
			`< {"status":"ok","summary":"user: This is a simple prompt`,
			"7 resources, 4 prompts",
		},
		"proxy": {
			`> tool_hydrate {"tool_id":"everything_get-sum_`,
			"< The sum of 2 and 40 is 42.\n",
			"~ 1 of 4, 2 of 4, 3 of 4",
			"! Access denied - path outside allowed directories",
		},
	} {
		t.Run(face, func(t *testing.T) {
			out, err := exec.CommandContext(t.Context(), aggregator, "-config", config, "-face", face).CombinedOutput()
			if err != nil {
				t.Fatalf("%v:\n%s", err, out)
			}
			for _, want := range wants {
				if !strings.Contains(string(out), want) {
					t.Errorf("the page lacks %q", want)
				}
			}
			if t.Failed() {
				t.Logf("%s", out)
			}
		})
	}
}
