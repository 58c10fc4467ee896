package cash

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// maxSkillLines is the most lines in a list of skills, unless the request has a limit (X2).
const maxSkillLines = 100

func (s *Server) skill(ctx context.Context, req *SkillRequest) (string, error) {
	if req.Name == "" {
		return s.skills(ctx, req)
	}
	sk, err := s.source.Skill(ctx, req.Namespace, req.Name)
	if err != nil {
		if errors.Is(err, registry.InvalidName) {
			e := *registry.AsError(err)
			e.Hint = "Use `skill()` to see available skills."
			return "", &e
		}
		if req.Namespace != "" || !errors.Is(err, registry.UnknownSkill) {
			return "", err
		}
		if sk = s.guideSkill(ctx, req.Name); sk == nil {
			if sk, err = s.findSkill(ctx, req.Name, err); err != nil {
				return "", err
			}
		}
	}
	text, err := sk.Render(ctx, orNone(req.Kwargs))
	if err != nil {
		return "", err
	}
	return outdated(sk.Changed(ctx, s.source)) + text, nil
}

// maxOutdated bounds the functions that a skill's text names as changed.
const maxOutdated = 5

// outdated words which functions have changed since a skill was written; empty if there are none.
func outdated(changed []*registry.Function) string {
	if len(changed) == 0 {
		return ""
	}
	var pages []string
	for _, f := range changed[:min(len(changed), maxOutdated)] {
		pages = append(pages, "`"+helpCall(f.Namespace(), f.Name())+"`")
	}
	if more := len(changed) - len(pages); more > 0 {
		pages = append(pages, counted(more, "further function"))
	}
	return "> These functions have changed since the text below was written. Read them first: " + strings.Join(pages, ", ") + ".\n\n"
}

// findSkill finds a skill that was named without its namespace, as skills refer to each other
// (X12). The name must be unique.
func (s *Server) findSkill(ctx context.Context, name string, missing error) (*registry.Skill, error) {
	var found []*registry.Skill
	err := s.walkSkills(ctx, "", func(l *registry.Listing) error {
		if len(l.Skills) == 0 || l.Namespace == "" {
			return nil
		}
		sk, err := s.source.Skill(ctx, l.Namespace, name)
		if err == nil {
			found = append(found, sk)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, missing
	case len(found) == 1:
		return found[0], nil
	}
	var names []string
	for _, sk := range found {
		names = append(names, "`"+skillCall(sk.Namespace(), sk.Name())+"`")
		if len(names) == 5 {
			break
		}
	}
	return nil, &registry.Error{
		Kind: registry.UnknownSkill, Name: name,
		Message: fmt.Sprintf("%d skills have the name `%s`.", len(found), found[0].Name()),
		Hint:    "Use " + strings.Join(names, " or ") + ".",
	}
}

// walkSkills visits the namespaces at and below path in which the caller sees skills.
func (s *Server) walkSkills(ctx context.Context, path string, visit func(*registry.Listing) error) error {
	return registry.Walk(ctx, s.source, path, func(l *registry.Listing) error {
		if !l.HasSkills {
			return registry.ErrSkipNamespace
		}
		return visit(l)
	})
}

// skills returns the list of skills in a namespace, and the namespaces below it with more. The keyword arguments may
// be offset and limit.
func (s *Server) skills(ctx context.Context, req *SkillRequest) (string, error) {
	l, err := s.source.List(ctx, req.Namespace)
	switch {
	case errors.Is(err, registry.UnknownNamespace):
		return "", noSkills(req.Namespace)
	case err != nil:
		return "", err
	case !l.HasSkills && l.Unavailable != nil:
		return "", l.Unavailable
	}
	var own, below []entry
	skills := l.Skills
	if l.Namespace == "" {
		skills = s.withGuide(ctx, skills)
	}
	for _, sk := range skills {
		own = append(own, entry{Name: sk.Name(), Description: oneLine(sk.About())})
	}
	err = s.walkSkills(ctx, req.Namespace, func(b *registry.Listing) error {
		if n := len(b.Skills); b.Namespace != l.Namespace && n > 0 {
			below = append(below, entry{Name: b.Namespace, Description: counted(n, "skill") + "."})
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return s.skillPage(l.Namespace, own, below, readHelpOptions(req.Kwargs).window), nil
}

// noSkills is the error for an unknown namespace.
func noSkills(path string) error {
	e := registry.NoNamespace(path)
	e.Kind = registry.UnknownSkill
	e.Message = strings.TrimSuffix(e.Message, ".") + " with skills."
	return e
}

// skillPage writes a list of skills: those of the namespace at path, then the namespaces below it that have some.
func (s *Server) skillPage(path string, own, below []entry, w window) string {
	title := "# Skills"
	if path != "" {
		title += " in " + path
	}
	all := len(own) + len(below)
	if all == 0 {
		return title + "\n\nNone. " + elsewhere(path)
	}
	end := ""
	if len(own) > 0 {
		end = "\nRead one with `" + skillCall(path, "...") + "`.\n"
	}
	if len(below) > 0 {
		end += "\nList a namespace with `skill(namespace=\"...\")`.\n"
	}
	from := min(w.offset, all)
	to := from + min(w.most(), all-from)
	if w.limit == 0 {
		to = min(to, from+maxSkillLines)
	}
	p := s.newListPage(path, end)
	p.write(title + "\n")
	skills := own[min(from, len(own)):min(to, len(own))]
	namespaces := below[max(from-len(own), 0):max(to-len(own), 0)]
	const ofNamespaces = "\n## Namespaces with skills\n\n"
	p.room -= len(ofNamespaces)
	p.reserve(all, skills, namespaces)
	if p.section("\n", skills, false) == len(skills) {
		p.section(ofNamespaces, namespaces, false)
	}
	what := counted(len(own), "skill") + " here, " + counted(len(below), "namespace") + " with skills"
	if shown := p.shown(w, all, what); shown != "" {
		p.b.WriteString("\n" + shown)
		if next := from + p.listed; next < all && p.listed > 0 {
			p.b.WriteString(" Go on with `" + withArgument(skillList(path), w.next(next)) + "`.")
		}
		p.b.WriteString("\n")
	}
	return strings.TrimSuffix(p.b.String()+end, "\n")
}

// elsewhere is the advice on a list without entries.
func elsewhere(path string) string {
	if path == "" {
		return "Use `help()` to see what there is."
	}
	return "Use `skill()` to see where there are skills, or `" + helpCall(path, "") + "` to see the functions here."
}

// skillList returns an invocation of skill that lists the skills in a namespace.
func skillList(path string) string {
	if path == "" {
		return "skill()"
	}
	return fmt.Sprintf("skill(namespace=%q)", path)
}

// skillCall returns an invocation of skill.
func skillCall(namespace, name string) string {
	if namespace == "" {
		return fmt.Sprintf("skill(skillname=%q)", name)
	}
	return fmt.Sprintf("skill(namespace=%q, skillname=%q)", namespace, name)
}
