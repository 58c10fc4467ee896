package discover_test

import (
	"slices"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/upstream/discover"
	"github.com/cash-mcp/go-sdk/manifest"
)

func TestR140Changes(t *testing.T) {
	base := manifest.Manifest{Version: "0.1.1", Publisher: "Shop", Endpoint: "https://shop.example/mcp?key=s3cr3t", LastUpdated: "2026-04-24"}
	for name, tt := range map[string]struct {
		change func(*manifest.Manifest)
		want   []string
	}{
		"nothing":    {func(*manifest.Manifest) {}, nil},
		"date":       {func(m *manifest.Manifest) { m.LastUpdated = "2026-04-25" }, nil},
		"namespaces": {func(m *manifest.Manifest) { m.Namespaces = []manifest.Namespace{{Suggested: "a", Description: "A."}} }, nil},
		"stdio":      {func(m *manifest.Manifest) { m.Endpoint = "stdio:shop" }, nil},
		"key":        {func(m *manifest.Manifest) { m.Endpoint = "https://shop.example/mcp?key=other" }, nil},
		"no login":   {func(m *manifest.Manifest) { m.Authentication = &manifest.Authentication{Scheme: manifest.SchemeNone} }, nil},
		"publisher":  {func(m *manifest.Manifest) { m.Publisher = "Else" }, []string{`its publisher was "Shop" and is "Else"`}},
		"version":    {func(m *manifest.Manifest) { m.Version = "2" }, []string{`its cash_version was "0.1.1" and is "2"`}},
		"endpoint": {func(m *manifest.Manifest) { m.Endpoint = "https://else.example/mcp?key=s3cr3t" },
			[]string{`its endpoint was "https://shop.example/mcp" and is "https://else.example/mcp"`}},
		"login": {func(m *manifest.Manifest) { m.Authentication = &manifest.Authentication{Scheme: manifest.SchemeBearer} },
			[]string{`its authentication was "none" and is "bearer"`}},
	} {
		now := base
		tt.change(&now)
		if got := discover.Changes(&base, &now); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
