package skillmd_test

import (
	"os"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, data string
		want       skillmd.Document
	}{
		{"R68 front matter", "---\nname: orders\ndescription: Makes orders.\n---\n# Orders\n", skillmd.Document{Name: "orders", Description: "Makes orders.", Body: "# Orders\n", BodyLine: 5}},
		{"R68 none", "# Orders\n", skillmd.Document{Body: "# Orders\n", BodyLine: 1}},
		{"R68 no text", "", skillmd.Document{BodyLine: 1}},
		{"R68 no body", "---\nname: a\n---", skillmd.Document{Name: "a", BodyLine: 4}},
		{"R68 empty front matter", "---\n---\n\n \nx\n", skillmd.Document{Body: "x\n", BodyLine: 5}},
		{"R68 only a comment", "---\n# c\n---\nx", skillmd.Document{Body: "x", BodyLine: 4}},
		{"R68 folded", "---\ndescription: >-\n  Makes\n  orders.\n\n  Fast.\n---\nx", skillmd.Document{Description: "Makes orders. Fast.", Body: "x", BodyLine: 8}},
		{"R68 scalars are text", "---\nname: 1.0\ndescription: 2024-01-02\n---\nx", skillmd.Document{Name: "1.0", Description: "2024-01-02", Body: "x", BodyLine: 5}},
		{"R68 null", "---\nname:\ndescription: ~\n---\nx", skillmd.Document{Body: "x", BodyLine: 5}},
		{"R68 quoted null", "---\nname: \"~\"\n---\nx", skillmd.Document{Name: "~", Body: "x", BodyLine: 4}},
		{"R68 control characters", "---\ndescription: \"a\\x1b\\tb\"\n---\nx", skillmd.Document{Description: "a b", Body: "x", BodyLine: 4}},
		{"R68 rule later", "a\n---\nb: [\n---\n", skillmd.Document{Body: "a\n---\nb: [\n---\n", BodyLine: 1}},
		{"R69 byte order mark", "\ufeff---\nname: a\n---\nx", skillmd.Document{Name: "a", Body: "x", BodyLine: 4}},
		{"R79 CRLF", "---\r\nname: a\r\n---\r\nx\r\ny\rz", skillmd.Document{Name: "a", Body: "x\ny\nz", BodyLine: 4}},
		{"R77 other keys", "---\nname: a\nallowed-tools: Bash\nhooks: {a: [b]}\n---\nx", skillmd.Document{Name: "a", Body: "x", BodyLine: 6}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := skillmd.Parse([]byte(tt.data))
			if err != nil {
				t.Fatal(err)
			}
			if *got != tt.want {
				t.Errorf("got %+v, want %+v", *got, tt.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"R68 not closed", "---\nname: SECRET\n", "line 1: front matter is not closed"},
		{"R68 sequence", "---\n- SECRET\n---\n", "line 2: front matter is not a mapping"},
		{"R68 scalar", "---\nSECRET\n---\n", "line 2: front matter is not a mapping"},
		{"R68 syntax", "---\na: b\nSECRET: [\n---\n", "not valid YAML"},
		{"R68 duplicate", "---\nname: a\nb: c\nname: SECRET\n---\n", "line 4: the key"},
		{"R68 nested duplicate", "---\na:\n  SECRET: 1\n  SECRET: 2\n---\n", "line 4: the key"},
		{"R68 composite key", "---\n[SECRET]: 1\n---\n", "line 2: the key is not one text"},
		{"R68 anchor", "---\na: &SECRET 1\n---\n", "line 2: anchors"},
		{"R68 alias", "---\na: &x 1\nb: *x\n---\n", "anchors"},
		{"R68 unknown alias", "---\na: *SECRET\n---\n", "an alias without its anchor"},
		{"R68 deep", "---\na: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n---\n", "nested deeper"},
		{"R68 very deep", "---\na: " + strings.Repeat("[", 20000) + "\n---\n", "not valid YAML"},
		{"R68 two documents", "---\na: 1\n--- \tx\n", "line 1: front matter is not closed"},
		{"R68 second document", "---\na: 1\n...\n--- SECRET\n---\n", "a second document begins"},
		{"R68 name is a list", "---\na: 1\nname: [SECRET]\n---\n", "line 3: front matter: name is not a text"},
		{"R68 large front matter", "---\n" + strings.Repeat("# SECRET\n", skillmd.MaxFrontMatter/9+1) + "---\n", "front matter has more than"},
		{"R68 not UTF-8", "a\nb\xff\n", "line 2: skill text is not valid UTF-8"},
		{"R68 too large", strings.Repeat("a", skillmd.MaxSize+1), "bytes, more than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := skillmd.Parse([]byte(tt.data))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "SECRET") {
				t.Errorf("quotes a value: %v", err)
			}
		})
	}
}

func TestParseFixture(t *testing.T) {
	t.Run("R77", func(t *testing.T) {
		data, err := os.ReadFile("testdata/R77_front_matter.in.md")
		if err != nil {
			t.Fatal(err)
		}
		got, err := skillmd.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		want := skillmd.Document{Name: "orders", Description: "Creates orders.", Body: "# Orders\n\nText.\n", BodyLine: 13}
		if *got != want {
			t.Errorf("got %+v, want %+v", *got, want)
		}
	})
}
