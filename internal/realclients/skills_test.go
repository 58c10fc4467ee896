//go:build realclients

package realclients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// skillServers are servers with skills: the shop, and an aggregator of it.
func skillServers(t *testing.T) map[string]string {
	config := writeConfig(t, fmt.Sprintf("  - {label: shop, command: [%q, -stdio]}\n", shop))
	return map[string]string{
		"shop":       serveHTTP(t, shop),
		"aggregator": serveHTTP(t, aggregator, "-config", config),
	}
}

// The scenarios of the suite for servers with the skills extension (SEP-2640) pass. The directory of the first skill has
// no directory below it.
func TestSkillsConformance(t *testing.T) {
	for name, url := range skillServers(t) {
		for scenario, excused := range map[string][]string{
			"sep-2640-skills-enumeration": nil,
			"sep-2640-skills-manifest":    nil,
			"sep-2640-skills-directory":   {"sep-2640-directory-read-subdir-mimetype"},
		} {
			t.Run(name+" "+scenario, func(t *testing.T) {
				dir := t.TempDir()
				out, err := partner(t, "conformance", "server", "--url", url, "--scenario", scenario, "--output-dir", dir).CombinedOutput()
				report, readErr := readReport(dir)
				if readErr != nil {
					t.Fatalf("%v, %v:\n%s", readErr, err, out)
				}
				checks := report[scenario]
				if !passed(checks) {
					t.Errorf("nothing was checked:\n%s", out)
				}
				for id, message := range failures(checks) {
					if !slices.Contains(excused, id) {
						t.Errorf("%s failed: %s", id, message)
					}
				}
			})
		}
	}
}

// MCP Inspector lists the skills, reads all of their files and finds them as their entries say.
func TestInspectorSkills(t *testing.T) {
	for name, url := range skillServers(t) {
		for _, era := range []string{"legacy", "modern"} {
			t.Run(name+" "+era, func(t *testing.T) {
				in := inspector{[]string{url}, era}
				stdout, _ := in.exec(t, 0, "--method", "skills/list", "--verify")
				seen := 0
				for line := range bytes.Lines(stdout) {
					var report struct {
						URI     string `json:"uri"`
						OK      bool   `json:"ok"`
						Outcome string `json:"outcome"`
					}
					if err := json.Unmarshal(line, &report); err != nil || !report.OK || !strings.HasPrefix(report.URI, "skill://") {
						t.Errorf("%v: %s", err, line)
					}
					seen++
				}
				if seen < 2 {
					t.Errorf("%d skills:\n%s", seen, stdout)
				}
				if name != "shop" {
					return
				}
				in.exec(t, 0, "--method", "skills/get", "--uri", "skill://orders/createorderwithcheck/SKILL.md", "--verify", "--require-digests")
				dir := in.run(t, 0, "--method", "resources/directory/read", "--uri", "skill://orders/createorderwithcheck")
				if len(dir.Result.Resources) != 1 || dir.Result.Resources[0].URI != "skill://orders/createorderwithcheck/SKILL.md" {
					t.Errorf("the directory is %+v", dir.Result.Resources)
				}
				file := in.run(t, 0, "--method", "resources/read", "--uri", "skill://orders/createorderwithcheck/SKILL.md")
				if len(file.Result.Contents) != 1 || !strings.HasPrefix(file.Result.Contents[0].Text, "---\nname: ") {
					t.Errorf("the file is %+v", file.Result.Contents)
				}
			})
		}
	}
}
