package registry

import (
	"context"
	"errors"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
)

// skill checks the references in a skill's text, as one of its readers sees them.
func (l *linter) skill(reader context.Context, s *Skill) {
	subject := "skill " + join(s.namespace, s.name)
	for _, r := range skillmd.References(s.text) {
		if r.Dynamic {
			continue
		}
		switch r.Tool {
		case "call":
			l.function(reader, subject, r, true)
		case "help":
			if r.Name != "" {
				l.function(reader, subject, r, false)
			} else if r.Namespace != "" {
				l.listed(reader, subject, r)
			}
		case "skill":
			l.skillNamed(reader, subject, r)
		}
	}
}

// function checks a reference to a function.
func (l *linter) function(reader context.Context, subject string, r skillmd.Reference, call bool) {
	named := "function " + join(r.Namespace, r.Name)
	f, err := l.src.Function(l.all, r.Namespace, r.Name)
	if err != nil {
		l.report("unknown-reference", subject, "names the %s, which does not exist", named)
		return
	}
	if _, err := l.src.Function(reader, r.Namespace, r.Name); err != nil {
		l.report("hidden-reference", subject, "names the %s, which some of its readers may not see", named)
	}
	if !call || f.Open() {
		return
	}
	for _, key := range r.Kwargs {
		if _, ok := f.Param(key); !ok {
			l.report("unknown-reference", subject, "names the parameter %s, which the %s does not have", key, named)
		}
	}
}

// listed checks a reference to the list of a namespace.
func (l *linter) listed(reader context.Context, subject string, r skillmd.Reference) {
	if ns, err := l.src.List(l.all, r.Namespace); err != nil || !ns.HasFunctions {
		l.report("unknown-reference", subject, "names the namespace %s, which does not exist", r.Namespace)
		return
	}
	if ns, err := l.src.List(reader, r.Namespace); err != nil || !ns.HasFunctions {
		l.report("hidden-reference", subject, "names the namespace %s, which some of its readers may not see", r.Namespace)
	}
}

// skillNamed checks a reference to a skill.
func (l *linter) skillNamed(reader context.Context, subject string, r skillmd.Reference) {
	if r.Name == "" {
		return // the reference names a list of skills
	}
	named := join(r.Namespace, r.Name)
	if !l.hasSkill(l.all, r) {
		l.report("unknown-reference", subject, "names the skill %s, which does not exist", named)
		return
	}
	if !l.hasSkill(reader, r) {
		l.report("hidden-reference", subject, "names the skill %s, which some of its readers may not see", named)
	}
}

var errFound = errors.New("found")

// hasSkill reports whether the skill of a reference exists. A reference without a namespace matches
// a skill in any namespace.
func (l *linter) hasSkill(ctx context.Context, r skillmd.Reference) bool {
	if _, err := l.src.Skill(ctx, r.Namespace, r.Name); err == nil {
		return true
	}
	if r.Namespace != "" {
		return false
	}
	key, _ := Canonical(strings.ReplaceAll(r.Name, "-", ""))
	err := Walk(ctx, l.src, "", func(ns *Listing) error {
		for _, s := range ns.Skills {
			if c, _ := Canonical(s.name); c == key {
				return errFound
			}
		}
		return nil
	})
	return errors.Is(err, errFound)
}
