package disclosure

import (
	"runtime"
	"sync"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"
)

// sessions holds the state of each session. The key is a weak pointer to the session, because ids are empty and shared
// on some transports. The state is freed with its session, and no goroutine waits for that. The zero value is ready for
// use.
type sessions struct {
	mu    sync.Mutex
	known map[weak.Pointer[mcp.ServerSession]]*session
}

// session is the state of one session.
type session struct {
	fetches *rate.Limiter // nil is unlimited

	mu    sync.Mutex
	tools map[string]string // definitions by name; empty if they do not matter
}

// maxAuthorised bounds the tools of a session. Only existing tools can be fetched, so it is reached only where tools
// come and go.
const maxAuthorised = 20_000

// of returns the state of a session, which is created at its first fetch.
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

// authorised reports whether a tool was fetched in the session.
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

// authorise records that a tool was fetched. At the limit an arbitrary tool is forgotten.
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
