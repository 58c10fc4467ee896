package bounded

// Shares returns how many shares have something in the store.
func (s *Store[K, V]) Shares() int { return len(s.shares) }

// Owners returns how many owners are kept.
func (p *Places) Owners() int { return int(p.kept.Load()) }
