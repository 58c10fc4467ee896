package serve

import (
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const sessionHeader = "Mcp-Session-Id"

// unusedTimeout is the life of a session that has made no request. A client that only connects costs as much as one
// that works, and has nothing to lose.
const unusedTimeout = time.Minute

// sessions bounds the HTTP sessions: in all, and for each payer, so that one client cannot keep all others out.
type sessions struct {
	*Server
	srv  *mcp.Server
	next http.Handler

	mu    sync.Mutex
	began map[string]*session // by id; some may have ended
	held  map[string]int      // by payer: sessions in began, and those that are beginning
	all   int                 // sum of held
	swept time.Time           // when the ended ones were last removed
}

type session struct {
	payer  string
	unused *time.Timer // nil once it has made a request
}

func newSessions(s *Server, srv *mcp.Server, next http.Handler) *sessions {
	return &sessions{Server: s, srv: srv, next: next, began: make(map[string]*session), held: make(map[string]int)}
}

// ServeHTTP implements [http.Handler].
func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.begins(r) {
		if r.Method == http.MethodGet {
			s.use(r.Header.Get(sessionHeader))
		}
		if r.Header.Get(sessionHeader) != "" {
			w = &sessionWriter{ResponseWriter: w}
		}
		s.next.ServeHTTP(w, r)
		return
	}
	payer := sessionPayer(r)
	if !s.reserve(payer) {
		s.opts.Logger.WarnContext(r.Context(), "refusing an HTTP session", "limit", s.opts.MaxSessions)
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many sessions: try again later", http.StatusServiceUnavailable)
		return
	}
	id := ""
	defer func() { s.keep(id, payer) }() // also after a panic
	s.next.ServeHTTP(w, r)
	id = w.Header().Get(sessionHeader)
}

// begins reports whether a request asks for a new session.
func (s *Server) begins(r *http.Request) bool {
	return r.Method == http.MethodPost && header(r.Header, sessionHeader) == "" && !s.withoutSession(r)
}

// sessionPayer returns whose share a new session takes: the caller's, else the address's; empty if both are unknown.
func sessionPayer(r *http.Request) string {
	if user := userIn(r.Context()); user != "" {
		return "caller:" + user
	}
	if address := addressIn(r.Context()); address != "" {
		return "address:" + address
	}
	return ""
}

// reserve takes room for a session that begins.
func (s *sessions) reserve(payer string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	quarter := s.opts.MaxSessions / 4
	share := max(quarter, 1)
	if payer == "" {
		share = s.opts.MaxSessions - quarter
	}
	full := func() bool { return s.all >= s.opts.MaxSessions || s.held[payer] >= share }
	if full() {
		s.sweep()
	}
	if full() {
		return false
	}
	s.held[payer]++
	s.all++
	return true
}

// sweep removes the sessions that have ended, at most once a second. The caller holds s.mu.
func (s *sessions) sweep() {
	if now := time.Now(); now.Sub(s.swept) >= time.Second {
		s.swept = now
	} else {
		return
	}
	live := make(map[string]bool, len(s.began))
	for ss := range s.srv.Sessions() {
		live[ss.ID()] = true
	}
	for id, session := range s.began {
		if !live[id] {
			delete(s.began, id)
			session.stop()
			s.release(session.payer)
		}
	}
}

// count returns the number of sessions. It may be a second old.
func (s *sessions) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	return s.all
}

func (s *sessions) release(payer string) {
	s.all--
	if s.held[payer]--; s.held[payer] == 0 {
		delete(s.held, payer)
	}
}

// keep notes that a session has begun; it has not if id is empty.
func (s *sessions) keep(id, payer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" || s.began[id] != nil {
		s.release(payer)
		return
	}
	s.began[id] = &session{payer, time.AfterFunc(unusedTimeout, func() { s.end(id) })}
}

// use notes that a session has made a request.
func (s *sessions) use(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session := s.began[id]; session != nil {
		session.stop()
	}
}

func (s *session) stop() {
	if s.unused != nil {
		s.unused.Stop()
		s.unused = nil
	}
}

// end ends a session that has made no request.
func (s *sessions) end(id string) {
	s.mu.Lock()
	session := s.began[id]
	if session == nil || session.unused == nil {
		s.mu.Unlock()
		return
	}
	delete(s.began, id)
	s.release(session.payer)
	s.mu.Unlock()
	for ss := range s.srv.Sessions() {
		if ss.ID() == id {
			_ = ss.Close()
			return
		}
	}
}

// used notes that the session of a request is in use. The handshake is no use.
func (h *Host) used(method string, req mcp.Request) {
	all := h.server.web.sessions.Load()
	if all == nil || h.conn != "" || method == "initialize" || method == "notifications/initialized" {
		return
	}
	if ss := Session(req); ss != nil {
		all.use(ss.ID())
	}
}
