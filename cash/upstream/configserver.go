package upstream

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// Bounds of a configuration; lines are in characters.
const (
	maxEntries         = 1000 // upstreams, and manifests
	maxNameLine        = 200
	maxDescriptionLine = 1000
	maxConcurrency     = 10_000
)

// config reads the top of the file.
func (r *configReader) config(top *yaml.Node, c *Config) {
	o := r.object(top, "")
	c.Name, c.Version = o.line("name", maxNameLine), o.line("version", maxNameLine)
	c.Instructions = strings.TrimSpace(clean.Text(o.text("instructions")))
	c.SizeLimit = o.integer("sizelimit", math.MaxInt32)
	c.Pins = o.pins("pins")
	for _, e := range o.objects("upstreams", maxEntries) {
		if s, ok := e.upstream(); ok {
			c.Upstreams = append(c.Upstreams, s)
		}
	}
	manifests := make(map[string]int) // lines by canonical URL
	for _, e := range o.objects("manifests", maxEntries) {
		if d, ok := e.discovery(manifests); ok {
			c.Manifests = append(c.Manifests, d)
		}
	}
	o.finish()
	r.checkLabels()
}

func (o *configObject) pins(key string) PinConfig {
	n, field := o.lookup(key)
	if n == nil {
		return PinConfig{}
	}
	p := o.object(n, field)
	modes := []PinMode{PinOff, PinFirstUse, PinLocked}
	c := PinConfig{File: p.path("file"), Mode: modes[p.choice("mode", "off", "first-use", "locked")]}
	if c.Mode == PinLocked && c.File == "" {
		p.fail(p.node, field+".file", "missing; without it nothing is pinned, and locked would serve nothing")
	}
	p.finish()
	return c
}

// unlessDisabled reports whether an entry counts. What is wrong with one that
// does not, which were the problems after noted, is forgotten.
func (o *configObject) unlessDisabled(noted int, label configLabel) bool {
	if o.boolean("disabled") {
		o.problems = o.problems[:noted]
		o.finish()
		return false
	}
	if label.key != "" {
		o.labels = append(o.labels, label)
	}
	o.finish()
	return true
}

// upstream reads an entry of upstreams, false if it is not to be mounted.
func (o *configObject) upstream() (Server, bool) {
	noted := len(o.problems)
	label := o.label()
	if !o.has("label") {
		o.missing("label")
	}
	s := Server{Label: label.text, Description: o.line("description", maxDescriptionLine), Endpoint: o.endpoint()}
	s.Kind = []Kind{Auto, Plain, CaSH}[o.choice("kind", "auto", "plain", "cash")]
	if ns, ok := o.get("namespace"); ok {
		if _, legal := registry.CanonicalPath(ns.text); !legal {
			o.refuse(ns, "%s is not a path: %s", quoteSource(ns.node.Value), labelRule)
		} else if s.Kind == Plain && ns.text != "" {
			o.refuse(ns, "a server of kind plain has no namespaces: remove it, or the kind")
		}
		s.Namespace = ns.text
	}
	o.settings(&s)
	return s, o.unlessDisabled(noted, label)
}

// settings reads what upstreams and the servers behind manifests have in
// common.
func (o *configObject) settings(s *Server) {
	if roles := o.names("visible_to", "a role"); roles != nil {
		s.VisibleTo = registry.Roles(textsOf(roles)...)
	}
	s.ReadOnly = textsOf(o.names("read_only", "a tool"))
	s.IgnoreHints = o.boolean("ignore_hints")
	s.Lazy = o.boolean("lazy")
	s.Idle = o.duration("idle")
	s.Timeout = o.duration("timeout")
	s.ConnectTimeout = o.duration("connect_timeout")
	s.Concurrency = o.integer("concurrency", maxConcurrency)
	s.MaxMessage = o.size("max_message")
	s.Refresh = o.interval("refresh")
}

// discovery reads an entry of manifests, false if it is not to be used. seen
// has the lines of those before it by their URLs.
func (o *configObject) discovery(seen map[string]int) (Discovery, bool) {
	noted := len(o.problems)
	label := o.label()
	d := Discovery{Label: label.text, Description: o.line("description", maxDescriptionLine)}
	if !o.has("url") {
		o.missing("url")
	}
	s, ok := o.url("url")
	canonical := ""
	if ok {
		d.URL = s.text
		canonical = o.manifestURL(s)
	}
	d.Trust = o.trust("trust")
	d.Allow = o.prefixes("allow")
	d.Header = o.header("headers")
	o.settings(&d.Server)
	if !o.unlessDisabled(noted, label) {
		return d, false
	}
	if line := seen[canonical]; line > 0 {
		o.refuse(s, "the same manifest as in line %d: remove one", line)
	} else if canonical != "" {
		seen[canonical] = s.node.Line
	}
	return d, true
}

// manifestURL returns the canonical form of a URL from which manifests may be
// fetched, "" if that is not so.
func (o *configObject) manifestURL(s configScalar) string {
	if !strings.HasPrefix(strings.ToLower(s.text), "https:") {
		o.refuse(s, "manifests are fetched over https only: make it an https URL")
		return ""
	}
	u, err := manifest.CheckEndpoint(s.text, s.text)
	if err != nil { // whose text shows the URL
		o.refuse(s, "the host of the URL is not one that manifests are fetched from: write a plain host name or IP address")
		return ""
	}
	return u.String()
}

// trust returns the endpoints of a list that manifests of other hosts may name.
func (o *configObject) trust(key string) []string {
	const source = "https://manifest.example/" // the answer is the same for all
	var list []string
	for _, s := range o.names(key, "a host") {
		if _, err := manifest.CheckEndpoint(source, source, s.text); err != nil {
			o.refuse(s, "not a host such as mcp.example or mcp.example:8443, nor a whole URL without user name and password")
			continue
		}
		list = append(list, s.text)
	}
	return list
}

// A configLabel is a label where it stands in the file.
type configLabel struct {
	configScalar
	key string // canonical; empty if there is none
}

const labelRule = "labels are one or more ASCII letters, digits and underscores, joined by dots"

// label returns the label of an entry, in which variables mean nothing: what is
// where in the tree is for the file to say.
func (o *configObject) label() configLabel {
	n, field := o.lookup("label")
	if n == nil {
		return configLabel{}
	}
	l := configLabel{configScalar: configScalar{n, field, n.Value}}
	if !o.plain(l.configScalar) {
		return l
	}
	key, ok := registry.CanonicalPath(l.text)
	if !ok || key == "" {
		o.refuse(l.configScalar, "%s is not a label: %s", quoteSource(l.text), labelRule)
	}
	l.key = key
	return l
}

// checkLabels notes labels that are the same, or one of which stands below
// another (RFC 5.4).
func (r *configReader) checkLabels() {
	// A path comes right before all that is below it, so that only the last one
	// that is below none of the others needs to be compared.
	slices.SortStableFunc(r.labels, func(a, b configLabel) int { return strings.Compare(a.key+".", b.key+".") })
	var top configLabel
	for _, l := range r.labels {
		if top.node == nil || !strings.HasPrefix(l.key+".", top.key+".") {
			top = l
			continue
		}
		first, second := top, l
		if first.node.Line > second.node.Line {
			first, second = second, first
		}
		place := fmt.Sprintf("%s in line %d", quoteSource(first.text), first.node.Line)
		if l.key == top.key {
			r.refuse(second.configScalar, "%s is the same label as %s: give each its own", quoteSource(second.text), place)
		} else {
			r.refuse(second.configScalar, "%s and %s overlap, as one stands below the other: move one", quoteSource(second.text), place)
		}
	}
}
