package gateway

import (
	"cmp"
	"slices"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// Breakpoint is the id of the marker card between the cards seen before and the new ones (gateway surface,
// section 5.1).
const Breakpoint = "__cache_breakpoint__"

// Bounds of what is kept.
const (
	maxScopes     = 1000
	maxScopeCards = 2000    // of one scope
	maxAllCards   = 100_000 // of all scopes together
	scopeMaxAge   = time.Hour
)

// scopes is what [Options.CacheStable] remembers (gateway surface, section 5): a caller gets cards that it
// has seen before first, sorted by id and unchanged, so that the beginning of its prompt stays in the
// model's cache. A scope is one caller (owner) and one kind of card: tools, resources or prompts. Its
// cards are kept by id. The least recently used scope goes first when there is no room.
//
// browse.go calls order, execute.go and hydrate.go call note, and [Server.Refresh] calls reset.
type scopes struct {
	kept *bounded.Store[string, keptCards]
}

// keptCards are the cards of one scope, by id.
type keptCards = map[string]card.ChoiceCard

func newScopes() *scopes { return &scopes{bounded.New[string, keptCards](nil, nil)} }

// order returns cards in the order of section 5.1: the kept ones by id, with the content that was seen first; a
// marker, if there are both; and the new ones by id, which are kept from now on if there is room. An
// empty owner has seen nothing.
func (s *scopes) order(owner, kind string, cards []card.ChoiceCard) []card.ChoiceCard {
	var old, fresh []card.ChoiceCard
	s.visit(owner, kind, func(kept keptCards) {
		for _, c := range cards {
			if was, ok := kept[c.ID]; ok && same(was, c) {
				old = append(old, was)
				continue
			}
			fresh = append(fresh, c)
			if kept != nil && len(kept) < maxScopeCards {
				kept[c.ID] = c
			}
		}
	})
	byID := func(a, b card.ChoiceCard) int { return cmp.Compare(a.ID, b.ID) }
	slices.SortFunc(old, byID)
	slices.SortFunc(fresh, byID)
	if len(old) > 0 && len(fresh) > 0 {
		old = append(old, card.ChoiceCard{ID: Breakpoint, Name: Breakpoint, Kind: card.Internal, Tags: []string{}})
	}
	return append(old, fresh...)
}

// note keeps the card of a function that the owner has executed or hydrated (section 5.5).
func (s *scopes) note(owner, kind string, c card.ChoiceCard) {
	s.visit(owner, kind, func(kept keptCards) {
		if was, ok := kept[c.ID]; kept != nil && (!ok || !same(was, c)) && len(kept) < maxScopeCards {
			kept[c.ID] = c
		}
	})
}

// same reports whether two cards differ in nothing but the score. If the definition has changed, the card is
// a new one.
func same(a, b card.ChoiceCard) bool {
	tags := slices.Equal(a.Tags, b.Tags)
	return tags && a.Name == b.Name && a.Description == b.Description && a.Kind == b.Kind && a.Namespace == b.Namespace &&
		a.HasSchema == b.HasSchema && a.CostHint == b.CostHint && a.SideEffects == b.SideEffects && a.Safety == b.Safety
}

// visit calls f with the kept cards of a scope, under the lock. They are nil for an empty owner.
func (s *scopes) visit(owner, kind string, f func(keptCards)) {
	if owner == "" {
		f(nil)
		return
	}
	s.kept.Lock()
	defer s.kept.Unlock()
	key, until := kind+"\x00"+owner, s.kept.Now().Add(scopeMaxAge)
	// In this store, Bytes counts cards.
	all := bounded.Share{Most: bounded.Amount{Count: maxScopes, Bytes: maxAllCards}, Evicts: true}
	it := s.kept.Get(key)
	if it == nil {
		it = s.kept.Put(key, make(keptCards), bounded.Terms{Takes: bounded.Amount{Count: 1}, Expires: until}, all)
	}
	s.kept.Renew(it, until, time.Time{}) // no promise: it may go earlier
	f(it.Value)
	s.kept.Resize(it, bounded.Amount{Count: 1, Bytes: int64(len(it.Value))}, all)
}

// reset removes all scopes.
func (s *scopes) reset() {
	s.kept.Lock()
	defer s.kept.Unlock()
	s.kept.Clear()
}
