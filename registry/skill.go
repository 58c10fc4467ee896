package registry

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A Skill is a text that tells a model how to reach a goal with several calls (RFC 4.3). [NewSkill]
// makes one, [Registry.AddSkills] makes many. Executable content is removed before it is served. A
// Skill never changes.
type Skill struct {
	name        string
	description string
	text        string
	visibleTo   Visibility

	namespace string
	origin    string
	given     string // the name with its hyphens
	ready     bool   // text has no inputs and nothing executable
	remote    func(context.Context, json.RawMessage) (string, error)

	head      string          // the front matter of its file as written, with LF line ends
	fields    json.RawMessage // the same as a JSON object; nil if there is none
	whole     string          // its file as written, if nothing had to be removed; else empty
	files     []SkillFile     // the other files that are served, by path
	foreign   bool            // made by ForeignSkill
	changed   []string        // functions that its server reports as changed, by path
	withFiles bool            // WithFiles is given
	agent     *agentOnce
}

// NewSkill makes a skill of a text in Markdown. The name is a label, shown as registered and
// matched in canonical form. Hyphens in it are dropped, because names of Agent Skills have them.
// The description is one line, for lists. In the text, {{name}} is an input, and {{name|text}} is
// an input with a default.
//
// NewSkill panics with the source line if the text is empty, and on a fact that is given twice.
func NewSkill(name, description, text string, opts ...SkillOption) *Skill {
	s := &Skill{name: name, description: description, text: text, origin: sourceLine()}
	err := s.apply(opts)
	switch {
	case strings.TrimSpace(text) == "":
		err = errors.New("no text")
	case s.withFiles:
		err = errNoFolder
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

// Description returns the skill's line in lists.
func (s *Skill) Description() string { return s.description }

// Namespace returns the dotted path of the namespace that the skill was added
// to, as registered; empty for the root.
func (s *Skill) Namespace() string { return s.namespace }

// Definition returns a SHA-256 in hexadecimal digits of the skill's place, its line and its text, as
// far as it is known here: the text of a [RemoteSkill] is not. It covers the front matter and the
// other files of a skill that has them.
func (s *Skill) Definition() string {
	facts := []string{s.namespace, s.Given(), s.description, s.text}
	if s.head != "" || len(s.files) > 0 {
		facts = append(facts, s.head)
	}
	for _, f := range s.files {
		facts = append(facts, f.Path, f.Text)
	}
	if s.remote != nil && s.fields != nil {
		facts = append(facts, string(s.fields))
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", facts))
	return hex.EncodeToString(sum[:])
}

// Given returns the name with its hyphens. For a skill in no namespace it is the name.
func (s *Skill) Given() string { return cmp.Or(s.given, s.name) }

// prepare returns the copy for the registry and its canonical name.
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
	kept.namespace, kept.agent = namespace, new(agentOnce)
	if s.remote == nil && (s.foreign || len(skillmd.Inputs(s.text)) == 0) { // strip once, not on every request
		var removed []skillmd.Removal
		if kept.text, removed = skillmd.Strip(s.text); len(removed) > 0 {
			kept.whole = ""
		}
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

// Render returns the skill's text with the inputs in args, a JSON object or empty.
//
//   - Keys are matched in canonical form. Two with the same form are an error of kind
//     [InvalidArguments].
//   - An input without a value shows its default, or stays visible as {{name}}. Unknown inputs are
//     ignored.
//   - Executable content is removed after the inputs are filled in.
//
// The text of a [RemoteSkill] is fetched from its server, which fills in the inputs. ctx bounds
// that.
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

// skillInputs returns the values by canonical key. A string gives its text, any other value its
// JSON.
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
