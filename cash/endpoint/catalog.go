package endpoint

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/registry"
)

// Catalog returns local with the current tools of remotes added to its root. An [Endpoint] lists them last. A
// remote that fails is left out, with a warning in its client's log. A nil client is left out silently.
//
// Names are unique:
//   - Equal names of different remotes are numbered, in the order of remotes.
//   - A function in local's root that the caller sees has precedence over a remote tool of the same name. The
//     caller then finds the tool under a name that ends in _remote, unless local has that name too.
func Catalog(ctx context.Context, local registry.Source, remotes ...*Client) registry.Source {
	lists := make([][]Descriptor, len(remotes))
	var tasks sync.WaitGroup
	for i, c := range remotes {
		if c == nil {
			continue
		}
		tasks.Go(func() {
			var err error
			if lists[i], err = c.List(ctx); err != nil {
				c.opts.Logger.WarnContext(ctx, "the tools of an endpoint could not be listed", "endpoint", c.opts.Name, "error", err)
			}
		})
	}
	tasks.Wait()
	m := &merged{Source: local, remote: registry.New(nil), other: registry.New(nil), aliases: make(map[string]string)}
	given := new(label.Set)
	tools := make([][]named, len(remotes))
	for i, list := range lists {
		tools[i] = takeLabels(given, list)
	}
	for i, list := range tools { // given names come before invented ones
		m.add(ctx, remotes[i], list, given)
	}
	return m
}

// merged is a source with additional functions in its root.
type merged struct {
	registry.Source
	remote  *registry.Registry // by their own names
	other   *registry.Registry // by their alternative names, for callers who see a local function of the same name
	aliases map[string]string  // own name by alternative name, canonical
}

// add adds the tools of a remote.
func (m *merged) add(ctx context.Context, c *Client, tools []named, given *label.Set) {
	var r Report
	for _, t := range tools {
		other := given.Take(label.From(t.label+"_remote", "tool"))
		m.remote.Namespace("", "").Add(c.function(t.Descriptor, t.label, &r))
		m.other.Namespace("", "").Add(c.function(t.Descriptor, other, new(Report)))
		m.aliases[canonical(other)] = canonical(t.label)
	}
	if n := len(r.Findings); n > 0 {
		c.opts.Logger.WarnContext(ctx, "tools are not as their endpoint has them", "endpoint", c.opts.Name, "number", n, "first", r.Findings[0].String())
	}
}

// List implements [registry.Source].
func (m *merged) List(ctx context.Context, path string) (*registry.Listing, error) {
	l, err := m.Source.List(ctx, path)
	if path != "" || err != nil || l == nil {
		return l, err
	}
	taken := make(map[string]bool, len(l.Functions))
	for _, f := range l.Functions {
		if f != nil {
			taken[canonical(f.Name())] = true
		}
	}
	all := *l
	all.Functions = slices.Clone(l.Functions)
	for _, reg := range []*registry.Registry{m.remote, m.other} {
		for f := range reg.All() {
			key := canonical(f.Name())
			name, isOther := m.aliases[key]
			if taken[key] || isOther && !taken[name] {
				continue
			}
			all.Functions = append(all.Functions, f)
		}
	}
	slices.SortStableFunc(all.Functions, func(a, b *registry.Function) int {
		return strings.Compare(nameOf(a), nameOf(b))
	})
	all.HasFunctions = all.HasFunctions || len(all.Functions) > 0
	return &all, nil
}

func nameOf(f *registry.Function) string {
	if f == nil {
		return ""
	}
	return canonical(f.Name())
}

// Function implements [registry.Source].
func (m *merged) Function(ctx context.Context, path, name string) (*registry.Function, error) {
	f, err := m.Source.Function(ctx, path, name)
	if path != "" || err == nil {
		return f, err
	}
	if base, ok := m.aliases[canonical(name)]; ok {
		if _, e := m.Source.Function(ctx, "", base); e == nil {
			return m.other.Function(ctx, "", name)
		}
		return nil, err
	}
	if f, e := m.remote.Function(ctx, "", name); e == nil {
		return f, nil
	}
	return nil, err
}
