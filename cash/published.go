package cash

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// published returns the top-level namespaces for the manifest. A server without namespaces, with
// functions in the root, is published as one namespace. Descriptions become shorter if there are
// very many namespaces, because a namespace that is left out cannot be mounted.
func (s *Server) published(ctx context.Context) ([]manifest.Namespace, error) {
	l, err := s.source.List(ctx, "")
	if err != nil {
		return nil, err
	}
	if len(l.Namespaces) == 0 {
		label := cmp.Or(manifest.Label(s.opts.Name), "cash")
		return []manifest.Namespace{{Suggested: label, Description: "What " + label + " can do."}}, nil
	}
	var list []manifest.Namespace
	for _, most := range []int{maxLine, maxLine / 4, maxLine / 10} {
		list = namespacesOf(l, most)
		if len(list) == len(l.Namespaces) {
			break
		}
	}
	return list, nil
}

// namespacesOf returns the namespaces of a listing that fit into a manifest. Descriptions have at
// most the given number of characters.
func namespacesOf(l *registry.Listing, most int) []manifest.Namespace {
	room := room{maxNamespaces, manifest.MaxEntries}
	var list []manifest.Namespace
	for _, c := range l.Namespaces {
		description := clean.Cut(oneLine(c.About()), most)
		if !room.take(c.Name, description) {
			break
		}
		list = append(list, manifest.Namespace{Suggested: c.Name, Description: description})
	}
	return list
}

// publishedSkills returns the skills that fit into a manifest, under their given names, with
// hyphens. A name that is taken stands after its namespace: crm.refund.
func (s *Server) publishedSkills(ctx context.Context) ([]manifest.Skill, error) {
	room := room{maxSkills, manifest.MaxEntries}
	var list []manifest.Skill
	taken := make(map[string]bool)
	err := s.walkSkills(ctx, "", func(l *registry.Listing) error {
		for _, sk := range l.Skills {
			name, description := sk.Given(), oneLine(sk.About())
			if taken[name] {
				name = sk.Namespace() + "." + name
			}
			taken[name] = true
			if !room.take(name, description) {
				return errNoRoom
			}
			list = append(list, manifest.Skill{Name: name, Description: description})
		}
		return nil
	})
	if errors.Is(err, registry.UnknownNamespace) || errors.Is(err, errNoRoom) { // nothing is visible, or it is full
		err = nil
	}
	return list, err
}

var errNoRoom = errors.New("the manifest is full")

// The bytes of a manifest for namespaces and skills. An eighth of it remains for the other fields,
// each of which has a bound.
const (
	maxNamespaces = manifest.MaxSize / 8 * 5
	maxSkills     = manifest.MaxSize / 8 * 2
)

// A room is the remaining space for a list of the manifest.
type room struct{ bytes, entries int }

// take reports whether an entry fits, as YAML and as JSON, and takes its space.
func (r *room) take(name, description string) bool {
	const around = 40 // keys, quotes, indentation
	text := name + description
	r.bytes -= around + len(text) + strings.Count(text, `"`) + strings.Count(text, `\`)
	r.entries--
	return r.bytes >= 0 && r.entries >= 0
}

// An edition finds the date of a server's manifest.
type edition struct {
	mu   sync.Mutex
	sum  [sha256.Size]byte
	date string
}

// of returns the day on which the lists of m were first seen in their present form. The first lists
// count from the server's start.
func (e *edition) of(m *manifest.Manifest, started time.Time) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", m.Namespaces, m.Skills))
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.date == "":
		e.date = started.UTC().Format(time.DateOnly)
	case e.sum != sum:
		e.date = time.Now().UTC().Format(time.DateOnly)
	}
	e.sum = sum
	return e.date
}
