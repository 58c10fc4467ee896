package registry_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// A spoken is a tool described in some language, and what asks for it.
type spoken struct{ language, name, description, query string }

func readLanguages(t *testing.T) []spoken {
	t.Helper()
	data, err := os.ReadFile("testdata/languages.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []spoken
	language := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "== "); ok {
			language = strings.ToLower(heading)
		}
		if parts := strings.Split(line, " | "); language != "" && len(parts) == 3 {
			list = append(list, spoken{language, parts[0], parts[1], parts[2]})
		}
	}
	return list
}

// TestW21Languages holds that a query finds what is described so in its
// language: first among the tools of the language, and near the top among all.
func TestW21Languages(t *testing.T) {
	ctx := context.Background()
	everything := registry.New(nil)
	languages := make(map[string]*registry.Registry)
	list := readLanguages(t)
	for _, s := range list {
		if languages[s.language] == nil {
			languages[s.language] = registry.New(nil)
		}
		languages[s.language].Namespace(s.language, "").Add(tool(s.name, s.description))
		everything.Namespace(s.language, "").Add(tool(s.name, s.description))
	}
	if len(languages) < 10 || len(list) < 12*len(languages) {
		t.Fatalf("%d tools in %d languages", len(list), len(languages))
	}
	for _, s := range list {
		want := s.language + "." + s.name
		if got := found(ctx, languages[s.language], s.query, 1); !slices.Equal(got, []string{want}) {
			t.Errorf("%q finds %v, want %s", s.query, got, want)
		}
		if got := found(ctx, everything, s.query, 3); !slices.Contains(got, want) {
			t.Errorf("among all languages %q finds %v, want %s", s.query, got, want)
		}
	}
}
