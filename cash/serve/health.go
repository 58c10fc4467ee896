package serve

import "net/http"

// LiveHandler answers 200 as long as the process can answer at all. Mount it outside of logins.
func (s *Server) LiveHandler() http.Handler { return health(func() bool { return true }) }

// ReadyHandler answers 200, and 503 once [Server.Shutdown] has begun, so that a load balancer sends new
// requests elsewhere. Upstream servers are not asked: one that is down is no reason to take away the
// others. Mount it outside of logins.
func (s *Server) ReadyHandler() http.Handler {
	return health(func() bool { return !s.drain.isStopping() })
}

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
