package search

import (
	"math"
	"math/bits"
	"slices"
)

// A Set is a set of texts, by index. A nil set contains all texts.
type Set struct{ bits []uint64 }

// NewSet returns an empty set of up to n texts.
func NewSet(n int) *Set { return &Set{make([]uint64, (n+63)/64)} }

// Add adds text i.
func (s *Set) Add(i int) { s.bits[i/64] |= 1 << (i % 64) }

// Remove takes text i out.
func (s *Set) Remove(i int) { s.bits[i/64] &^= 1 << (i % 64) }

// AddRange adds the texts from first up to, but not including, end.
func (s *Set) AddRange(first, end int) {
	for ; first < end && first%64 > 0; first++ {
		s.Add(first)
	}
	for ; first+64 <= end; first += 64 {
		s.bits[first/64] = math.MaxUint64
	}
	for ; first < end; first++ {
		s.Add(first)
	}
}

// Has reports whether text i is in the set.
func (s *Set) Has(i int) bool {
	return s == nil || s.bits[i/64]&(1<<(i%64)) != 0
}

// count returns how many of the texts are in the set.
func (s *Set) count(texts []uint32) int {
	if s == nil {
		return len(texts)
	}
	n := 0
	for _, i := range texts {
		n += int(s.bits[i/64] >> (i % 64) & 1)
	}
	return n
}

// Len returns the number of texts in a set, which must not be nil.
func (s *Set) Len() int {
	n := 0
	for _, b := range s.bits {
		n += bits.OnesCount64(b)
	}
	return n
}

// Equal reports whether two sets are equal. Neither may be nil.
func (s *Set) Equal(t *Set) bool { return slices.Equal(s.bits, t.bits) }
