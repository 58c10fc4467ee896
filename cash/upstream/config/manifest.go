package config

import (
	"strings"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/manifest"
)

// discovery reads an entry of manifests; false if it must not be used. seen maps URLs of earlier entries to their
// lines.
func (m *mapping) discovery(seen map[string]int) (upstream.Discovery, bool) {
	noted := len(m.problems)
	label := m.label()
	d := upstream.Discovery{Label: label.text, Description: m.line("description", maxDescriptionLine)}
	if !m.has("url") {
		m.missing("url")
	}
	s, ok := m.url("url")
	canonical := ""
	if ok {
		d.URL = s.text
		canonical = m.manifestURL(s)
	}
	d.Trust = m.trust("trust")
	d.Allow = m.prefixes("allow")
	d.Header = m.header("headers")
	m.settings(&d.Server)
	if !m.unlessDisabled(noted, label) {
		return d, false
	}
	if line := seen[canonical]; line > 0 {
		m.refuse(s, "the same manifest as in line %d: remove one", line)
	} else if canonical != "" {
		seen[canonical] = s.node.Line
	}
	return d, true
}

// manifestURL returns the canonical form of a manifest's URL; "" if it is not valid.
func (m *mapping) manifestURL(s scalar) string {
	if !strings.HasPrefix(strings.ToLower(s.text), "https:") {
		m.refuse(s, "manifests are fetched over https only: make it an https URL")
		return ""
	}
	u, err := manifest.CheckEndpoint(s.text, s.text)
	if err != nil { // the error text contains the URL
		m.refuse(s, "the host of the URL is not one that manifests are fetched from: write a plain host name or IP address")
		return ""
	}
	return u.String()
}

// trust returns the list of trusted endpoints on other hosts.
func (m *mapping) trust(key string) []string {
	const source = "https://manifest.example/" // any source will do: the check of trusted entries ignores it
	var list []string
	for _, s := range m.names(key, "a host") {
		if _, err := manifest.CheckEndpoint(source, source, s.text); err != nil {
			m.refuse(s, "not a host such as mcp.example or mcp.example:8443, nor a whole URL without user name and password")
			continue
		}
		list = append(list, s.text)
	}
	return list
}
