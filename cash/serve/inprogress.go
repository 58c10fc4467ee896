package serve

import (
	"net/http"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
)

// inProgress bounds the HTTP requests that have no answer yet: in all, and for each payer. Before a request has a place
// of the [Options.Limiter], it is read, and after that its answer is written, at the pace of the client. There is room
// for twice as many requests as calls may run and wait, but at least for fewRequests. Streams (GET) are bounded by
// their sessions. A subscription of 2026-07-28 is a request that lasts; there is room for as many as for sessions.
func (s *Server) inProgress(next http.Handler) http.Handler {
	l := s.opts.Limiter.Limits()
	room := bounded.Room{Most: -1, Each: -1, Reserve: true}
	if l.Calls > 0 {
		room.Most = max(2*(l.Calls+max(l.Queue, 0)), fewRequests)
	}
	if l.PerCaller > 0 {
		room.Each = max(2*(l.PerCaller+max(l.Queue/4, 0)), fewRequests/4)
	}
	quarter := max(s.opts.MaxSessions/4, 1)
	lasting := bounded.NewPlaces(bounded.Room{Most: s.opts.MaxSessions, Each: quarter, Reserve: true})
	passing := bounded.NewPlaces(room)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		places := passing
		if header(r.Header, methodHeader) == listen && header(r.Header, versionHeader) >= stateless { // the body must say the same
			places = lasting
		}
		payer := sessionPayer(r)
		place, err := places.Take(r.Context(), bounded.Owner{Name: payer, Known: payer != ""}, 0)
		if err != nil {
			w.Header().Set("Retry-After", "5")
			http.Error(w, "too many requests in progress: try again in a few seconds", http.StatusServiceUnavailable)
			return
		}
		defer place.Give()
		next.ServeHTTP(w, r)
	})
}

const fewRequests = 256

const (
	answerPart = 64 << 10         // bytes of an answer that a client
	answerTime = 30 * time.Second // takes in this time at least
)

// paced bounds the time for which a client may keep a part of an answer from being written. An embedder's HTTP server
// with a WriteTimeout has a bound of its own.
func paced(each time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if srv, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && srv.WriteTimeout > 0 {
			next.ServeHTTP(w, r)
			return
		}
		p := &pacedWriter{ResponseWriter: w, each: each}
		defer p.end()
		next.ServeHTTP(p, r)
	})
}

type pacedWriter struct {
	http.ResponseWriter
	each    time.Duration
	written int
}

// Unwrap is for [http.ResponseController].
func (p *pacedWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// Write implements [http.ResponseWriter].
func (p *pacedWriter) Write(data []byte) (n int, err error) {
	for first := true; first || len(data) > 0 && err == nil; first = false {
		part := data[:min(len(data), answerPart)]
		data = data[len(part):]
		var m int
		m, err = p.write(part)
		n += m
	}
	p.written += n
	return n, err
}

func (p *pacedWriter) write(part []byte) (int, error) {
	if p.written+len(part) > buffered {
		defer p.hurry()()
	}
	return p.ResponseWriter.Write(part)
}

// FlushError is what [http.ResponseController] calls.
func (p *pacedWriter) FlushError() error {
	defer p.hurry()()
	return http.NewResponseController(p.ResponseWriter).Flush()
}

// Flush implements [http.Flusher].
func (p *pacedWriter) Flush() { _ = p.FlushError() }

// hurry sets a deadline for what is written now, and returns what removes it: between the messages of a stream there
// may be any time, and over HTTP/2 a deadline that passes ends the stream even if nothing is written.
func (p *pacedWriter) hurry() (done func()) {
	rc := http.NewResponseController(p.ResponseWriter)
	_ = rc.SetWriteDeadline(time.Now().Add(p.each)) // a wrapped writer may not support deadlines
	return func() { _ = rc.SetWriteDeadline(time.Time{}) }
}

// buffered is the most bytes that net/http keeps for a header with their number.
const buffered = 2 << 10

// end writes what is left of a large answer, which net/http would write without a bound.
func (p *pacedWriter) end() {
	if p.written > buffered {
		_ = p.FlushError()
	}
}
