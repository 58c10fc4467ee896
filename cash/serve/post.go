package serve

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// checked passes POST requests to the SDK. It reads the body once, within bounds, and checks it
// with the strict reader. Refusals are answered as JSON-RPC.
func (s *Server) checked(direct *direct, next http.Handler) http.Handler {
	reader := reader{maxBytes: s.opts.MaxBody}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		data, release, err := s.web.bodies.read(r, s.opts.MaxBody)
		if err != nil {
			s.refused(arrivalOf(r), reader.refuseBody(w, err), max(int(r.ContentLength), 0))
			return
		}
		defer release()
		messages, refused := s.read(r, &reader, data)
		if refused != nil {
			s.refused(arrivalOf(r), refused, len(data))
			refused.write(w, r)
			return
		}
		if direct.answers(w, r, messages[0]) {
			return
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
		next.ServeHTTP(w, r)
	})
}

// noBatches is the first protocol version without batches.
const noBatches = "2025-06-18"

// read returns the messages of a body, at least one, or the reason to refuse them.
func (s *Server) read(r *http.Request, reader *reader, data []byte) ([]*message, *refusal) {
	messages, batch, refused := reader.read(data)
	switch {
	case refused != nil:
		return nil, refused
	case batch && (r.Header.Get(versionHeader) >= noBatches || s.begins(r)):
		return nil, refuse(jsonrpc.CodeInvalidRequest, "batches ended with version %s of the protocol, and begin no session", noBatches)
	case batch:
		return messages, nil
	}
	m := messages[0]
	if m.method != "" {
		if refused := headerMismatch(r.Header, m); refused != nil {
			return nil, refused
		}
	}
	if s.begins(r) && !opens(m, r) {
		return nil, &refusal{id: m.id, method: m.method, code: jsonrpc.CodeInvalidRequest, reason: "there is no Mcp-Session-Id, and only initialize begins a session"}
	}
	return messages, nil
}

// opens reports whether a message may come without a session to a server with sessions. The SDK
// tells newer clients how to go on.
func opens(m *message, r *http.Request) bool {
	return m.method == "initialize" || m.method == "server/discover" || r.Header.Get(versionHeader) >= stateless
}

// write answers a request with the refusal. Up to 2025-11-25 an error of a call has the HTTP status
// of any other answer. Newer versions have a status for it.
func (f *refusal) write(w http.ResponseWriter, r *http.Request) {
	status := http.StatusBadRequest
	switch {
	case f.notice && f.code == jsonrpc.CodeMethodNotFound:
		w.WriteHeader(http.StatusAccepted) // a notification that this server ignores
		return
	case f.code == jsonrpc.CodeMethodNotFound && r.Header.Get(versionHeader) >= stateless:
		status = http.StatusNotFound
	case r.Header.Get(versionHeader) >= stateless || f.id == nil:
	case f.code == jsonrpc.CodeMethodNotFound || f.code == jsonrpc.CodeInvalidParams:
		status = http.StatusOK
	}
	writeJSON(w, status, f)
}

// refuseBody answers a request whose body was not read, and returns the answer.
func (r *reader) refuseBody(w http.ResponseWriter, err error) *refusal {
	failed := &bodyError{status: http.StatusBadRequest, reason: err.Error()}
	errors.As(err, &failed)
	f := refuse(jsonrpc.CodeInvalidRequest, "%s", failed.reason)
	switch failed.status {
	case http.StatusRequestEntityTooLarge:
		f = r.tooLarge(failed.head)
	case http.StatusServiceUnavailable:
		f.code = codeBusy
		w.Header().Set("Retry-After", "5")
	}
	writeJSON(w, failed.status, f)
	return f
}

func writeJSON(w http.ResponseWriter, status int, f *refusal) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(f.answer()) // the client may be gone
}
