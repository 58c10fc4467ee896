package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A Skill is a text that tells a model how to reach a goal with several calls
// (RFC 4.3). It is text only: whatever is executable in it is removed before
// it is served. A skill that a [Source] returns must not be modified.
type Skill struct {
	// Name is a label; shown as registered, matched in canonical form. Hyphens
	// are dropped, because names of Agent Skills have them.
	Name string
	// Description stands in lists. One line.
	Description string
	// Text is markdown. {{name}} stands for the input of that name,
	// {{name|text}} for an input with a default.
	Text string
	// VisibleTo decides who sees the skill, among those who see its namespace.
	// Nil is everyone.
	VisibleTo Visibility

	namespace string
	origin    string
	given     string // Name before hyphens were dropped
	ready     bool   // Text has no inputs and nothing executable: served as it is
	remote    func(context.Context, json.RawMessage) (string, error)
}

// Namespace returns the dotted path of the namespace that the skill was added
// to, as registered; empty for the root.
func (s *Skill) Namespace() string { return s.namespace }

// Given returns the name as it was given, with hyphens where it had some; that
// of a skill in no namespace is Name.
func (s *Skill) Given() string { return cmp.Or(s.given, s.Name) }

// prepare returns the copy that is kept, and its canonical name.
func (s *Skill) prepare(namespace, origin string) (*Skill, string, error) {
	kept := *s
	kept.given = s.Name
	kept.Name = strings.ReplaceAll(s.Name, "-", "")
	if kept.origin == "" {
		kept.origin = origin
	}
	key, err := checkLabel("skill name", kept.Name)
	if err != nil {
		return nil, "", fmt.Errorf("%w (%s)", err, kept.origin)
	}
	if s.remote == nil && strings.TrimSpace(s.Text) == "" {
		return nil, "", fmt.Errorf("skill %q (%s) has no text", s.Name, kept.origin)
	}
	kept.namespace = namespace
	if s.remote == nil && len(skillmd.Inputs(s.Text)) == 0 { // removed once instead of on every request
		kept.Text, _ = skillmd.Strip(s.Text)
		kept.ready = true
	}
	return &kept, key, nil
}

// In returns a copy of s that belongs to the namespace at path. It is for
// sources other than a [Registry], which sets the namespace itself. The errors
// are those of [Namespace.TryAddSkill].
func (s *Skill) In(path string) (*Skill, error) {
	kept, _, err := s.prepare(path, sourceLine(0))
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
		return s.Text, nil
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
	text := skillmd.Expand(s.Text, func(name string) (string, bool) {
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
