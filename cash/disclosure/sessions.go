package disclosure

import (
	"runtime"
	"sync"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"
)

// sessions is what is known of each session. The key is the session itself, for
// its id is empty on some transports, and shared then. The keys are weak: when
// nothing uses a session any more, what is known of it goes with it, and no
// goroutine has to wait for that. The zero value is ready.
type sessions struct {
	mu    sync.Mutex
	known map[weak.Pointer[mcp.ServerSession]]*session
}

// session is what is known of one.
type session struct {
	fetches *rate.Limiter // nil is no limit

	mu    sync.Mutex
	tools map[string]string // definitions by name, empty where they do not matter
}

// maxAuthorised bounds the tools of a session. Only what there is can be fetched,
// so it is met where tools come and go.
const maxAuthorised = 20_000

// of returns what is known of a session, which begins with its first fetch.
func (s *sessions) of(ss *mcp.ServerSession, fetches func() *rate.Limiter) *session {
	key := weak.Make(ss)
	s.mu.Lock()
	defer s.mu.Unlock()
	if one, ok := s.known[key]; ok {
		return one
	}
	if s.known == nil {
		s.known = make(map[weak.Pointer[mcp.ServerSession]]*session)
	}
	one := &session{fetches: fetches(), tools: make(map[string]string)}
	s.known[key] = one
	runtime.AddCleanup(ss, s.forget, key)
	return one
}

func (s *sessions) forget(key weak.Pointer[mcp.ServerSession]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, key)
}

// authorised reports whether a tool has been fetched in the session.
func (s *sessions) authorised(ss *mcp.ServerSession, name, definition string) bool {
	s.mu.Lock()
	one := s.known[weak.Make(ss)]
	s.mu.Unlock()
	if one == nil {
		return false
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	fetched, ok := one.tools[name]
	return ok && fetched == definition
}

// authorise notes that a tool has been fetched. Of too many, any one is forgotten.
func (s *session) authorise(name, definition string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other := range s.tools {
		if len(s.tools) < maxAuthorised {
			break
		}
		delete(s.tools, other)
	}
	s.tools[name] = definition
}
