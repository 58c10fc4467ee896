package card

import (
	"cmp"
	"math"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A ChoiceCard is what a model sees of a tool, an agent, a skill, a resource or
// a prompt. Its fields are those of section 2.1 of the gateway surface, and
// there are no others, above all no schema (section 2.2).
//
// The cards that [New] and [Builder] make are clean: every text is one line of
// visible characters. A card is a value; nobody changes its Tags.
type ChoiceCard struct {
	// ID is the canonical id, the only key by which a card is chosen.
	ID string `json:"id"`
	// Name is for display: at most MaxName characters.
	Name string `json:"name"`
	// Description is a summary on one line.
	Description string `json:"description"`
	// Tags are sorted and distinct: at most MaxTags of MaxTag characters.
	Tags []string `json:"tags"`
	// Kind is one of the constants of the type.
	Kind Kind `json:"kind"`
	// Namespace is that of the id.
	Namespace string `json:"namespace"`
	// HasSchema says that the tool takes arguments, which hydrating shows.
	HasSchema bool `json:"has_schema"`
	// Score is how well the card fits a query. It is in the JSON form only,
	// and not there if it is 0 or not a finite number: not ranked.
	Score float64 `json:"score,omitzero"`
	// CostHint is what a call costs in a unit of the operator's. It is left
	// out unless it is a finite number above 0.
	CostHint float64 `json:"cost_hint,omitzero"`
	// SideEffects says that a call may change something.
	SideEffects bool `json:"side_effects,omitzero"`
	// Safety is the safety class, a hint and no authorization.
	Safety Safety `json:"safety"`
}

// A Kind is what a card stands for. Every kind that an id can have
// (toolid.Kind) is one, in the same spelling.
type Kind string

// The kinds of cards: those of section 2.1, and of section 9.4.
const (
	Tool     Kind = "tool"
	Agent    Kind = "agent"
	Skill    Kind = "skill"
	Internal Kind = "internal" // no choice, such as the marker of section 5.1
	Resource Kind = "resource"
	Prompt   Kind = "prompt"
)

// A Safety is a safety class.
type Safety string

// The safety classes. Unclassified is the zero value.
const (
	Unclassified Safety = ""
	ReadOnly     Safety = "read_only"
	Destructive  Safety = "destructive"
)

// Bounds of a card and of a response (sections 2.1 and 2.3).
const (
	MaxName  = 64  // characters of a name
	MaxTags  = 5   // tags
	MaxTag   = 24  // characters of a tag
	MaxCards = 999 // cards of a response
	Target   = 60  // tokens of a card, line break included
	HardCap  = 80  // tokens of a card that none exceeds
	Preamble = 32  // tokens before the cards of a response
)

// MarshalJSON writes the fields in the order of section 2.1, and nothing that
// JSON cannot hold.
func (c ChoiceCard) MarshalJSON() ([]byte, error) {
	type plain ChoiceCard
	p := plain(c)
	p.Score = finite(p.Score)
	p.CostHint = max(0, finite(p.CostHint))
	if p.Tags == nil {
		p.Tags = []string{}
	}
	return strictjson.Marshal(p)
}

// Marshal returns the JSON form of cards, an array. Unlike encoding/json by
// itself it leaves '<', '>' and '&' as they are, which costs fewer tokens.
func Marshal(cards []ChoiceCard) ([]byte, error) {
	if cards == nil {
		cards = []ChoiceCard{}
	}
	return strictjson.Marshal(cards)
}

// finite returns f, and 0 if it is not a finite number.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// Sort orders cards by descending score, and those of one score by ascending id
// (section 2.5). A score that is not a finite number counts as 0.
func Sort(cards []ChoiceCard) {
	slices.SortStableFunc(cards, func(a, b ChoiceCard) int {
		return cmp.Or(cmp.Compare(finite(b.Score), finite(a.Score)), cmp.Compare(a.ID, b.ID))
	})
}
