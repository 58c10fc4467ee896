package skillext_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

var update = flag.Bool("update", false, "write testdata/skilltool.txt anew")

// What the tool skill answers does not depend on the extension: its lists, texts, inputs and errors, of own skills and
// of those of mounted servers.
func TestSkillToolGolden(t *testing.T) {
	ofPlain, _ := mount(t, upstream.Server{Label: "far", Endpoint: upstream.InMemory{Server: plain.NewServer(shop(t), nil)}})
	ofCaSH, _ := mount(t, upstream.Server{Label: "far", Endpoint: upstream.InMemory{Server: cash.NewServer(shop(t), nil)}})
	var got strings.Builder
	for _, one := range []struct {
		name, label string
		src         *registry.Registry
	}{{"own", "", shop(t)}, {"plain", "far", ofPlain}, {"cash", "far", ofCaSH}} {
		server := cash.NewServer(one.src, nil)
		requests := []cash.SkillRequest{{}, {Namespace: one.label}, {Namespace: one.label, Name: "orders"}, {Name: "no_such"}}
		for _, ns := range []string{"orders", "shop_floor.sub", "none"} {
			if one.label != "" {
				ns = one.label + "." + ns
			}
			requests = append(requests, cash.SkillRequest{Namespace: ns})
			for _, name := range []string{"create", "export", "greet", "refund-order", "Refund_Order", "count", "none"} {
				requests = append(requests, cash.SkillRequest{Namespace: ns, Name: name})
			}
			requests = append(requests, cash.SkillRequest{Namespace: ns, Name: "greet", Kwargs: []byte(`{"customer":"Ada"}`)})
		}
		for _, r := range requests {
			text, err := server.Skill(t.Context(), &r)
			fmt.Fprintf(&got, "== %s: skill(%q, %q, %s)\n%s\n", one.name, r.Namespace, r.Name, r.Kwargs, text)
			if err != nil {
				fmt.Fprintf(&got, "error: %v\n", err)
			}
		}
	}
	file := filepath.Join("testdata", "skilltool.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(string(want), "== "), strings.Split(got.String(), "== ")
	if len(a) != len(b) {
		t.Fatalf("%d answers, want %d", len(b), len(a))
	}
	for i := range a {
		if a[i] != b[i] {
			t.Errorf("the answer is %q, want %q", b[i], a[i])
		}
	}
}
