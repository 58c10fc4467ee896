package gateway

import (
	"cmp"
	"slices"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// Breakpoint is the id of the marker card between the cards seen before and the new ones (section
// 5.1).
const Breakpoint = "__cache_breakpoint__"

// Bounds of the kept cards.
const (
	maxScopes   = 1000
	maxSeen     = 2000    // cards of one scope
	maxFrozen   = 100_000 // cards of all scopes
	scopeMaxAge = time.Hour
)

// scopes remembers the cards that each scope has seen (section 5): frozen, by id.
// The least recently used are forgotten.
type scopes struct {
	seen *bounded.Store[string, map[string]card.ChoiceCard]
}

func newScopes() *scopes { return &scopes{bounded.New[string, map[string]card.ChoiceCard](nil, nil)} }

// settle returns cards in the order of section 5.1: the cards that the owner has seen, as they were
// then; a marker, if there are both; and the new ones. An empty owner has seen nothing.
func (s *scopes) settle(owner, kind string, cards []card.ChoiceCard) []card.ChoiceCard {
	var old, fresh []card.ChoiceCard
	s.visit(owner, kind, func(frozen map[string]card.ChoiceCard) {
		for _, c := range cards {
			if was, ok := frozen[c.ID]; ok && same(was, c) {
				old = append(old, was)
				continue
			}
			fresh = append(fresh, c)
			if frozen != nil && len(frozen) < maxSeen {
				frozen[c.ID] = c
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

// note adds a hydrated card to its owner's scope (section 5.5).
func (s *scopes) note(owner, kind string, c card.ChoiceCard) {
	s.visit(owner, kind, func(frozen map[string]card.ChoiceCard) {
		if was, ok := frozen[c.ID]; frozen != nil && (!ok || !same(was, c)) && len(frozen) < maxSeen {
			frozen[c.ID] = c
		}
	})
}

// same reports whether two cards have one definition: they differ only in the score. A kept card
// stays as long as its definition.
func same(a, b card.ChoiceCard) bool {
	tags := slices.Equal(a.Tags, b.Tags)
	return tags && a.Name == b.Name && a.Description == b.Description && a.Kind == b.Kind && a.Namespace == b.Namespace &&
		a.HasSchema == b.HasSchema && a.CostHint == b.CostHint && a.SideEffects == b.SideEffects && a.Safety == b.Safety
}

// visit calls f with the kept cards of a scope, under the lock. They are nil for an empty owner.
func (s *scopes) visit(owner, kind string, f func(map[string]card.ChoiceCard)) {
	if owner == "" {
		f(nil)
		return
	}
	s.seen.Lock()
	defer s.seen.Unlock()
	key, until := kind+"\x00"+owner, s.seen.Now().Add(scopeMaxAge)
	all := bounded.Share{Most: bounded.Amount{Count: maxScopes, Bytes: maxFrozen}, Evicts: true}
	it := s.seen.Get(key)
	if it == nil {
		it = s.seen.Put(key, make(map[string]card.ChoiceCard), bounded.Terms{Takes: bounded.Amount{Count: 1}, Expires: until}, all)
	}
	s.seen.Renew(it, until, time.Time{})
	f(it.Value)
	s.seen.Resize(it, bounded.Amount{Count: 1, Bytes: int64(len(it.Value))}, all)
}

// reset removes all scopes.
func (s *scopes) reset() {
	s.seen.Lock()
	defer s.seen.Unlock()
	s.seen.Clear()
}
