package disclosure

// For tests of what has no other way to be seen.
var (
	ParseTools       = parseTools
	ParseDescription = func(tool string, data []byte) error { _, err := parseDescription(tool, data); return err }
	TakeGrant        = takeGrant
	Minimal          = minimal
	SentenceEnd      = sentenceEnd
)

// Sessions returns of how many sessions something is known.
func (s *Server) Sessions() int {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	return len(s.sessions.known)
}

// Callers returns how many callers without a session are told apart.
func (s *Server) Callers() int {
	s.fetches.callers.Lock()
	defer s.fetches.callers.Unlock()
	return s.fetches.callers.Len()
}
