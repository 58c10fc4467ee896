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

// maxRankings returns how many rankings are cached, in some 32 MB: 8 for 10,000 texts, hundreds for fewer.
func (ix *Index) maxRankings() int {
	const memory, least, most = 32 << 20, 4, 256
	return max(least, min(most, memory/(1+8*len(ix.postings)+16*len(ix.terms))))
}

// rankingFor returns the ranking for a set of visible texts. A new set takes less than a tenth of the time of [Build].
func (ix *Index) rankingFor(visible *Set) *ranking {
	if visible == nil || visible.Len() == len(ix.texts) {
		return ix.everything
	}
	r := ix.cached(visible)
	r.once.Do(func() { r.ranking = ix.newRanking(visible) })
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
