package config

import (
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// Unmatched returns what the file names and nothing is: rules of the policy, tools with limits, tools to cache, to
// repeat, to include or to exclude. The registries are those that are served, status that of the aggregator. Call it
// when the servers have been read. There are at most 20 problems.
func (f *File) Unmatched(status []upstream.Status, registries ...*registry.Registry) []*Error {
	if f.source == nil {
		return nil
	}
	r := f.source()
	r = &reader{file: r.file, places: r.places, entries: r.entries, named: r.named}
	if f.Policy != nil {
		for _, found := range (&control.Controls{Policy: control.NewPolicy(f.Policy)}).Lint(registries...) {
			var n int
			if _, err := fmt.Sscanf(found.Subject, "policy rule %d", &n); err == nil && found.Rule == "unmatched-rule" {
				r.unmatched(fmt.Sprintf("policy.rules[%d]", n), found.Message)
			}
		}
	}
	if len(r.absent(r.named, registries)) > 0 {
		for _, s := range r.named {
			for range r.absent([]scalar{s}, registries) {
				r.fail(s.node, s.field, "there is no such function: look it up with help, tool_browse or cash doctor")
			}
		}
	}
	for _, st := range status {
		for _, label := range st.Labels {
			for _, entry := range st.Unmatched {
				r.unselected(r.entries[label], entry)
			}
		}
	}
	_ = r.err() // sorts
	return r.problems[:min(len(r.problems), maxTold)]
}

// absent returns a finding for each of the names that no function has.
func (r *reader) absent(names []scalar, registries []*registry.Registry) []registry.Finding {
	if len(names) == 0 {
		return nil
	}
	return (&control.Controls{Cache: control.NewCache(&control.CacheOptions{Allow: textsOf(names)})}).Lint(registries...)
}

func (r *reader) unmatched(field, reason string) {
	n := r.places[field]
	if n == nil {
		n = new(yaml.Node)
	}
	r.fail(n, field, "%s", reason)
}

// unselected notes an entry of include_tools or exclude_tools of an upstream.
func (r *reader) unselected(field, entry string) {
	for _, key := range []string{"include_tools", "exclude_tools"} {
		for i := 0; ; i++ {
			at := element(field+"."+key, i)
			n := r.places[at]
			if n == nil {
				break
			}
			if n.Value == entry {
				r.unmatched(at, "the server has no such tool")
			}
		}
	}
}
