package serve

import (
	"context"
	"net/http"
	"time"

	"github.com/cash-mcp/go-sdk/registry/observe"
)

// An exchange is an HTTP request with its answer. It is the request's [http.ResponseWriter], and sees the status.
type exchange struct {
	http.ResponseWriter
	status  int  // zero until it is sent
	body    body // see [bodies.limit]
	arrival arrival
}

// Unwrap is for [http.ResponseController].
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 && status >= http.StatusOK {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

// observed counts answers with an error status, and tells the hook of requests that were refused before they were
// understood. It is the outermost handler. next may change its request.
func (s *Server) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{ResponseWriter: w}
		ctx := r.Context()
		if s.observer != nil {
			x.arrival.start = time.Now()
			ctx = context.WithValue(ctx, arrivalKey{}, &x.arrival)
		}
		r = r.WithContext(ctx)
		defer func() { // also after a panic
			s.counts.answered(x.status)
			if (x.status >= firstError || x.arrival.code != 0) && !x.arrival.seen.Load() {
				s.tell(r.Context(), &x.arrival, observe.Request{Transport: overHTTP, Header: r.Header, Status: x.status})
			}
		}()
		next.ServeHTTP(x, r)
	})
}

// arrivalOf returns the arrival of an HTTP request; nil if nobody observes.
func arrivalOf(r *http.Request) *arrival {
	a, _ := r.Context().Value(arrivalKey{}).(*arrival)
	return a
}
