package redact

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/mistake"
)

// A Rule finds one kind of secret.
type Rule struct {
	// Name is the kind of secret. It appears in the mark, as in [redacted: aws-key]. It has 1 to 40 letters, digits,
	// '-', '_' and '.'.
	Name string
	// Hint is a literal that every match contains, in upper or lower case. Text without it is not searched. Empty means
	// that all text is searched.
	Hint string
	// Pattern matches the secret. It must not match a double quote, so that JSON stays JSON.
	Pattern *regexp.Regexp
	// Group is the group of the pattern that holds the secret. 0 is the whole match.
	Group int

	probes []probe // instead of a pattern, in the rules of this package
}

// A Filter replaces secrets in text, in time linear in the text. It is safe for concurrent use.
type Filter struct {
	rules []Rule
	marks []string // the replacement of a secret, by rule
	scan  scanner
}

// New returns a filter with these rules. If two rules find the same secret, the first one names it. New panics if a
// rule is incomplete.
func New(rules ...Rule) *Filter {
	f := &Filter{rules: slices.Clone(rules)}
	for i, rule := range f.rules {
		if err := rule.Check(); err != nil {
			mistake.Check("redact", fmt.Errorf("rule %d, %q: %w", i, rule.Name, err))
		}
		f.marks = append(f.marks, markStart+rule.Name+"]")
		f.scan.add(i, rule.probes)
	}
	return f
}

const maxRuleName = 40 // bytes; see ruleName

var ruleName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,40}$`)

// Check returns the error with which [New] panics: a bad name, no pattern, or no such group.
func (r Rule) Check() error {
	switch {
	case !ruleName.MatchString(r.Name):
		return fmt.Errorf("the name does not match %v", ruleName)
	case r.probes != nil:
		return nil
	case r.Pattern == nil:
		return errors.New("there is no pattern")
	case r.Group < 0 || r.Group > r.Pattern.NumSubexp():
		return fmt.Errorf("the pattern has no group %d", r.Group)
	}
	return nil
}

// markStart begins a mark. No character of a mark needs an escape in JSON.
const markStart = "[redacted: "

// Text returns text with a mark in place of each secret, and the number of secrets. JSON stays JSON, and existing marks
// stay as they are.
func (f *Filter) Text(text string) (string, int) {
	spans := f.find(text)
	return f.replace(text, spans), len(spans)
}

// Count works like [Filter.Text]. It adds the number of secrets to counts, by the name of their rule.
func (f *Filter) Count(text string, counts map[string]int) string {
	spans := f.find(text)
	for _, s := range spans {
		counts[f.rules[s.rule].Name]++
	}
	return f.replace(text, spans)
}

// A span is a secret in a text.
type span struct {
	start, end int
	rule       int
	quote      string // around the mark: `"` if the secret was a JSON number, which a mark is not
}

// find returns the secrets of text in order, without overlaps.
func (f *Filter) find(text string) []span {
	spans := f.scan.find(text, len(f.rules))
	for i, rule := range f.rules {
		if rule.Pattern != nil && containsFold(text, rule.Hint) {
			spans = append(spans, rule.match(text, i)...)
		}
	}
	spans = slices.DeleteFunc(spans, func(s span) bool { return s.start >= s.end || f.marked(text, s) })
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.rule, b.rule))
	})
	return merge(spans)
}

func (r Rule) match(text string, index int) []span {
	var spans []span
	for _, m := range r.Pattern.FindAllStringSubmatchIndex(text, -1) {
		if start, end := m[2*r.Group], m[2*r.Group+1]; start >= 0 {
			spans = append(spans, align(text, span{start: start, end: end, rule: index}))
		}
	}
	return spans
}

// marked reports whether a span lies within a mark of this filter.
func (f *Filter) marked(text string, s span) bool {
	from := max(0, s.start-len(markStart)-maxRuleName)
	near := text[from:min(len(text), s.start+len(markStart))]
	i := strings.LastIndex(near, markStart)
	if i < 0 {
		return false
	}
	return slices.ContainsFunc(f.marks, func(mark string) bool {
		return strings.HasPrefix(text[from+i:], mark) && s.end <= from+i+len(mark)
	})
}

// merge joins overlapping spans. They must be sorted.
func merge(spans []span) []span {
	kept := spans[:0]
	for _, s := range spans {
		n := len(kept) - 1
		if n < 0 || s.start >= kept[n].end {
			kept = append(kept, s)
			continue
		}
		kept[n].end = max(kept[n].end, s.end)
		kept[n].rule = min(kept[n].rule, s.rule)
	}
	return kept
}

func (f *Filter) replace(text string, spans []span) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.start])
		b.WriteString(s.quote)
		b.WriteString(f.marks[s.rule])
		b.WriteString(s.quote)
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}
