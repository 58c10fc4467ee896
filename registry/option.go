package registry

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/schema"
)

// A FuncOption is one fact of a function, for the constructors [Func], [StreamFunc], [RawFunc] and
// [RemoteFunc]. A fact given twice or against another one is a mistake of the programmer: the
// constructor panics with the function and its source line. [RemoteFunc] returns the error instead,
// because its facts come from another server.
type FuncOption interface{ applyFunction(*Function) error }

// A NamespaceOption is one fact of a namespace, for [Registry.Namespace].
type NamespaceOption interface{ applyNamespace(*node) error }

// A SkillOption is one fact of a skill, for [NewSkill], [RemoteSkill] and
// [Registry.AddSkills].
type SkillOption interface{ applySkill(*Skill) error }

// An EntryOption is a fact of anything in the tree.
type EntryOption interface {
	FuncOption
	NamespaceOption
	SkillOption
}

// ReadOnly declares that a call changes nothing and can be repeated freely. Without it, a call may
// change something.
var ReadOnly FuncOption = funcOption{"ReadOnly", func(f *Function) error {
	f.readOnly = true
	return nil
}}

// Destructive declares whether a call may delete or overwrite. Without it, that is not declared.
func Destructive(yes bool) FuncOption {
	return funcOption{"Destructive", func(f *Function) error {
		f.destructive.set(yes)
		return nil
	}}
}

// Idempotent declares whether the same call twice has the effect of one. Without it, that is not
// declared.
func Idempotent(yes bool) FuncOption {
	return funcOption{"Idempotent", func(f *Function) error {
		f.idempotent.set(yes)
		return nil
	}}
}

// OpenWorld declares whether a call reaches an open world, such as the web. Without it, that is not
// declared.
func OpenWorld(yes bool) FuncOption {
	return funcOption{"OpenWorld", func(f *Function) error {
		f.openWorld.set(yes)
		return nil
	}}
}

// Deprecated declares that callers should choose another function. The description then begins with
// "Deprecated.", if it does not already. Lists show the function after the others, and a search finds it
// after others that fit nearly as well. It can be called as before.
var Deprecated FuncOption = funcOption{"Deprecated", func(f *Function) error {
	f.deprecated = true
	return nil
}}

// Timeout sets the deadline of one call. Zero is the server's; negative is none.
func Timeout(d time.Duration) FuncOption {
	return funcOption{"Timeout", func(f *Function) error {
		f.timeout = d
		return nil
	}}
}

// MaxCalls sets the most calls of the function at a time, over all servers that share it. Further ones wait, callers in
// turn, or are refused ([Limits].Wait). It counts calls that run: not those that a [Middleware] answers, nor dry runs,
// but those that go on after their caller was answered, and each of a function that calls itself. Without it,
// only the server's limits apply.
func MaxCalls(n int) FuncOption {
	return funcOption{"MaxCalls", func(f *Function) error {
		if n < 1 {
			return errors.New("the number is less than 1; leave the option out for no limit")
		}
		f.places = newFunctionPlaces(n)
		return nil
	}}
}

// maxSummary is the most characters of a [Summary].
const maxSummary = 200

// Summary sets the author's own short line, for faces that list functions with one line: it is the
// minimal description of package disclosure, verbatim. It is one line of visible characters, at most
// 200. It says what the function does and when to choose it, with every warning, and nothing of its
// parameters (Progressive Disclosure, section 3.1). Without it, the line is made of the description.
func Summary(text string) FuncOption {
	return funcOption{"Summary", func(f *Function) error {
		if text == "" || clean.Line(text, maxSummary) != text {
			return fmt.Errorf("the text is empty, not one line of visible characters, or longer than %d characters", maxSummary)
		}
		f.summary = text
		return nil
	}}
}

// Aliases are other words for the function, such as users say. A search matches them like the name.
// The function cannot be called by them.
func Aliases(words ...string) FuncOption {
	return funcOption{"Aliases", func(f *Function) error {
		f.aliases = slices.Clone(words)
		return nil
	}}
}

// Tags are words by which operators sort functions, such as "billing" or "pii". Rules may name
// them, and cards show them. A search finds them like words of a description. A tag such as destructive
// declares nothing: use [Destructive] or [ReadOnly].
func Tags(words ...string) FuncOption {
	return funcOption{"Tags", func(f *Function) error {
		f.tags = slices.Clone(words)
		return nil
	}}
}

// CostHint is the cost of a call in a unit of the operator, for cards (gateway surface, section 2.1).
// It is finite and not negative. 0 is the same as none.
func CostHint(cost float64) FuncOption {
	return funcOption{"CostHint", func(f *Function) error {
		if !(cost >= 0) || math.IsInf(cost, 0) {
			return errors.New("the cost is negative or not finite")
		}
		f.costHint = cost
		return nil
	}}
}

// Returns describes the result. Without it, the description is derived from the
// result's type.
func Returns(text string) FuncOption {
	return funcOption{"Returns", func(f *Function) error {
		f.returns = text
		return nil
	}}
}

// OutputSchema sets the JSON Schema of the result, for faces that show one ([Function.OutputSchema]). It
// is a [encoding/json.RawMessage] or a [jsonschema.Schema] by pointer. Without it, the schema is inferred
// from the type of the result. A result that does not fit has no structured content.
func OutputSchema(s any) FuncOption {
	return funcOption{"OutputSchema", func(f *Function) error {
		parsed, ok := s.(*schema.Schema) // of other packages of this module, which have parsed it
		if !ok {
			text, err := schemaText(s)
			if err != nil || text == nil {
				return err
			}
			if parsed, err = schema.Parse(text); err != nil {
				return err
			}
		}
		return f.declare(parsed.JSON(), parsed.Summary())
	}}
}

// Structured sends the result as structured content in addition to its text. The model pays for the
// result twice.
var Structured FuncOption = funcOption{"Structured", func(f *Function) error {
	f.structured = true
	return nil
}}

// TextOnly declares that results are sent as text alone, without an output schema, because some clients
// show structured content to the model beside the text. Packages plain and facade heed it. The gateway's
// option Structured overrides it.
var TextOnly FuncOption = funcOption{"TextOnly", func(f *Function) error {
	f.textOnly = true
	return nil
}}

// Untrimmed sends results whole at every level of detail ([Request.Detail]), unless tags of the
// result's type choose ([Func]). Without it, results in JSON are trimmed below [Full] by the rules in
// the package comment.
var Untrimmed FuncOption = funcOption{"Untrimmed", func(f *Function) error {
	f.untrimmed = true
	return nil
}}

// VisibleTo sets who sees a function, a skill, or a namespace with everything below it, among those
// who see the namespace around it. Without it, all of those see it. A nil Visibility is an error:
// it is more likely a lost rule than a wish to show the entry to everybody.
func VisibleTo(v Visibility) EntryOption { return visibleTo(v) }

// WithFiles also serves the text files in the folder of a skill, through the skills extension of MCP
// (SEP-2640). It is an option of [Registry.AddSkills]. Without it, only SKILL.md is served.
//
//   - Texts are .md, .markdown and .txt, which lose executable content, and .json, .yaml, .yml, .toml,
//     .csv and .tsv. No other file is served, nor the folder scripts, nor hidden files.
//   - A skill has at most [MaxSkillFiles] files of together [MaxSkillSize] bytes, 1 MiB each.
var WithFiles SkillOption = withFiles{}

type withFiles struct{}

func (withFiles) applySkill(s *Skill) error {
	if s.withFiles {
		return errors.New("WithFiles is given twice")
	}
	s.withFiles = true
	return nil
}

var errNoFolder = errors.New("WithFiles is for skills that AddSkills reads from a folder")

// Hints are the declared effects of a call. Nil is not declared.
type Hints struct {
	ReadOnly    bool
	Destructive *bool
	Idempotent  *bool
	OpenWorld   *bool
}

// A hint is a fact with three values: yes, no, or not declared (said is false).
type hint struct{ said, yes bool }

func (h *hint) set(yes bool) { *h = hint{true, yes} }

func (h hint) pointer() *bool {
	if !h.said {
		return nil
	}
	return &h.yes
}

// funcOption is an option of functions only.
type funcOption struct {
	name string
	set  func(*Function) error
}

func (o funcOption) applyFunction(f *Function) error {
	if slices.Contains(f.options, o.name) {
		return fmt.Errorf("%s is given twice", o.name)
	}
	f.options = append(f.options, o.name)
	if err := o.set(f); err != nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	return nil
}

// apply sets the facts of a function during construction.
func (f *Function) apply(opts []FuncOption) error {
	for _, o := range opts {
		if o == nil {
			return errors.New("an option is nil")
		}
		if err := o.applyFunction(f); err != nil {
			return err
		}
	}
	f.options = nil
	switch {
	case f.readOnly && f.destructive.yes:
		return errors.New("Destructive(true) contradicts ReadOnly")
	case f.structured && f.textOnly:
		return errors.New("TextOnly contradicts Structured")
	case f.readOnly && f.idempotent == hint{said: true}:
		return errors.New("Idempotent(false) contradicts ReadOnly")
	}
	if f.deprecated && !strings.HasPrefix(strings.ToLower(f.description), "deprecated") {
		f.description = "Deprecated. " + f.About()
	}
	return nil
}

// mustApply is apply for facts in the program's own code: it panics.
func (f *Function) mustApply(opts []FuncOption) {
	if err := f.apply(opts); err != nil {
		panic(fmt.Sprintf("registry: function %q (%s): %v", f.name, f.origin, err))
	}
}

// visibleTo is the option for any entry of the tree.
type visibleTo Visibility

func (v visibleTo) applyFunction(f *Function) error { return v.restrict(&f.visibleTo) }
func (v visibleTo) applyNamespace(n *node) error    { return v.restrict(&n.visibleTo) }
func (v visibleTo) applySkill(s *Skill) error       { return v.restrict(&s.visibleTo) }

func (v visibleTo) restrict(entry *Visibility) error {
	switch {
	case v == nil:
		return errors.New("VisibleTo: the visibility is nil; leave the option out to show the entry to everybody")
	case *entry != nil:
		return errors.New("VisibleTo is given twice")
	}
	*entry = Visibility(v)
	return nil
}
