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

// published returns what is at the top level, or if there are no namespaces the
// server as one: its functions are in the root. Of very many the descriptions are
// shorter: a namespace that is left out cannot be mounted.
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

// namespacesOf returns as many of the namespaces of a listing as a manifest can
// hold, with descriptions of at most so many characters.
func namespacesOf(l *registry.Listing, most int) []manifest.Namespace {
	room := room{maxNamespaces, manifest.MaxEntries}
	var list []manifest.Namespace
	for _, c := range l.Namespaces {
		description := clean.Cut(cmp.Or(oneLine(c.Description), "What "+c.Name+" can do."), most)
		if !room.take(c.Name, description) {
			break
		}
		list = append(list, manifest.Namespace{Suggested: c.Name, Description: description})
	}
	return list
}

// publishedSkills returns the skills, as many as a manifest can hold, under the
// names that they were given, with hyphens where they are Agent Skills.
func (s *Server) publishedSkills(ctx context.Context) ([]manifest.Skill, error) {
	room := room{maxSkills, manifest.MaxEntries}
	var list []manifest.Skill
	err := s.walkSkills(ctx, "", func(l *registry.Listing) error {
		for _, sk := range l.Skills {
			name, description := sk.Given(), cmp.Or(oneLine(sk.Description()), "How to "+sk.Name()+".")
			if !room.take(name, description) {
				return errNoRoom
			}
			list = append(list, manifest.Skill{Name: name, Description: description})
		}
		return nil
	})
	if errors.Is(err, registry.UnknownNamespace) || errors.Is(err, errNoRoom) { // nobody sees anything, or enough
		err = nil
	}
	return list, err
}

var errNoRoom = errors.New("the manifest is full")

// What namespaces and skills take up of a manifest, in bytes. An eighth of it is
// left to the other fields, which are bounded one by one.
const (
	maxNamespaces = manifest.MaxSize / 8 * 5
	maxSkills     = manifest.MaxSize / 8 * 2
)

// A room is what is left for the entries of a list.
type room struct{ bytes, entries int }

// take reports whether an entry fits, as YAML and as JSON.
func (r *room) take(name, description string) bool {
	const around = 40 // keys, quotes, indentation
	text := name + description
	r.bytes -= around + len(text) + strings.Count(text, `"`) + strings.Count(text, `\`)
	r.entries--
	return r.bytes >= 0 && r.entries >= 0
}

// An edition is the date of what a server publishes of itself.
type edition struct {
	mu   sync.Mutex
	sum  [sha256.Size]byte
	date string
}

// of returns the day on which the lists of m were first seen as they are: those
// that are seen first have been so since the server started.
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
