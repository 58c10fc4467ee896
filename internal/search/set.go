package search

import (
	"math/bits"
	"slices"
)

// A Set is a set of texts, by index. In a nil set are all.
type Set struct{ bits []uint64 }

// NewSet returns an empty set of up to n texts.
func NewSet(n int) *Set { return &Set{make([]uint64, (n+63)/64)} }

// Add adds text i.
func (s *Set) Add(i int) { s.bits[i/64] |= 1 << (i % 64) }

// AddRange adds the texts from first up to and without end.
func (s *Set) AddRange(first, end int) {
	for ; first < end; first++ {
		s.Add(first)
	}
}

// Has reports whether text i is in the set.
func (s *Set) Has(i int) bool {
	return s == nil || s.bits[i/64]&(1<<(i%64)) != 0
}

// Len returns how many texts are in a set that is not nil.
func (s *Set) Len() int {
	n := 0
	for _, b := range s.bits {
		n += bits.OnesCount64(b)
	}
	return n
}

// Equal reports whether two sets that are not nil are the same.
func (s *Set) Equal(t *Set) bool { return slices.Equal(s.bits, t.bits) }
