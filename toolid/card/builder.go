package card

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"sync"
)

// A Builder makes the cards of a catalog. After a refresh it makes only those whose facts changed. It remembers the
// last catalog only. The zero value is ready for use; a Builder is safe for concurrent use.
type Builder struct {
	// Counter counts the tokens of cards. Nil is CL100K(). It must not change
	// after the first use.
	Counter Counter

	mu   sync.Mutex
	made map[key]made
}

// A key identifies facts by their content.
type key [sha256.Size]byte

// made is the card of some facts, or the error.
type made struct {
	card ChoiceCard
	err  error
}

// Refused is an item without a card, with the reason.
type Refused struct {
	Index int    // in the catalog
	ID    string // as given, which may be hostile
	Err   error  // the error of [New], or that the id is taken; quotes the id safely
}

// Refresh returns the cards of a catalog in its order, without duplicate ids. An item that [New] refuses, or whose id
// is taken, is listed in refused instead and does not affect the others.
func (b *Builder) Refresh(catalog []Facts) (cards []ChoiceCard, refused []Refused) {
	b.mu.Lock()
	defer b.mu.Unlock()
	counter := b.Counter
	if counter == nil {
		counter = CL100K()
	}
	next := make(map[key]made, len(catalog))
	taken := make(map[string]int, len(catalog)) // index of the item that has the card, by id
	cards = make([]ChoiceCard, 0, len(catalog))
	for i := range catalog {
		k := catalog[i].key()
		m, ok := next[k]
		if !ok {
			m, ok = b.made[k]
		}
		if !ok {
			m.card, m.err = NewBy(counter, catalog[i])
		}
		next[k] = m
		err := m.err
		if first, ok := taken[m.card.ID]; ok && err == nil {
			err = fmt.Errorf("building the card of %.80q: item %d of the catalog has the same id; choose another for one of them", m.card.ID, first)
		}
		if err != nil {
			refused = append(refused, Refused{i, catalog[i].ID, err})
			continue
		}
		taken[m.card.ID] = i
		cards = append(cards, m.card)
	}
	b.made = next
	return cards, refused
}

// key hashes the facts. Texts and lists are prefixed with their lengths, so that different facts give different input.
func (f *Facts) key() key {
	b := make([]byte, 0, 512)
	for _, s := range []string{f.ID, f.Name, f.Description, string(f.Kind), f.Namespace} {
		b = appendText(b, s)
	}
	b = binary.AppendUvarint(b, uint64(len(f.Tags)))
	for _, t := range f.Tags {
		b = appendText(b, t)
	}
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f.CostHint))
	for _, is := range []bool{f.HasSchema, f.SideEffects, f.ReadOnly, f.Destructive} {
		b = append(b, 0)
		if is {
			b[len(b)-1] = 1
		}
	}
	return sha256.Sum256(b)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
