package registry

import (
	"cmp"
	"context"
	"errors"
	"regexp"
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
	for _, m := range scriptMention.FindAllStringSubmatch(s.text, -1) {
		l.report("unserved-script", subject, "mentions %s: scripts are never served; tell the steps as calls, or in words", cmp.Or(m[1], m[2], "the folder of the skill"))
	}
	l.recorded(subject, s)
}

// scriptMention matches mentions of a script in the folder of a skill: a path in the folder scripts, a
// link, and the variables for the folder.
var scriptMention = regexp.MustCompile("(?m)(?:^|[\\s\"'`(<])(?:\\./)?(scripts/[\\w./-]*\\w)|\\]\\(([\\w./-]+\\.(?:py|sh|bash|js|mjs|cjs|ts|rb|pl|ps1|bat|cmd))\\)|" +
	`\$\{?CLAUDE_(?:SKILL_DIR|PLUGIN_ROOT)\b`)

// recorded checks the definitions that a skill records.
func (l *linter) recorded(subject string, s *Skill) {
	records, wrong := s.records()
	for _, w := range wrong {
		l.report("changed-reference", subject, "records %.80q under %s, which is not function=definition", w, RecordKey)
	}
	for _, r := range records {
		f, err := r.find(l.all, l.src)
		switch {
		case err != nil:
			l.report("unknown-reference", subject, "records the function %s, which does not exist", r.path)
		case !strings.HasPrefix(f.Definition(), r.definition):
			l.report("changed-reference", subject, "records another definition of the function %s than %s: read the text again, then record that",
				f.Path(), f.Definition()[:16])
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
