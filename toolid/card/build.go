package card

import "fmt"

// leastDescription is the number of description tokens that a card keeps beyond Target, if HardCap leaves room for
// them.
const leastDescription = 12

// New returns the card of one item. Its line has at most [HardCap] tokens of cl100k_base, at any position of a
// response. It has at most [Target] tokens unless id and tags leave less than a few words for the description. Only the
// description is shortened. The score is set by the ranking.
//
// It returns an error that names the id if the id or kind is invalid, or if the card exceeds HardCap without any
// description.
func New(f Facts) (ChoiceCard, error) { return NewBy(CL100K(), f) }

// NewBy is [New] with another token counter.
func NewBy(counter Counter, f Facts) (ChoiceCard, error) {
	c, err := f.card()
	if err != nil {
		return ChoiceCard{}, fmt.Errorf("building the card of %.80q: %w", f.ID, err)
	}
	if err := fit(&c, counter); err != nil {
		return ChoiceCard{}, fmt.Errorf("building the card of %.80q: %w", f.ID, err)
	}
	return c, nil
}

// fit shortens the description until the card is within budget.
func fit(c *ChoiceCard, counter Counter) error {
	whole := c.Description
	if within(counter, c.widest(), Target) {
		return nil
	}
	c.Description = ""
	bare := cost(*c, counter)
	if bare > HardCap {
		return fmt.Errorf("it has more than %d tokens without a description; shorten its id or tags", HardCap)
	}
	limit := min(HardCap, max(Target, bare+leastDescription))
	// The tokens of a line are not exactly the sum of its parts, so this takes another round or two.
	for room := limit - bare; room > 0; {
		c.Description = TruncateBy(counter, whole, room)
		n := cost(*c, counter)
		if n <= limit {
			return nil
		}
		room -= n - limit
	}
	c.Description = ""
	return nil
}

// cost returns the tokens of the card's line, or a number above HardCap.
func cost(c ChoiceCard, counter Counter) int { return counter.Count(c.widest(), HardCap) }

// widest returns the line of the card with its line break, at the most expensive position: numbers of up to three
// digits are one token.
func (c ChoiceCard) widest() string { return c.Line(MaxCards, MaxCards) + "\n" }
