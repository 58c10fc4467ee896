package discover

import (
	"cmp"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

const (
	maxPlaces      = 64  // namespaces used of one manifest
	maxPrefix      = 32  // bytes of the publisher's name in a label
	maxDescription = 200 // characters
)

// A wish is a label that a manifest asks for.
type wish struct {
	follower    *Follower
	suggestion  string // canonical
	label       string // first as suggested, then as chosen
	namespace   string // the server's namespace, canonical
	description string
	settled     bool
}

func (w *wish) plain() string { return w.label }

// byPublisher returns the label with the publisher's name, or "" if that name makes no label.
func (w *wish) byPublisher() string {
	name := strings.ToLower(strings.ReplaceAll(manifest.Label(w.follower.last.Manifest.Publisher), ".", ""))
	if name == "" || len(name) > maxPrefix {
		return ""
	}
	return name + w.label
}

func (w *wish) byHost() string { return hostLabel(w.follower.host) + w.label }

// wishes returns the namespaces of the manifest, without duplicates and without those that lie below another.
func (f *Follower) wishes() []*wish {
	all, seen := label.NewPaths(), make(map[string]bool)
	for _, ns := range f.last.Manifest.Namespaces {
		all.Add(canonical(f.suggested(ns)))
	}
	var list []*wish
	for _, ns := range f.last.Manifest.Namespaces {
		name := f.suggested(ns)
		path := canonical(name)
		if seen[path] || all.Below(path) {
			continue
		}
		seen[path] = true
		if len(list) == maxPlaces {
			f.opts.Logger.Warn("manifest has too many namespaces", "host", f.host, "most", maxPlaces)
			break
		}
		list = append(list, &wish{
			follower: f, suggestion: path, label: name,
			namespace:   canonical(manifest.Label(ns.Suggested)),
			description: clean.Line(ns.Description, maxDescription),
		})
	}
	return list
}

// suggested returns the label for a namespace if nothing else wanted it.
func (f *Follower) suggested(ns manifest.Namespace) string {
	return cmp.Or(strings.ToLower(manifest.Label(ns.Suggested)), hostLabel(f.host))
}

// hostLabel returns a label made from a host: its first significant part.
func hostLabel(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return "server"
	}
	for _, part := range strings.Split(strings.ToLower(host), ".") {
		label := strings.ReplaceAll(manifest.Label(part), "_", "")
		if label != "" && !slices.Contains([]string{"mcp", "www", "api", "cash"}, label) {
			return label[:min(len(label), maxPrefix)]
		}
	}
	return "server"
}

func canonical(path string) string {
	c, _ := registry.CanonicalPath(path)
	return c
}
