package bounded

// Shares returns how many shares have something in the store.
func (s *Store[K, V]) Shares() int { return len(s.shares) }
