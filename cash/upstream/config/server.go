package config

import (
	"math"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

// Bounds of a configuration. Lines are counted in characters.
const (
	maxEntries         = 1000 // upstreams, and manifests
	maxNameLine        = 200
	maxDescriptionLine = 1000
	maxConcurrency     = 10_000
)

// read reads the top mapping of the file.
func (r *reader) read(top *yaml.Node, f *File) {
	m := r.asMapping(top, "")
	f.Name, f.Version = m.line("name", maxNameLine), m.line("version", maxNameLine)
	f.Instructions = strings.TrimSpace(clean.Text(m.text("instructions")))
	f.SizeLimit = m.integer("sizelimit", math.MaxInt32)
	f.Pins = m.pins("pins")
	m.front(f)
	schemas := m.schemas("schema_limits")
	for _, e := range m.mappings("upstreams", maxEntries) {
		s, needed, ok := e.upstream()
		if !ok {
			continue
		}
		if s.Schemas == (registry.SchemaLimits{}) {
			s.Schemas = schemas
		}
		f.Upstreams = append(f.Upstreams, s)
		m.entries[s.Label] = e.field
		if needed {
			f.Required = append(f.Required, s.Label)
		}
	}
	manifests := make(map[string]int) // lines by canonical URL
	for _, e := range m.mappings("manifests", maxEntries) {
		if d, ok := e.discovery(manifests); ok {
			if d.Server.Schemas == (registry.SchemaLimits{}) {
				d.Server.Schemas = schemas
			}
			f.Manifests = append(f.Manifests, d)
			m.entries[d.URL] = e.field
		}
	}
	m.finish()
	r.checkLabels()
}

func (m *mapping) pins(key string) Pins {
	n, field := m.lookup(key)
	if n == nil {
		return Pins{}
	}
	p := m.asMapping(n, field)
	modes := []pin.Mode{pin.Off, pin.FirstUse, pin.Locked}
	c := Pins{File: p.path("file"), Mode: modes[p.choice("mode", "off", "first-use", "locked")]}
	if c.Mode == pin.Locked && c.File == "" {
		p.fail(p.node, field+".file", "missing; without it nothing is pinned, and locked would serve nothing")
	}
	p.finish()
	return c
}

// unlessDisabled reports whether an entry is enabled. For a disabled one it drops the problems noted since noted.
func (m *mapping) unlessDisabled(noted int, label fileLabel) bool {
	if m.boolean("disabled") {
		m.problems = m.problems[:noted]
		m.finish()
		return false
	}
	if label.key != "" {
		m.labels = append(m.labels, label)
	}
	m.finish()
	return true
}

// upstream reads an entry of upstreams, and whether it is required; ok is false if it must not be mounted.
func (m *mapping) upstream() (s upstream.Server, needed, ok bool) {
	noted := len(m.problems)
	label := m.label()
	if !m.has("label") {
		m.missing("label")
	}
	s = upstream.Server{Label: label.text, Description: m.line("description", maxDescriptionLine), Endpoint: m.endpoint()}
	s.Kind = []upstream.Kind{upstream.Auto, upstream.Plain, upstream.CaSH}[m.choice("kind", "auto", "plain", "cash")]
	if ns, ok := m.get("namespace"); ok {
		if _, legal := registry.CanonicalPath(ns.text); !legal {
			m.refuse(ns, "%s is not a path: %s", quoteSource(ns.node.Value), labelRule)
		} else if s.Kind == upstream.Plain && ns.text != "" {
			m.refuse(ns, "a server of kind plain has no namespaces: remove it, or the kind")
		}
		s.Namespace = ns.text
	}
	m.settings(&s)
	needed = m.boolean("required")
	return s, needed, m.unlessDisabled(noted, label)
}

// settings reads the keys that upstreams and manifests share.
func (m *mapping) settings(s *upstream.Server) {
	if roles := m.names("visible_to", "a role"); roles != nil {
		m.roles[m.field] = textsOf(roles)
		s.VisibleTo = registry.Roles(textsOf(roles)...)
	}
	s.ReadOnly = textsOf(m.names("read_only", "a tool"))
	s.Include = textsOf(m.names("include_tools", "a tool"))
	s.Exclude = textsOf(m.names("exclude_tools", "a tool"))
	s.Schemas = m.schemas("schema_limits")
	s.IgnoreHints = m.boolean("ignore_hints")
	s.HoldIdentity = m.boolean("hold_identity")
	s.Lazy = m.boolean("lazy")
	s.Idle = m.duration("idle")
	s.Timeout = m.duration("timeout")
	s.ConnectTimeout = m.duration("connect_timeout")
	s.Concurrency = m.integer("concurrency", maxConcurrency)
	s.MaxMessage = m.size("max_message")
	s.Refresh = m.interval("refresh")
}
