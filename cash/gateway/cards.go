package gateway

import (
	"crypto/sha256"
	"strings"
	"sync"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// cards caches cards: those of functions by definition, others by the facts that they show.
type cards struct {
	counter card.Counter

	mu   sync.RWMutex
	made map[string]cachedCard
}

type cachedCard struct {
	card card.ChoiceCard
	err  error // why there is no card
}

// maxCards is the most cards that are kept. Beyond it, the cache is emptied.
const maxCards = 100_000

func newCards(counter card.Counter) *cards {
	return &cards{counter: counter, made: make(map[string]cachedCard)}
}

// of returns the card of a function. The error means that no card fits the bounds (W14).
func (c *cards) of(f *registry.Function) (card.ChoiceCard, error) {
	return c.cached(f.Definition(), func() card.Facts { return facts(f) })
}

// cached returns the card that is cached under key, or makes it.
func (c *cards) cached(key string, facts func() card.Facts) (card.ChoiceCard, error) {
	c.mu.RLock()
	m, ok := c.made[key]
	c.mu.RUnlock()
	if ok {
		return m.card, m.err
	}
	m.card, m.err = card.NewBy(c.counter, facts())
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.made) >= maxCards {
		clear(c.made)
	}
	c.made[key] = m
	return m.card, m.err
}

func facts(f *registry.Function) card.Facts {
	id, class := f.Primitive(), control.ClassOf(f)
	return card.Facts{
		ID: id.String(), Name: f.Name(), Description: f.About(), Tags: f.Tags(),
		Kind: card.Kind(id.Kind), Namespace: id.Namespace,
		CostHint:    f.CostHint(),
		HasSchema:   len(f.Params()) > 0 || id.Kind == toolid.Tool && f.Open(),
		SideEffects: class != control.ReadOnly, ReadOnly: class == control.ReadOnly, Destructive: class == control.Destructive, Classed: true,
	}
}

// ofNode returns the card of a node of the tree.
func (c *cards) ofNode(n registry.Node) (card.ChoiceCard, error) {
	switch {
	case n.Function != nil:
		return c.of(n.Function)
	case n.Skill != nil:
		id := n.Skill.ID()
		return c.other(card.Facts{
			ID: id.String(), Name: n.Skill.Given(), Description: n.Skill.About(),
			Kind: card.Skill, Namespace: id.Namespace,
		})
	}
	about := n.Namespace.About()
	if n.Namespace.Unavailable {
		about = "Unavailable at the moment. " + about
	}
	return c.other(card.Facts{ID: n.Path, Name: n.Namespace.Name, Description: about, Kind: card.Internal})
}

// other returns the card of a namespace or a skill.
func (c *cards) other(f card.Facts) (card.ChoiceCard, error) {
	key := sha256.Sum256([]byte(strings.Join([]string{string(f.Kind), f.ID, f.Name, f.Namespace, f.Description}, "\x00")))
	return c.cached(string(key[:]), func() card.Facts { return f })
}
