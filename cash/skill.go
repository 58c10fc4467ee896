package cash

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// maxSkillLines is the most lines in a list of skills (X2).
const maxSkillLines = 100

func (s *Server) skill(ctx context.Context, req *SkillRequest) (string, error) {
	if req.Name == "" {
		return s.skills(ctx, req.Namespace)
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
		if sk, err = s.findSkill(ctx, req.Name, err); err != nil {
			return "", err
		}
	}
	return sk.Render(ctx, orNone(req.Kwargs))
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

// skills returns the list of skills in a namespace, and the namespaces below it with more.
func (s *Server) skills(ctx context.Context, path string) (string, error) {
	l, err := s.source.List(ctx, path)
	switch {
	case errors.Is(err, registry.UnknownNamespace), err == nil && path != "" && !l.HasSkills:
		return "", noSkills(path)
	case err != nil:
		return "", err
	}
	p := &skillPage{path: l.Namespace, skills: len(l.Skills) > 0}
	p.heading(l.Namespace)
	for _, sk := range l.Skills {
		p.line("- **" + sk.Name() + "**" + dash(oneLine(sk.Description())))
	}
	err = s.walkSkills(ctx, path, func(below *registry.Listing) error {
		if below.Namespace != l.Namespace && len(below.Skills) > 0 {
			p.namespace(below)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return p.text(), nil
}

// noSkills is the error for a namespace without skills. It is the same for an unknown namespace.
func noSkills(path string) error {
	e := registry.NoNamespace(path)
	e.Kind = registry.UnknownSkill
	e.Message = strings.TrimSuffix(e.Message, ".") + " with skills."
	return e
}

func dash(text string) string {
	if text == "" {
		return ""
	}
	return " — " + text
}

// skillPage writes a list of skills with at most maxSkillLines lines.
type skillPage struct {
	b          strings.Builder
	path       string // of the listed namespace
	skills     bool   // the namespace has skills
	lines      int
	left       int // lines that did not fit
	namespaces bool
}

func (p *skillPage) heading(namespace string) {
	if namespace == "" {
		p.b.WriteString("# Skills\n\n")
		return
	}
	p.b.WriteString("# Skills in " + namespace + "\n\n")
}

func (p *skillPage) line(text string) {
	if p.lines == maxSkillLines {
		p.left++
		return
	}
	p.lines++
	p.b.WriteString(text + "\n")
}

func (p *skillPage) namespace(l *registry.Listing) {
	if !p.namespaces {
		p.namespaces = true
		if p.lines > 0 {
			p.b.WriteString("\n")
		}
		p.b.WriteString("## Namespaces with skills\n\n")
	}
	plural := "s"
	if len(l.Skills) == 1 {
		plural = ""
	}
	p.line(fmt.Sprintf("- **%s** — %d skill%s.", l.Namespace, len(l.Skills), plural))
}

func (p *skillPage) text() string {
	switch {
	case p.lines == 0:
		p.b.WriteString("None.\n")
	case p.left > 0:
		fmt.Fprintf(&p.b, "\n%d more lines are not shown: list a namespace.\n", p.left)
	}
	if p.skills {
		p.b.WriteString("\nRead one with `" + skillCall(p.path, "...") + "`.\n")
	}
	if p.namespaces {
		p.b.WriteString("\nList a namespace with `skill(namespace=\"...\")`.\n")
	}
	return strings.TrimSuffix(p.b.String(), "\n")
}

// skillCall returns an invocation of skill.
func skillCall(namespace, name string) string {
	if namespace == "" {
		return fmt.Sprintf("skill(skillname=%q)", name)
	}
	return fmt.Sprintf("skill(namespace=%q, skillname=%q)", namespace, name)
}
