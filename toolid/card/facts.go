package card

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// Facts are the input of a card. Texts may be hostile; only the id must be valid.
type Facts struct {
	ID          string // the canonical id: visible ASCII, no blanks, at most 256 bytes
	Name        string // "" is the id
	Description string
	Tags        []string // read-only and destructive, in any case or with '_', set the safety class; see Classed
	Kind        Kind     // "" is Tool
	Namespace   string   // "" is the part of the id before the ':' of its tool id
	HasSchema   bool
	CostHint    float64
	SideEffects bool
	ReadOnly    bool // adds the tag read-only
	Destructive bool // adds the tag destructive
	// Classed declares that ReadOnly and Destructive alone set the safety class. Tags that name one are left out.
	Classed bool
}

const (
	maxID          = 256
	maxDescription = 1000 // characters
)

// The tags that name a safety class, as cards spell them. They take precedence over other tags.
const (
	tagDestructive = "destructive"
	tagReadOnly    = "read-only"
)

// card returns the card of f with its full description.
func (f *Facts) card() (ChoiceCard, error) {
	if err := checkID(f.ID); err != nil {
		return ChoiceCard{}, err
	}
	if !slices.Contains([]Kind{"", Tool, Agent, Skill, Internal, Resource, Prompt}, f.Kind) {
		return ChoiceCard{}, fmt.Errorf("there is no kind %.20q of cards", f.Kind)
	}
	tags, safety := f.tags()
	c := ChoiceCard{
		ID:          f.ID,
		Name:        clean.Line(f.Name, MaxName),
		Description: disarm(clean.Line(f.Description, maxDescription)),
		Tags:        tags,
		Kind:        f.Kind,
		Namespace:   clean.Line(f.Namespace, MaxName),
		HasSchema:   f.HasSchema,
		CostHint:    max(0, finite(f.CostHint)),
		SideEffects: f.SideEffects,
		Safety:      safety,
	}
	if c.Name == "" {
		c.Name = clean.Line(f.ID, MaxName)
	}
	if c.Kind == "" {
		c.Kind = Tool
	}
	if c.Namespace == "" {
		c.Namespace = clean.Line(namespace(f.ID), MaxName)
	}
	return c, nil
}

// checkID rejects an invalid id. An id is never changed to fit, because it is the key of the card.
func checkID(id string) error {
	if id == "" {
		return fmt.Errorf("the id is empty")
	}
	if len(id) > maxID {
		return fmt.Errorf("the id has %d bytes, at most %d are allowed", len(id), maxID)
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return fmt.Errorf("the id has the byte %#x at offset %d, only visible ASCII is allowed", id[i], i)
		}
	}
	return nil
}

// namespace returns the namespace of an id. For resources and prompts it begins with the kind and "::" (section 9.1).
func namespace(id string) string {
	if _, rest, ok := strings.Cut(id, "::"); ok {
		id = rest
	}
	ns, _, ok := strings.Cut(id, ":")
	if !ok {
		return ""
	}
	return ns
}

// tags returns the tags to keep, and the safety class that they name. Tags of a safety class come first, so that others
// cannot displace them.
func (f *Facts) tags() ([]string, Safety) {
	var safe, rest []string
	for _, t := range f.Tags {
		switch t = cleanTag(t); t {
		case "":
		case tagDestructive, tagReadOnly:
			if !f.Classed {
				safe = append(safe, t)
			}
		default:
			rest = append(rest, t)
		}
	}
	if f.Destructive {
		safe = append(safe, tagDestructive)
	}
	if f.ReadOnly {
		safe = append(safe, tagReadOnly)
	}
	safe, rest = distinct(safe), distinct(rest)
	kept := append(safe, rest[:min(len(rest), MaxTags-len(safe))]...)
	slices.Sort(kept)
	switch {
	case slices.Contains(kept, tagDestructive):
		return kept, Destructive
	case slices.Contains(kept, tagReadOnly):
		return kept, ReadOnly
	}
	return kept, Unclassified
}

func distinct(tags []string) []string {
	slices.Sort(tags)
	return slices.Compact(tags)
}

// cleanTag returns a tag in the form of a card. Other spellings of a safety class, in case or with an underscore,
// become the standard one.
func cleanTag(tag string) string {
	tag = disarmTag(clean.Line(tag, MaxTag))
	switch safe := strings.ReplaceAll(strings.ToLower(tag), "_", "-"); safe {
	case tagDestructive, tagReadOnly:
		return safe
	}
	return tag
}
