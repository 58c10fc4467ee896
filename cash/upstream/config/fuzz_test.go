package config_test

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/config"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// FuzzParse holds that what is accepted can be used, and that no error
// shows a value or is without bounds.
func FuzzParse(f *testing.F) {
	for _, doc := range []string{
		full, upstreamWith("timeout: ${env:A}"), commandWith("env: {A: '${env:A:-x}'}"), manifestWith("trust: ['${env:A}']"), upstreamWith("headers: {A: \"\\n\"}"),
		"upstreams: [{label: A_b, command: ['${env:A}', $$]}, {label: ab.c, endpoint: 'http://${env:A}'}]", "pins: {file: a, mode: locked}",
		"manifests: [{url: 'https://${env:A}:1/?a', allow: [::/0], max_message: 1KB}]",
	} {
		f.Add(doc, "8080")
		f.Add(doc, "x\r\ny")
		f.Add(doc, "user:pass@host")
	}
	f.Fuzz(func(t *testing.T, doc, value string) {
		const mark = "Zq7Secret"
		c, err := config.Parse([]byte(doc), &config.Options{
			Getenv: func(string) (string, bool) { return mark + value, true },
		})
		if err != nil {
			if text := err.Error(); strings.Contains(text, mark) && !strings.Contains(doc, "Zq") {
				t.Errorf("the error shows a value: %s", text)
			} else if len(text) > 21*2000 {
				t.Errorf("%d bytes of error", len(text))
			}
			return
		}
		checkConfig(t, c)
	})
}

// checkConfig holds that whatever was accepted can be mounted and fetched.
func checkConfig(t *testing.T, c *config.File) {
	t.Helper()
	for _, s := range c.Upstreams {
		if err := checkServer(s); err != nil {
			t.Errorf("accepted, and refused: %v", err)
		}
	}
	for _, d := range c.Manifests {
		if _, err := manifest.CheckEndpoint(d.URL, d.URL, d.Trust...); err != nil {
			t.Errorf("%s: %v", d, err)
		}
		for _, p := range d.Allow {
			if p != p.Masked() || p == (netip.Prefix{}) {
				t.Errorf("network %v", p)
			}
		}
		found := d.Server
		found.Label, found.Endpoint = "found", upstream.HTTP{URL: d.URL, Header: d.Header}
		if err := checkServer(found); err != nil {
			t.Errorf("%s: %v", d, err)
		}
	}
}

// checkServer returns what is wrong with a server. A closed aggregator looks at it, and
// connects to none.
func checkServer(s upstream.Server) error {
	agg := upstream.New(registry.New(nil), nil)
	if err := agg.Close(context.Background()); err != nil {
		return err
	}
	if err := agg.Add(s); !errors.Is(err, upstream.ErrClosed) {
		return cmp.Or(err, errors.New("a closed aggregator takes it"))
	}
	return nil
}

// TestAccepted makes upstreams of every combination of some lines.
func TestAccepted(t *testing.T) {
	lines := [][]string{
		{"endpoint: https://a.example/", "endpoint: http://[::1]:1/?q#f", "command: [./a, '']", "endpoint: HTTPS://A.example."},
		{"", "kind: plain", "kind: cash", "kind: auto"},
		{"", "namespace: a.B_c", "namespace: ''"},
		{"", "lazy: true", "idle: 1ns"},
		{"", "refresh: never", "refresh: 2562047h47m16s", "max_message: 1024MiB"},
		{"", "headers: {A: ''}", "env: {A: '='}", "inherit: [PORT]", "transport: sse"},
		{"", "disabled: true"},
	}
	accepted, refused := 0, 0
	var try func(doc string, rest [][]string)
	try = func(doc string, rest [][]string) {
		if len(rest) > 0 {
			for _, line := range rest[0] {
				try(doc+"    "+line+"\n", rest[1:])
			}
			return
		}
		c, err := parse(doc)
		if err != nil {
			refused++
			return
		}
		accepted++
		checkConfig(t, c)
	}
	try("upstreams:\n  - label: a.B_1\n", lines)
	if accepted == 0 || refused == 0 {
		t.Errorf("%d accepted, %d refused", accepted, refused)
	}
}
