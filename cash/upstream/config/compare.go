package config

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/firewall/redact"
	"github.com/cash-mcp/go-sdk/registry"
)

// Changes are the differences of a file from an earlier one. The controls are not among them: they may always change.
type Changes struct {
	Added, Changed []upstream.Server
	Removed        []string // labels
	Manifests      []upstream.Discovery
	// Fixed are the keys whose change needs another server. They are sorted.
	Fixed []string
}

// fixed are the values of keys that a running server cannot change, without functions and stores.
var fixed = map[string]func(f *File) any{
	"approval": func(f *File) any {
		o := *cmp.Or(f.Approval, new(control.ApprovalOptions))
		o.Approve, o.Store = nil, nil
		return o
	},
	"artifacts":                func(f *File) any { return f.Artifacts },
	"cache.max_bytes":          func(f *File) any { return f.Results.MaxBytes },
	"cache.max_entries":        func(f *File) any { return f.Results.MaxEntries },
	"cache_stable":             func(f *File) any { return f.CacheStable },
	"catalog":                  func(f *File) any { return f.Catalog },
	"face":                     func(f *File) any { return cmp.Or(f.Face, Faces[0]) },
	"instructions":             func(f *File) any { return f.Instructions },
	"name":                     func(f *File) any { return f.Name },
	"pins":                     func(f *File) any { return f.Pins },
	"rate_limits.max_sessions": func(f *File) any { return cmp.Or(f.RateLimits, new(control.QuotaOptions)).Max },
	"redact":                   func(f *File) any { return patterns(f.Redact) },
	"sizelimit":                func(f *File) any { return f.SizeLimit },
	"tolerant_args":            func(f *File) any { return f.TolerantArgs },
	"top_k":                    func(f *File) any { return f.TopK },
	"version":                  func(f *File) any { return f.Version },
}

// patterns returns what tells rules apart.
func patterns(rules []redact.Rule) any {
	type text struct {
		name, hint, pattern string
		group               int
	}
	if rules == nil {
		rules = redact.DefaultRules()
	}
	var list []text
	for _, r := range rules {
		t := text{name: r.Name, hint: r.Hint, group: r.Group}
		if r.Pattern != nil {
			t.pattern = r.Pattern.String()
		}
		list = append(list, t)
	}
	return list
}

// Changes compares f with a later file by their values, however they were made. Functions cannot be compared:
//
//   - A VisibleTo that both files set is the same if its roles were read from both and are equal.
//   - Credentials, and the functions of controls, are the same if both files set them.
func (f *File) Changes(next *File) *Changes {
	c := new(Changes)
	for key, value := range fixed {
		if !reflect.DeepEqual(value(f), value(next)) {
			c.Fixed = append(c.Fixed, key)
		}
	}
	had := make(map[string]upstream.Server)
	for _, s := range f.Upstreams {
		had[s.Label] = s
	}
	for _, s := range next.Upstreams {
		switch old, ok := had[s.Label]; {
		case !ok:
			c.Added = append(c.Added, s)
		case !f.same(next, s.Label, old, s):
			c.Changed = append(c.Changed, s)
		}
		delete(had, s.Label)
	}
	for _, s := range f.Upstreams {
		if _, ok := had[s.Label]; ok {
			c.Removed = append(c.Removed, s.Label)
		}
	}
	followed := make(map[string]upstream.Discovery)
	for _, d := range f.Manifests {
		followed[d.URL] = d
	}
	for _, d := range next.Manifests {
		old, ok := followed[d.URL]
		switch {
		case !ok:
			c.Manifests = append(c.Manifests, d)
		case !f.sameManifest(next, old, d):
			c.Fixed = append(c.Fixed, "manifests")
		}
		delete(followed, d.URL)
	}
	if len(followed) > 0 {
		c.Fixed = append(c.Fixed, "manifests")
	}
	slices.Sort(c.Fixed)
	c.Fixed = slices.Compact(c.Fixed)
	return c
}

func (f *File) sameManifest(next *File, a, b upstream.Discovery) bool {
	if !f.same(next, a.URL, a.Server, b.Server) {
		return false
	}
	a.Server, b.Server = upstream.Server{}, upstream.Server{}
	return reflect.DeepEqual(a, b)
}

// same reports whether two servers are the same: those of an upstream with this label, or of a manifest with this URL.
func (f *File) same(next *File, of string, a, b upstream.Server) bool {
	if !sameVisibility(a.VisibleTo, b.VisibleTo, f.rolesOf(of), next.rolesOf(of)) || (a.Credentials == nil) != (b.Credentials == nil) {
		return false
	}
	a.VisibleTo, b.VisibleTo, a.Credentials, b.Credentials = nil, nil, nil, nil
	return reflect.DeepEqual(a, b)
}

// sameVisibility compares visibilities by the roles that were read for them; nil if none were.
func sameVisibility(a, b registry.Visibility, read, later []string) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return read != nil && slices.Equal(read, later)
}

// rolesOf returns the roles in visible_to of an entry; nil if there are none, or if f was not read.
func (f *File) rolesOf(of string) []string {
	if f.source == nil {
		return nil
	}
	r := f.source()
	return r.roles[r.entries[of]]
}
