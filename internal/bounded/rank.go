package bounded

// A ranking orders the shares of a kind by size, the largest first. Its zero value orders none.
type ranking[K comparable, V any] struct {
	kind string
	most Amount
	tree[*queue[K, V]]
}

// Rank makes eviction fair between the shares of a kind, for example between owners. It is for stores whose items are
// all in the share without a name. If that share is full and evicts, items go in this order:
//
//   - those of the new item's own share of the kind,
//   - those of the largest share of the kind.
//
// The size of a share is its part of most: of the count or of the bytes, whichever is larger. Call Rank before the
// first Put.
func (s *Store[K, V]) Rank(kind string, most Amount) {
	s.rank = ranking[K, V]{kind: kind, most: most, tree: tree[*queue[K, V]]{before: func(a, b *queue[K, V]) bool {
		x, y := a.used.part(most), b.used.part(most)
		return x > y || x == y && a.born < b.born
	}}}
}

// has reports whether a share is ranked.
func (r *ranking[K, V]) has(id shareID) bool { return r.before != nil && id.kind == r.kind }

// part returns how much of most an amount is.
func (a Amount) part(most Amount) float64 {
	return max(float64(a.Count)/float64(max(most.Count, 1)), float64(a.Bytes)/float64(max(most.Bytes, 1)))
}

// move changes the items of a share by f, and its sum by more. It keeps the share's place in the ranking.
func (s *Store[K, V]) move(q *queue[K, V], more Amount, f func()) {
	ranked := s.rank.has(q.id)
	if ranked && q.root != nil {
		s.rank.remove(q)
	}
	f()
	q.used = q.used.plus(more)
	if ranked && q.root != nil {
		s.rank.insert(q)
	}
}

// maxLargest is how many of the largest shares are searched for an item without a promise.
const maxLargest = 32

// victim returns the item to evict from the share i, nil if there is none. it is not evicted.
func (s *Store[K, V]) victim(it *Item[K, V], shares []Share, i int) *Item[K, V] {
	oldest := s.free(s.shares[shares[i].id()], it)
	if oldest == nil || s.rank.before == nil || shares[i].id() != (shareID{}) {
		return oldest
	}
	for j := range shares {
		if s.rank.has(shares[j].id()) {
			if own := s.free(s.shares[shares[j].id()], it); own != nil {
				return own
			}
		}
	}
	left := maxLargest
	for q := range s.rank.all {
		if large := s.free(q, it); large != nil {
			return large
		}
		if left--; left == 0 {
			break
		}
	}
	return oldest
}

// free returns the first item of a share that is not it, if its promise has ended, else nil.
func (s *Store[K, V]) free(q *queue[K, V], it *Item[K, V]) *Item[K, V] {
	if first := q.first(it); first != nil && !first.Promised.After(s.now) {
		return first
	}
	return nil
}
