package manifest_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

func TestR113Check(t *testing.T) {
	long := strings.Repeat("x", 3000)
	for _, tt := range []struct {
		want string // the field, empty if the manifest is fine
		edit func(*manifest.Manifest)
	}{
		{"", func(*manifest.Manifest) {}},
		{"", func(m *manifest.Manifest) { m.CacheTTL, m.Authentication, m.Skills, m.Copyright = 0, nil, nil, "" }},
		{"", func(m *manifest.Manifest) { m.Namespaces[0].Description = "two\nlines\x1b[1m " + long }},
		{"", func(m *manifest.Manifest) { m.CacheTTL = manifest.NoCache }},
		{"", func(m *manifest.Manifest) { m.Endpoint = "shop --stdio" }},
		{"cash_version", func(m *manifest.Manifest) { m.Version = " " }},
		{"cash_version", func(m *manifest.Manifest) { m.Version = "1\u200b" }},
		{"last_updated", func(m *manifest.Manifest) { m.LastUpdated = "" }},
		{"last_updated", func(m *manifest.Manifest) { m.LastUpdated = "yesterday" }},
		{"publisher", func(m *manifest.Manifest) { m.Publisher = "\x00" }},
		{"endpoint", func(m *manifest.Manifest) { m.Endpoint = "" }},
		{"endpoint", func(m *manifest.Manifest) { m.Endpoint = "https://" }},
		{"endpoint", func(m *manifest.Manifest) { m.Endpoint = "https://user@mcp.example/" }},
		{"endpoint", func(m *manifest.Manifest) { m.Endpoint = "https://mcp.example/" + long }},
		{"cache_ttl", func(m *manifest.Manifest) { m.CacheTTL = time.Millisecond }},
		{"cache_ttl", func(m *manifest.Manifest) { m.CacheTTL = manifest.MaxTTL + time.Second }},
		{"authentication.scheme", func(m *manifest.Manifest) { m.Authentication.Scheme = "basic" }},
		{"authentication.scheme", func(m *manifest.Manifest) { m.Authentication.Scheme = "" }},
		{"authentication.docs_url", func(m *manifest.Manifest) { m.Authentication.DocsURL = "docs" }},
		{"namespaces", func(m *manifest.Manifest) { m.Namespaces = nil }},
		{"namespaces", func(m *manifest.Manifest) { m.Namespaces = slices.Repeat(m.Namespaces, 5001) }},
		{"namespaces[1].suggested", func(m *manifest.Manifest) { m.Namespaces[1].Suggested = "" }},
		{"namespaces[1].description", func(m *manifest.Manifest) { m.Namespaces[1].Description = "" }},
		{"skills", func(m *manifest.Manifest) { m.Skills = slices.Repeat(m.Skills, 10_001) }},
		{"skills[0].name", func(m *manifest.Manifest) { m.Skills[0].Name = "" }},
		{"skills[0].description", func(m *manifest.Manifest) { m.Skills[0].Description = "" }},
	} {
		m := shop()
		tt.edit(m)
		field := ""
		var e *manifest.Error
		if errors.As(m.Check(), &e) {
			field = e.Field
		}
		if field != tt.want {
			t.Errorf("Check reports %q (%v), want %q", field, e, tt.want)
		}
		_, yamlErr := m.YAML()
		_, jsonErr := m.MarshalJSON()
		if (yamlErr != nil) != (tt.want != "") || (jsonErr != nil) != (tt.want != "") {
			t.Errorf("%q: YAML: %v, JSON: %v", tt.want, yamlErr, jsonErr)
		}
	}
	if err := (*manifest.Manifest)(nil).Check(); err == nil {
		t.Error("no manifest passes")
	}
}

// TestR113CheckChangesNothing holds that writing cleans a copy.
func TestR113CheckChangesNothing(t *testing.T) {
	m := shop()
	m.Namespaces[0].Description = " a\nb "
	m.Authentication.DocsURL = " https://shop.example "
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	if m.Namespaces[0].Description != " a\nb " || m.Authentication.DocsURL != " https://shop.example " {
		t.Errorf("changed: %+v", m)
	}
}

func TestR117Versions(t *testing.T) {
	for version, warns := range map[string]bool{"0.1.1": false, "1.0": false, "9.9": true, "1.0-beta": true, "\"\\\"x\"": true} {
		m := mustParse(t, minimal(`"0.1.1"`, version))
		if w := m.Warnings(); (len(w) == 1) != warns || warns && !strings.Contains(w[0], "cash_version") {
			t.Errorf("version %s: %q", version, w)
		}
	}
	if manifest.SpecVersion != "0.1.1" {
		t.Errorf("publishes %s", manifest.SpecVersion)
	}
}

func TestWarnings(t *testing.T) {
	m := shop()
	m.Namespaces = append(m.Namespaces, manifest.Namespace{Suggested: "--", Description: "x"}, manifest.Namespace{Suggested: "StockLevels", Description: "x"})
	want := []string{
		`namespaces[2].suggested: "--" has no letter or digit that a label can keep`,
		"namespaces[3].suggested: the same label as namespaces[1].suggested",
	}
	if got := m.Warnings(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	m.Namespaces = slices.Repeat(m.Namespaces, 1000)
	if got := m.Warnings(); len(got) != 16 {
		t.Errorf("%d warnings", len(got))
	}
}

func TestR135Label(t *testing.T) {
	for suggested, want := range map[string]string{
		"orders":              "orders",
		"shop-orders":         "shop_orders",
		"Shop_Orders":         "Shop_Orders",
		"orders.retail-eu":    "orders.retail_eu",
		"order mgmt":          "ordermgmt",
		"a/b\\c:d":            "abcd",
		"Ünï":                 "n",
		"\u212aelvin":         "elvin",
		"..a..b.":             "a.b",
		"-.a._.b":             "a.b",
		"":                    "",
		"--_":                 "",
		"日本":                  "",
		"x\x00\x1b[1m\u200by": "x1my",
		"\xff":                "",
	} {
		if got := manifest.Label(suggested); got != want {
			t.Errorf("Label(%q) = %q, want %q", suggested, got, want)
		}
	}
}

// FuzzLabel holds that what Label returns is a path of the registry, or
// nothing.
func FuzzLabel(f *testing.F) {
	for _, s := range []string{"shop-orders", "a.b", "_", "É.x", "\xff."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := manifest.Label(s)
		if _, ok := registry.CanonicalPath(got); !ok && len(got) <= 1024 {
			t.Errorf("Label(%q) = %q is not a path", s, got)
		}
		if again := manifest.Label(got); again != got {
			t.Errorf("Label(%q) = %q", got, again)
		}
	})
}
