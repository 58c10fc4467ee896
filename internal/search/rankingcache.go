package search

import (
	"slices"
	"sync"
)

// Callers with the same rights see the same texts, so an index keeps the rankings of recent sets of visible texts in an
// LRU. Its list is never changed, only replaced: searches read it without a lock.

// A cachedRanking is the ranking for one set of visible texts. The first search that needs it computes it.
type cachedRanking struct {
	visible *Set
	once    sync.Once
	ranking *ranking
}

// Limits of the cache, of some 32 MB. A weight takes 8 bytes.
const (
	maxWeights   = 256 << 10 // of one ranking
	totalWeights = 4 << 20   // of all rankings together, and of that for all texts
	termWeights  = 24        // as many as a term takes besides its weights
)

// maxRankings returns how many rankings are cached: 15 for 50,000 texts, up to 256 for fewer.
func (ix *Index) maxRankings() int {
	return max(4, min(256, totalWeights/(min(maxWeights, len(ix.postings))+ix.otherWeights())))
}

// mostWeights returns how many weights each of the cached rankings keeps.
func (ix *Index) mostWeights() int {
	return max(maxWeights/256, min(maxWeights, totalWeights/ix.maxRankings()-ix.otherWeights()))
}

// otherWeights returns as many weights as a ranking takes besides those of its terms.
func (ix *Index) otherWeights() int { return len(ix.terms)/2 + len(ix.groups) + len(ix.texts)/64 + 64 }

// rankingFor returns the ranking for a set of visible texts.
func (ix *Index) rankingFor(visible *Set) *ranking {
	if visible == nil || visible.Len() == len(ix.texts) {
		return ix.everything
	}
	r := ix.cached(visible)
	r.once.Do(func() { r.ranking = ix.newRanking(visible, ix.mostWeights()) })
	return r.ranking
}

// cached returns the cache entry of a set, a new one if there is none. A new entry comes first; the last one may drop
// out.
func (ix *Index) cached(visible *Set) *cachedRanking {
	for {
		old := ix.rankings.Load()
		var list []*cachedRanking
		if old != nil {
			list = *old
		}
		i := slices.IndexFunc(list, func(r *cachedRanking) bool { return r.visible.Equal(visible) })
		// A used entry moves to the front only from the second half. An entry in the first half is far from dropping
		// out, and searches that use the same few sets need not replace the list.
		if i >= 0 && i <= len(list)/2 {
			return list[i]
		}
		next := make([]*cachedRanking, 1, len(list)+1)
		next[0] = &cachedRanking{visible: visible}
		if i >= 0 {
			next[0] = list[i]
		}
		for j, r := range list {
			if j != i && len(next) < ix.maxRankings() {
				next = append(next, r)
			}
		}
		if ix.rankings.CompareAndSwap(old, &next) { // else another search has replaced the list: look again
			return next[0]
		}
	}
}
