package serve

import "net/http"

// LiveHandler answers 200 as long as the process can answer at all. Mount it outside of logins.
func (s *Server) LiveHandler() http.Handler { return health(func() bool { return true }) }

// ReadyHandler answers 200, and 503 once [Server.Retire] was called or [Server.Shutdown] has begun, so that
// a load balancer sends new requests elsewhere. Upstream servers are not asked: one that is down is no
// reason to take away the others. Mount it outside of logins.
func (s *Server) ReadyHandler() http.Handler {
	return health(func() bool { return !s.retired.Load() && !s.drain.isStopping() })
}

// Retire makes [Server.ReadyHandler] answer 503, while the server still serves what comes. For a restart without a
// refused call, call it first, wait until load balancers have asked, and then call [Server.Shutdown].
func (s *Server) Retire() { s.retired.Store(true) }

func health(well func() bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "GET or HEAD", http.StatusMethodNotAllowed)
		case !well():
			w.Header().Set("Retry-After", "5")
			http.Error(w, stopped, http.StatusServiceUnavailable)
		default:
			_, _ = w.Write([]byte("ok\n"))
		}
	})
}
