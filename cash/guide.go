package cash

import (
	"cmp"
	"context"
	"embed"
	"io/fs"
	"slices"

	"github.com/cash-mcp/go-sdk/registry"
)

//go:embed guide/*.md
var guideFiles embed.FS

// newGuide returns a source with the skills of [Options.Guide] in its root: RFC Appendix A, one skill for each layer.
func newGuide() registry.Source {
	files, err := fs.Sub(guideFiles, "guide")
	if err != nil {
		panic("cash: " + err.Error()) // the path is valid
	}
	reg := registry.New(nil)
	reg.AddSkills(files)
	return reg
}

// guides returns the guide's skills that are served to the caller in ctx. Aggregators get none: they have their own.
func (s *Server) guides(ctx context.Context) []*registry.Skill {
	if s.guide == nil || len(registry.Via(ctx)) > 0 {
		return nil
	}
	l, err := s.guide.List(ctx, "")
	if err != nil { // only if ctx has ended
		return nil
	}
	return l.Skills
}

// guideSkill returns the guide's skill of a name; nil if there is none.
func (s *Server) guideSkill(ctx context.Context, name string) *registry.Skill {
	if len(s.guides(ctx)) == 0 {
		return nil
	}
	sk, err := s.guide.Skill(ctx, "", name)
	if err != nil {
		return nil
	}
	return sk
}

// withGuide returns the skills of the root together with those of the guide, by name.
func (s *Server) withGuide(ctx context.Context, own []*registry.Skill) []*registry.Skill {
	list := slices.Clone(own)
	for _, g := range s.guides(ctx) {
		if !slices.ContainsFunc(own, func(sk *registry.Skill) bool { return canonicalKey(sk.Name()) == canonicalKey(g.Name()) }) {
			list = append(list, g)
		}
	}
	slices.SortFunc(list, func(a, b *registry.Skill) int { return cmp.Compare(canonicalKey(a.Name()), canonicalKey(b.Name())) })
	return list
}

// guided is the server's source with the guide in its root.
type guided struct {
	registry.Source
	server *Server
}

// List implements [registry.Source].
func (g guided) List(ctx context.Context, path string) (*registry.Listing, error) {
	l, err := g.Source.List(ctx, path)
	if err != nil || l.Namespace != "" {
		return l, err
	}
	with := *l
	with.Skills = g.server.withGuide(ctx, l.Skills)
	with.HasSkills = l.HasSkills || len(with.Skills) > 0
	return &with, nil
}

// Skill implements [registry.Source].
func (g guided) Skill(ctx context.Context, path, name string) (*registry.Skill, error) {
	s, err := g.Source.Skill(ctx, path, name)
	if err != nil && path == "" {
		if guide := g.server.guideSkill(ctx, name); guide != nil {
			return guide, nil
		}
	}
	return s, err
}
