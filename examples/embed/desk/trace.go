package desk

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
	"regexp"
	"time"
)

type traceKey struct{}

// traceparent is the header by which a caller or a proxy hands on its trace (W3C Trace Context).
var traceparent = regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$`)

// traced gives each request the id of its trace, or a new one, and logs the request when it has ended.
func traced(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var id string
		if m := traceparent.FindStringSubmatch(r.Header.Get("Traceparent")); m != nil {
			id = m[1]
		} else {
			var b [16]byte
			_, _ = rand.Read(b[:]) // never fails
			id = hex.EncodeToString(b[:])
		}
		ctx := context.WithValue(r.Context(), traceKey{}, id)
		start, answer := time.Now(), &statusWriter{w, http.StatusOK}
		next.ServeHTTP(answer, r.WithContext(ctx))
		log.InfoContext(ctx, "request", "method", r.Method, "path", r.URL.Path, "status", answer.status,
			"address", clientAddress(r), "duration", time.Since(start))
	})
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets the MCP endpoint flush its streams and set deadlines through a statusWriter.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// traceHandler adds the trace to all that is logged with a request's context.
type traceHandler struct{ slog.Handler }

func (h traceHandler) Handle(ctx context.Context, r slog.Record) error {
	if id, ok := ctx.Value(traceKey{}).(string); ok {
		r.AddAttrs(slog.String("trace", id))
	}
	return h.Handler.Handle(ctx, r)
}

func (h traceHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return traceHandler{h.Handler.WithAttrs(attrs)}
}

func (h traceHandler) WithGroup(name string) slog.Handler {
	return traceHandler{h.Handler.WithGroup(name)}
}
