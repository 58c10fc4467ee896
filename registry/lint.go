package registry

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Finding is a legal fact of a registry that makes it harder to use for a model.
type Finding struct {
	Rule    string // the rule's name, one of the list at [Lint]
	Subject string // the entry concerned: "function orders.create"
	Message string
}

// String returns the finding on one line.
func (f Finding) String() string { return f.Subject + ": " + f.Message + " (" + f.Rule + ")" }

// Lint reports legal facts that make a registry harder to use for a model:
//
//	empty-description    a namespace, function, parameter or skill without a description
//	long-description     more than a line of 120 characters
//	same-description     siblings with the same description
//	deep-tree            more than three levels of namespaces (RFC 5.2)
//	wide-namespace       more than 50 functions in one: its page of help is long
//	unknown-reference    a skill names a namespace, function, skill or parameter that does not exist
//	hidden-reference     a skill names one that some of its readers may not see
//	changed-reference    a skill records another definition of a function ([RecordKey])
//	unserved-script      a skill mentions a script in its folder: scripts are never served
//	phantom-namespace    skills whose folder names no registered namespace: no rule hides them
//	numbers-for-names    an argument takes numbers whose type has names
//	missing-vector       functions that an [Embedder] has made no vector of
//
// The Lint of serve.Options adds what the settings of a server say of functions that are not there.
// Skills are checked for each of the callers and for an anonymous one. The findings are sorted. The
// error is that of a source that cannot be listed.
func Lint(ctx context.Context, src Source, callers ...*Caller) ([]Finding, error) {
	l := &linter{src: src, all: context.WithValue(ctx, everythingKey{}, true), seen: make(map[Finding]bool)}
	var skills []*Skill
	err := Walk(l.all, src, "", func(ns *Listing) error {
		l.namespace(ns)
		skills = append(skills, ns.Skills...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, c := range append([]*Caller{nil}, callers...) {
		reader := WithCaller(ctx, c)
		for _, s := range skills {
			if _, err := src.Skill(reader, s.namespace, s.name); err == nil {
				l.skill(reader, s)
			}
		}
	}
	if r, ok := src.(*Registry); ok {
		l.vectors(r)
	}
	slices.SortFunc(l.found, func(a, b Finding) int {
		return strings.Compare(a.Subject+a.Rule+a.Message, b.Subject+b.Rule+b.Message)
	})
	return l.found, nil
}

// maxLineLength is the most characters of one line in a list.
const maxLineLength = 120

// maxFunctions is the most functions that a page of help should list.
const maxFunctions = 50

// maxLevels is the most levels that a tree should have.
const maxLevels = 3

// linter collects the findings of [Lint].
type linter struct {
	src   Source
	all   context.Context // sees everything
	found []Finding
	seen  map[Finding]bool
}

func (l *linter) report(rule, subject, format string, args ...any) {
	f := Finding{rule, subject, fmt.Sprintf(format, args...)}
	if !l.seen[f] {
		l.seen[f] = true
		l.found = append(l.found, f)
	}
}

func (l *linter) vectors(r *Registry) {
	if r.embedder == nil {
		return
	}
	_, f := r.searchable()
	if n := len(unembedded(f.catalog.functions)); n > 0 {
		l.report("missing-vector", "registry", "%d of %d functions have no vector: searches find them by words alone; call Embed, whose error says why",
			n, len(f.catalog.functions))
	}
}

func (l *linter) namespace(ns *Listing) {
	if ns.Namespace != "" && len(ns.Skills) > 0 && !ns.HasFunctions && ns.Description == "" {
		l.report("phantom-namespace", "namespace "+ns.Namespace,
			"has skills, but no functions and no description: it is visible to whom its parents are; correct the name of the folder, or register the namespace with a description")
	}
	if n := strings.Count(ns.Namespace, ".") + 1; n > maxLevels {
		l.report("deep-tree", "namespace "+ns.Namespace, "%d levels deep; models lose their way below %d", n, maxLevels)
	}
	if n := len(ns.Functions); n > maxFunctions {
		l.report("wide-namespace", "namespace "+ns.Namespace, "%d functions in one; group them in sub-namespaces of at most %d", n, maxFunctions)
	}
	said := make(siblings)
	for _, c := range ns.Namespaces {
		if c.HasFunctions { // help does not list the others
			l.described(said, "namespace "+c.Path, c.Description)
		}
	}
	said = make(siblings)
	for _, f := range ns.Functions {
		l.described(said, "function "+f.Path(), f.description)
		if f.out != nil { // made by Func
			for _, note := range f.input.Notes() {
				l.report("numbers-for-names", "function "+f.Path(), "%s", note)
			}
		}
		for _, p := range f.Params() {
			if strings.TrimSpace(p.Description) == "" {
				l.report("empty-description", "function "+f.Path(), "the parameter %s has no description", p.Name)
			}
		}
	}
	said = make(siblings)
	for _, s := range ns.Skills {
		l.described(said, "skill "+join(s.namespace, s.name), s.description)
	}
}

// siblings maps each description to the first sibling that has it.
type siblings map[string]string

// described checks the description of one of several siblings.
func (l *linter) described(said siblings, subject, text string) {
	text = strings.TrimSpace(text)
	switch n := utf8.RuneCountInString(text); {
	case text == "":
		l.report("empty-description", subject, "no description")
		return
	case strings.ContainsAny(text, "\n\r"):
		l.report("long-description", subject, "the description has several lines; lists show the first")
	case n > maxLineLength:
		l.report("long-description", subject, "the description has %d characters; keep it to %d", n, maxLineLength)
	}
	key := strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), " ")
	if other, dup := said[key]; dup {
		l.report("same-description", subject, "says the same as %s", other)
		return
	}
	said[key] = subject
}
