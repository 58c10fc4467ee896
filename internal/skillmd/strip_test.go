package skillmd_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
)

var update = flag.Bool("update", false, "rewrite the .out.md files in testdata")

// TestFixtures reads each testdata/<row>_<what>.in.md, parses and strips it, and compares with .out.md.
func TestFixtures(t *testing.T) {
	files, err := filepath.Glob("testdata/*.in.md")
	if err != nil || len(files) < 11 {
		t.Fatalf("fixtures: %d, %v", len(files), err)
	}
	for _, in := range files {
		out := strings.TrimSuffix(in, ".in.md") + ".out.md"
		t.Run(strings.TrimSuffix(filepath.Base(in), ".in.md"), func(t *testing.T) {
			data, err := os.ReadFile(in)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := skillmd.Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := skillmd.Strip(doc.Body)
			checkStripped(t, doc.Body, got)
			if *update {
				if err := os.WriteFile(out, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// TestUnchanged names the rows whose texts must come back byte for byte.
func TestUnchanged(t *testing.T) {
	for _, row := range []string{"R67_rfc_8_7", "R78_prose"} {
		t.Run(row, func(t *testing.T) {
			data, err := os.ReadFile("testdata/" + row + ".in.md")
			if err != nil {
				t.Fatal(err)
			}
			got, removed := skillmd.Strip(string(data))
			if got != string(data) || len(removed) > 0 {
				t.Errorf("changed, removed %+v:\n%s", removed, got)
			}
		})
	}
}

func TestRemovals(t *testing.T) {
	body := "a\n\n```Bash x\nls\n\nls\n```\nb <script>\nx</script>\n!`id` [x](data:y)\n\n```!\nid\n```\n\n    ls -la\n"
	want := []skillmd.Removal{
		{Line: 3, Kind: skillmd.KindCode, Language: "bash", Lines: 3},
		{Line: 8, Kind: skillmd.KindScript, Lines: 2},
		{Line: 10, Kind: skillmd.KindCommand, Lines: 1},
		{Line: 10, Kind: skillmd.KindLink, Lines: 1},
		{Line: 12, Kind: skillmd.KindCommand, Lines: 1},
		{Line: 16, Kind: skillmd.KindCode, Lines: 1},
	}
	_, got := skillmd.Strip(body)
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// What follows is written without regard to how Strip works: it reads a stripped text line by line with patterns.

var (
	anyFence    = regexp.MustCompile("^(?:[ \t>]|[-+*][ \t]|[0-9]{1,9}[.)][ \t])*(`{3,}|~{3,})[ \t]*([^`\n]*)$")
	dataTag     = regexp.MustCompile(`(?i)^(text|txt|md|markdown|json|ya?ml|toml|csv|http|mermaid)([^a-z0-9+#_.-]|$)`)
	invocations = regexp.MustCompile(`^[ \t>]*((call|help|skill)\(|#|//|$)`)
	badLink     = regexp.MustCompile(`(?i)(\]\([ \t\n]*<?|\]:[ \t\n]*<?|<)(javascript|vbscript|data):\S`)
	badMark     = regexp.MustCompile("(?i)<script|!`[^`]+`")
	handler     = regexp.MustCompile(`(?i)<[a-z]+[ /][^<>"'=]*\bon(click|load|error)\s*=`)
)

// checkStripped fails if got still holds what Strip promises to remove, or is not stable.
func checkStripped(t *testing.T, body, got string) {
	t.Helper()
	if again, removed := skillmd.Strip(got); again != got || len(removed) > 0 {
		t.Errorf("not idempotent\nbody:  %q\nonce:  %q\ntwice: %q", body, got, again)
	}
	for _, pattern := range []*regexp.Regexp{badLink, badMark, handler} {
		if m := pattern.FindString(got); m != "" {
			t.Errorf("%q is left\nbody: %q\ngot:  %q", m, body, got)
		}
	}
	if l := codeFence(got); l != "" {
		t.Errorf("fence %q is left\nbody: %q\ngot:  %q", l, body, got)
	}
}

// codeFence returns a line that opens a block with a tag that is not data and with a content that does not start like an
// invocation.
func codeFence(got string) string {
	lines := strings.Split(got, "\n")
	for i, l := range lines {
		m := anyFence.FindStringSubmatch(l)
		if m == nil || strings.TrimSpace(m[2]) == "" || dataTag.MatchString(strings.TrimLeft(m[2], "{. ")) {
			continue
		}
		if i+1 == len(lines) || !invocations.MatchString(lines[i+1]) {
			return l
		}
	}
	return ""
}
