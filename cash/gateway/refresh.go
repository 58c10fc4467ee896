package gateway

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// A Report counts the functions of a server and lists those with problems.
type Report struct {
	Tools, Resources, Prompts int       // the ones that are offered
	Findings                  []Finding // at most 1,000
	More                      int       // the number of further findings
}

// A Finding is a problem with one function.
type Finding struct {
	// Code is HydrateFailed: the function is not offered. SchemaInvalid: it is offered, and its
	// calls are refused, unless it is a Warning. PathNotFound: no path leads to this namespace. Empty: it is offered with
	// another id than its server's name for it gives ([registry.Function.Contested]).
	Code    Code
	Warning bool   // the schema is unusual, such as over a limit, and calls are not refused for it
	ID      string // clean; the path of a namespace
	Problem string // a clean line
}

// String returns the finding on one line.
func (f Finding) String() string {
	switch {
	case f.Code == "":
		return fmt.Sprintf("%s: %s", f.ID, f.Problem)
	case f.Warning:
		return fmt.Sprintf("%s: warning: %s", f.ID, f.Problem)
	}
	return fmt.Sprintf("%s: %s: %s", f.ID, f.Code, f.Problem)
}

// maxFindings is the most findings in a report.
const maxFindings = 1000

func (r *Report) add(code Code, id string, problem error) {
	r.append(Finding{Code: code, ID: id, Problem: problem.Error()})
}

func (r *Report) warn(id, problem string) {
	r.append(Finding{Code: SchemaInvalid, Warning: true, ID: id, Problem: problem})
}

func (r *Report) append(f Finding) {
	if len(r.Findings) >= maxFindings {
		r.More++
		return
	}
	f.ID, f.Problem = clean.Line(f.ID, 260), clean.Line(f.Problem, maxMessage)
	r.Findings = append(r.Findings, f)
}

// Refresh prepares everything derived from the sources: ids, cards, indexes. It drops cached
// results and kept cards (section 4.6). It is optional: a server sees changes without it. Use it to
// learn of problems early and to make the first request as quick as later ones.
//
// It checks all functions of a [registry.Registry], hidden ones included. Of another source it
// checks those that the caller in ctx sees.
func (s *Server) Refresh(ctx context.Context) (*Report, error) {
	if err := s.opts.Serve.Controls.Cache.Flush(ctx); err != nil {
		return nil, fmt.Errorf("dropping the results that are cached: %w", err)
	}
	if s.stable != nil {
		s.stable.reset()
	}
	r := new(Report)
	for _, c := range s.catalogs() {
		n, err := s.refresh(ctx, c, r)
		if err != nil {
			return nil, err
		}
		switch c {
		case s.tools:
			r.Tools = n
		case s.resources:
			r.Resources = n
		case s.prompts:
			r.Prompts = n
		}
	}
	return r, nil
}

// refresh checks the functions of one catalog and returns the number of those offered.
func (s *Server) refresh(ctx context.Context, c *catalog, r *Report) (offered int, err error) {
	taken := make(map[string]string) // path by id
	seen := make(map[string]bool)    // namespaces
	for f, err := range c.all(ctx) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return 0, err
		}
		if ns := f.Namespace(); !seen[ns] {
			seen[ns] = true
			r.addHidden(s.opts.Counter, ns)
		}
		id := f.Primitive().String()
		_, problem := s.cards.of(f)
		if other, dup := taken[id]; dup && problem == nil {
			problem = fmt.Errorf("%s and %s have the same id: who sees both can call neither", f.Path(), other)
		}
		taken[id] = f.Path()
		if problem != nil {
			r.add(HydrateFailed, id, problem)
			continue
		}
		if was, ok := f.Contested(); ok {
			r.add("", id, fmt.Errorf("another function has a right to the id %s of %s too", was, f.Path()))
		}
		offered++
		if p := f.Problem(); p != nil {
			r.add(SchemaInvalid, id, p)
		}
		for _, w := range f.Warnings() {
			r.warn(id, "the input schema "+w)
		}
	}
	if r, ok := c.raw.(interface{ Index() }); ok {
		r.Index() // a search of many functions does not wait for it
	}
	registry.Search(ctx, c.source, "", "a", 1) // makes the index of another source
	return offered, nil
}

// addHidden reports a namespace whose path is too long for a card.
func (r *Report) addHidden(counter card.Counter, namespace string) {
	canonical, _ := registry.CanonicalPath(namespace)
	path := "/" + strings.ReplaceAll(canonical, ".", "/")
	if _, err := card.NewBy(counter, card.Facts{ID: path, Kind: card.Internal}); err != nil {
		r.add(PathNotFound, path, fmt.Errorf("only a query leads to what is there: %w", err))
	}
}

// all returns the functions of the catalog.
func (c *catalog) all(ctx context.Context) iter.Seq2[*registry.Function, error] {
	return func(yield func(*registry.Function, error) bool) {
		if r, ok := c.raw.(interface {
			All() iter.Seq[*registry.Function]
		}); ok {
			for f := range r.All() {
				if !yield(f, nil) {
					return
				}
			}
			return
		}
		var list []*registry.Function
		err := registry.Walk(ctx, c.source, "", func(l *registry.Listing) error {
			list = append(list, l.Functions...)
			return nil
		})
		for _, f := range list {
			if !yield(f, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// String returns the report for an operator, one finding per line.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d tools, %d resources, %d prompts\n", r.Tools, r.Resources, r.Prompts)
	for _, f := range r.Findings {
		fmt.Fprintln(&b, f)
	}
	if r.More > 0 {
		fmt.Fprintf(&b, "and %d more\n", r.More)
	}
	return b.String()
}
