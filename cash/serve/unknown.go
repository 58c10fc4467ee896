package serve

import (
	"mime"
	"net/http"
)

// unknownSession is the body of status 404 for a session that this process does not have. It is plain text: some
// clients take a JSON-RPC error for the answer to their request, and keep the session.
const unknownSession = "this session is not known here: it has ended, or it lives in another process of this server. " +
	"Initialize a new one. If that repeats, several processes share this address: have the load balancer route by " +
	sessionHeader + ", or serve without sessions"

// A sessionWriter answers in words if the SDK does not know the session of a request.
type sessionWriter struct {
	http.ResponseWriter
	unknown bool
}

// WriteHeader implements [http.ResponseWriter].
func (s *sessionWriter) WriteHeader(status int) {
	kind, _, _ := mime.ParseMediaType(s.Header().Get("Content-Type"))
	if status != http.StatusNotFound || kind == "application/json" {
		s.ResponseWriter.WriteHeader(status)
		return
	}
	s.unknown = true
	http.Error(s.ResponseWriter, unknownSession, status)
}

// Write implements [http.ResponseWriter].
func (s *sessionWriter) Write(data []byte) (int, error) {
	if s.unknown {
		return len(data), nil // the SDK's own words
	}
	return s.ResponseWriter.Write(data)
}

// Unwrap is for [http.ResponseController].
func (s *sessionWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }
