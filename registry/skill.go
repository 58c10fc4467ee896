package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A Skill is a text that tells a model how to reach a goal with several calls
// (RFC 4.3). [NewSkill] makes one, [Registry.AddSkills] many. It is text only:
// whatever is executable in it is removed before it is served. It does not change
// once made.
type Skill struct {
	name        string
	description string
	text        string
	visibleTo   Visibility

	namespace string
	origin    string
	given     string // name before hyphens were dropped
	ready     bool   // text has no inputs and nothing executable: served as it is
	remote    func(context.Context, json.RawMessage) (string, error)
}

// NewSkill makes a skill of a text in markdown. The name is a label, shown as
// registered and matched in canonical form; hyphens are dropped, because names of
// Agent Skills have them. The description is one line, for lists. In the text,
// {{name}} stands for the input of that name, {{name|text}} for an input with a
// default.
//
// NewSkill panics, naming the source line, if there is no text and on a fact that
// is given twice.
func NewSkill(name, description, text string, opts ...SkillOption) *Skill {
	s := &Skill{name: name, description: description, text: text, origin: sourceLine()}
	err := s.apply(opts)
	if strings.TrimSpace(text) == "" {
		err = errors.New("no text")
	}
	if err != nil {
		panic(fmt.Sprintf("registry: skill %q (%s): %v", name, s.origin, err))
	}
	return s
}

func (s *Skill) apply(opts []SkillOption) error {
	for _, o := range opts {
		if o == nil {
			return errors.New("an option is nil")
		}
		if err := o.applySkill(s); err != nil {
			return err
		}
	}
	return nil
}

// Name returns the skill's label, without hyphens.
func (s *Skill) Name() string { return s.name }

// Description returns what lists say of the skill, in one line.
func (s *Skill) Description() string { return s.description }

// Namespace returns the dotted path of the namespace that the skill was added
// to, as registered; empty for the root.
func (s *Skill) Namespace() string { return s.namespace }

// Given returns the name as it was given, with hyphens where it had some; that
// of a skill in no namespace is its name.
func (s *Skill) Given() string { return cmp.Or(s.given, s.name) }

// prepare returns the copy that is kept, and its canonical name.
func (s *Skill) prepare(namespace, origin string) (*Skill, string, error) {
	kept := *s
	kept.given = s.name
	kept.name = strings.ReplaceAll(s.name, "-", "")
	if kept.origin == "" {
		kept.origin = origin
	}
	key, err := checkLabel("skill name", kept.name)
	if err != nil {
		return nil, "", fmt.Errorf("%w (%s)", err, kept.origin)
	}
	if s.remote == nil && strings.TrimSpace(s.text) == "" {
		return nil, "", fmt.Errorf("skill %q (%s) has no text", s.name, kept.origin)
	}
	kept.namespace = namespace
	if s.remote == nil && len(skillmd.Inputs(s.text)) == 0 { // removed once instead of on every request
		kept.text, _ = skillmd.Strip(s.text)
		kept.ready = true
	}
	return &kept, key, nil
}

// In returns a copy of s that belongs to the namespace at path. It is for
// sources other than a [Registry], which sets the namespace itself. The errors
// are those of [Namespace.TryAddSkill].
func (s *Skill) In(path string) (*Skill, error) {
	kept, _, err := s.prepare(path, sourceLine())
	return kept, err
}

// Render returns the skill's text for the inputs in args, a JSON object or
// empty. Keys are matched in canonical form; two with the same one are an
// error of kind [InvalidArguments]. An input that is not given shows its
// default, or stays visible as {{name}}; one that the text does not name is
// ignored. Executable content is removed after the inputs have been filled in.
//
// The text of a [RemoteSkill] is fetched, and filled in where it comes from; ctx
// bounds that.
func (s *Skill) Render(ctx context.Context, args json.RawMessage) (string, error) {
	if s.ready {
		return s.text, nil
	}
	if s.remote != nil {
		text, err := s.remote(ctx, args)
		if err != nil {
			return "", err
		}
		text, _ = skillmd.Strip(text)
		return text, nil
	}
	values, err := skillInputs(args)
	if err != nil {
		return "", err
	}
	text := skillmd.Expand(s.text, func(name string) (string, bool) {
		key, _ := Canonical(name)
		v, ok := values[key]
		return v, ok
	})
	text, _ = skillmd.Strip(text)
	return text, nil
}

// skillInputs reads the values by canonical key. Texts stand for themselves,
// anything else for its JSON.
func skillInputs(args json.RawMessage) (map[string]string, error) {
	if len(args) == 0 {
		return nil, nil
	}
	keys, err := readArguments(nil, args, new(params))
	if err != nil {
		return nil, err
	}
	values := make(map[string]string, len(keys))
	for _, k := range keys {
		value := string(k.value)
		if strictjson.KindOf(k.value) == strictjson.String {
			value = strictjson.Text(k.value)
		}
		if k.canonical != "" {
			values[k.canonical] = value
		}
	}
	return values, nil
}
