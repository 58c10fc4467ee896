package registry_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// TestCheckIcon holds which icons are taken, and that an error does not show the source.
func TestCheckIcon(t *testing.T) {
	link := "https://example.com/i.png"
	for _, icon := range []mcp.Icon{
		{Source: link}, {Source: "http://[::1]:80/a?b#c"}, {Source: "HTTPS://example.com/%C3%A9.png"},
		{Source: "data:image/png;base64,iVBORw0KGgo="}, {Source: "data:image/svg+xml;charset=utf-8;base64,PHN2Zz4="}, {Source: "data:image/svg+xml,%3Csvg/%3E"},
		{Source: link, MIMEType: "image/svg+xml", Sizes: []string{"any", "48x48"}, Theme: mcp.IconThemeLight},
	} {
		if err := registry.CheckIcon(&icon); err != nil {
			t.Errorf("%+v: %v", icon, err)
		}
	}
	for source, want := range map[string]string{
		"": "source", "secret": "source", "javascript:secret": "source", "file:///secret": "source", "ftp://secret/i.png": "source", "https:secret": "source",
		"https:///secret": "source", "https://secret example": "source", "https://example.com/secret\n": "source", "https://example.com/\u202esecret": "source",
		" https://secret": "source", "data:text/html,secret": "source", "data:image/png;base64,se\x00cret": "source", "data:,secret": "source",
		"data:image/png," + strings.Repeat("a", registry.MaxIconSource): "at most 32768",
	} {
		if err := registry.CheckIcon(&mcp.Icon{Source: source}); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%.40q: %v", source, err)
		}
	}
	for want, icon := range map[string]mcp.Icon{
		"MIME":  {Source: link, MIMEType: "image/png\n"},
		"theme": {Source: link, Theme: "dim"},
		"sizes": {Source: link, Sizes: []string{"48 x 48"}},
		"such":  {Source: link, Sizes: make([]string, 9)},
	} {
		if err := registry.CheckIcon(&icon); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", icon, err)
		}
	}
}
