package skillmd_test

import (
	"os"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
)

// BenchmarkStrip measures the specification's own skill, and texts that are built to be slow. Compare MB/s between
// 64 KiB and 1 MiB: a cost that is not linear shows as a drop.
func BenchmarkStrip(b *testing.B) {
	data, err := os.ReadFile("testdata/R67_rfc_8_7.in.md")
	if err != nil {
		b.Fatal(err)
	}
	benchmarkStrip(b, "skill", string(data))
	for name, part := range hostile {
		benchmarkStrip(b, name+"/64KiB", strings.Repeat(part, 64<<10/len(part)))
		benchmarkStrip(b, name+"/1MiB", strings.Repeat(part, 1<<20/len(part)))
	}
}

func benchmarkStrip(b *testing.B, name, body string) {
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			skillmd.Strip(body)
		}
	})
}

func BenchmarkReferences(b *testing.B) {
	for name, part := range hostile {
		for size, bytes := range map[string]int{"64KiB": 64 << 10, "1MiB": 1 << 20} {
			body := strings.Repeat(part, bytes/len(part))
			b.Run(name+"/"+size, func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					skillmd.References(body)
				}
			})
		}
	}
}

// hostile are texts that make readers which look ahead, or go back, quadratic when they are repeated.
var hostile = map[string]string{
	"script":      "<script ",
	"code-script": "`<script>` ",
	"script-end":  "`<script>`\n</script>",
	"tag":         "<a b=\"'",
	"tag-open":    "<a onx ",
	"iframe":      "<iframe ",
	"iframe-line": "<iframe a=\n",
	"link":        "](",
	"link-blank":  "](  \n",
	"entity":      "](&#0000",
	"quote-links": "](\n>>>>",
	"command":     "!`` ",
	"runs":        "a ```\n",
	"fences":      "```\n",
	"fence-tags":  "```a\n",
	"nested":      "````md\n```a\n~~~\n",
	"quotes":      "> ",
	"items":       "- ",
	"item-lines":  "- - - - a\n\n",
	"deep-items":  "                    - a\n\n",
	"rules":       "- - - ",
	"heredoc":     "cat <<a\n",
	"heredocs":    "```text\n<<a\n",
	"indent":      "\n    a: b\n",
	"blanks":      "    \n",
	"tabs":        "\t",
	"braces":      "{{a|",
	"call":        "call(a=\"",
	"call-list":   "call(a=[#",
	"call-lines":  "call(#\n",
	"setext":      "a\n===\n",
	"shebang":     "#!/a\n",
}
