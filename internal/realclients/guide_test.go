//go:build realclients

package realclients

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/guidetest"
)

// TestGuide follows the guide of the command in a folder with nothing but the clients' configurations: each command
// prints what stands below it. The places that differ are the folder, the port and the versions of servers. A start
// waits for slow servers, which it would otherwise log.
func TestGuide(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir()) // stands for /, with srv in it
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(root, "srv", "project")
	for _, dir := range []string{project, filepath.Join(root, "srv", "documents"), filepath.Join(root, "home")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"srv/documents/notes.md": "The meeting is on Monday at ten.\n",
		"home/.npmrc":            "offline=true\n", // npx takes what is in node_modules
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Dir(programs), filepath.Join(project, "node_modules")); err != nil {
		t.Fatal(err)
	}
	path := strings.Join([]string{filepath.Dir(cashCommand), programs, os.Getenv("PATH")}, string(filepath.ListSeparator))
	g := &guidetest.Guide{
		Page: "../../cash/cmd/cash/README.md",
		Dir:  project,
		Env:  []string{"PATH=" + path, "HOME=" + filepath.Join(root, "home"), "TMPDIR=" + root},
		Input: func(page string) string {
			page = strings.Replace(page, " > tools.yaml", " > tools.yaml && printf '"+startTimeout+"' >> tools.yaml", 1)
			return srv.ReplaceAllString(page, "${1}"+filepath.Join(root, "srv")+"/")
		},
		Output: func(_, printed string) string {
			return strings.ReplaceAll(strings.Replace(printed, startTimeout, "", 1), root, "")
		},
		Same: func(page string) string { return version.ReplaceAllString(page, "V") },
	}
	g.Test(t)
}

var (
	srv     = regexp.MustCompile(`(^|[^\w.])/srv/`)
	version = regexp.MustCompile(`\d+\.\d+\.\d+\b`)
)
