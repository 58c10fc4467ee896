package card

import "fmt"

// leastDescription is how many tokens of a description a card keeps even if
// that takes it beyond Target, as long as HardCap leaves room for them.
const leastDescription = 12

// New returns the card of one thing. Its line, at any place of a response, has
// at most [HardCap] tokens of cl100k_base, and at most [Target] unless the id
// and the tags leave the description less than a few words; only the
// description is shortened for that. The score is left to whoever ranks the
// card.
//
// It returns an error that names the id if the facts have no valid id or kind,
// or if the card exceeds HardCap without any description.
func New(f Facts) (ChoiceCard, error) { return NewBy(CL100K(), f) }

// NewBy is [New] with another way to count tokens.
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
	// The tokens of the parts of a line do not quite add up to those of the
	// line, which takes another round or two.
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

// widest returns the card's line with its line break as it costs at any place
// of a response: numbers of up to three digits are one token.
func (c ChoiceCard) widest() string { return c.Line(MaxCards, MaxCards) + "\n" }
