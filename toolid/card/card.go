package card

import (
	"cmp"
	"math"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A ChoiceCard is the short form in which a model sees a tool, an agent, a skill, a resource or a prompt. Its fields
// are exactly those of section 2.1 of the gateway surface. It never has a schema (section 2.2).
//
// The cards of [New] and [Builder] are clean: every text is one line of visible characters. A card is a value; do not
// modify its Tags.
type ChoiceCard struct {
	// ID is the canonical id, the only key for choosing a card.
	ID string `json:"id"`
	// Name is for display: at most MaxName characters.
	Name string `json:"name"`
	// Description is a summary on one line.
	Description string `json:"description"`
	// Tags are sorted and distinct: at most MaxTags tags of at most MaxTag characters.
	Tags []string `json:"tags"`
	// Kind is one of the constants of the type.
	Kind Kind `json:"kind"`
	// Namespace is the namespace of the id.
	Namespace string `json:"namespace"`
	// HasSchema means that the tool takes arguments. Hydrating shows them.
	HasSchema bool `json:"has_schema"`
	// Score is the relevance for a query. It appears in the JSON form only, and is omitted if it is 0 or not finite:
	// not ranked.
	Score float64 `json:"score,omitzero"`
	// CostHint is the cost of a call in a unit of the operator. It is omitted unless it is finite and above 0.
	CostHint float64 `json:"cost_hint,omitzero"`
	// SideEffects means that a call may change something.
	SideEffects bool `json:"side_effects,omitzero"`
	// Safety is the safety class: a hint, not an authorization.
	Safety Safety `json:"safety"`
}

// A Kind is the type of the item behind a card. Every kind of an id (toolid.Kind) is one, with the same spelling.
type Kind string

// The kinds of cards: those of section 2.1, and of section 9.4.
const (
	Tool     Kind = "tool"
	Agent    Kind = "agent"
	Skill    Kind = "skill"
	Internal Kind = "internal" // not a choice, such as the marker of section 5.1
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
	HardCap  = 80  // tokens that no card exceeds
	Preamble = 32  // tokens before the cards of a response
)

// MarshalJSON writes the fields in the order of section 2.1, without values that JSON cannot hold.
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

// Marshal returns cards as a JSON array. Unlike encoding/json it leaves '<', '>' and '&' unescaped, which costs fewer
// tokens.
func Marshal(cards []ChoiceCard) ([]byte, error) {
	if cards == nil {
		cards = []ChoiceCard{}
	}
	return strictjson.Marshal(cards)
}

// finite returns f, or 0 if f is not finite.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// Sort orders cards by descending score, then by ascending id (section 2.5). A score that is not finite counts as 0.
func Sort(cards []ChoiceCard) {
	slices.SortStableFunc(cards, func(a, b ChoiceCard) int {
		return cmp.Or(cmp.Compare(finite(b.Score), finite(a.Score)), cmp.Compare(a.ID, b.ID))
	})
}
