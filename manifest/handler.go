package manifest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/cash-mcp/go-sdk/internal/mistake"
)

// A Source returns the manifest to serve. The context is that of the request. The manifest is not changed. If there
// is an error, a panic, or no manifest, the response has status 503; the reason is logged, never shown.
type Source func(context.Context) (*Manifest, error)

// Static returns a source of a fixed manifest, which must not change any more.
func Static(m *Manifest) Source {
	return func(context.Context) (*Manifest, error) { return m, nil }
}

// HandlerOptions configure Handler. Nil is fine.
type HandlerOptions struct {
	// Public allows shared caches. Set it only if the source returns the same manifest to everybody.
	Public bool
	// Logger gets failures of the source. Nil discards.
	Logger *slog.Logger
}

// Handler serves a manifest; mount it at WellKnownPath (RFC section 5.5). It answers GET and HEAD with
// application/yaml, or with application/json if the client prefers that. Caches may keep the answer for the
// manifest's TTL, and revalidate it. It panics if source is nil.
func Handler(source Source, opts *HandlerOptions) http.Handler {
	if source == nil {
		mistake.Check("manifest", errors.New("Handler without a source"))
	}
	h := &handler{source: source}
	if opts != nil {
		h.opts = *opts
	}
	h.opts.Logger = cmp.Or(h.opts.Logger, slog.New(slog.DiscardHandler))
	return h
}

type handler struct {
	source Source
	opts   HandlerOptions
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "a manifest can only be read: use GET", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Vary", "Accept")
	m, err := h.manifest(r.Context())
	media, body := MediaTypeYAML, []byte(nil)
	switch {
	case err != nil:
	case prefersJSON(r.Header):
		media = MediaTypeJSON
		body, err = m.MarshalJSON()
	default:
		body, err = m.YAML()
	}
	if err != nil {
		h.opts.Logger.ErrorContext(r.Context(), "no manifest to serve", "error", err)
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "the manifest is not available now: try again later", http.StatusServiceUnavailable)
		return
	}
	header := w.Header()
	header.Set("Content-Type", media)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", h.cacheControl(m))
	header.Set("ETag", etag(body))
	// No Last-Modified: last_updated is only a date, and would hide a second change on the same day.
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// manifest calls the source, which may fail in any way.
func (h *handler) manifest(ctx context.Context) (m *Manifest, err error) {
	defer func() {
		if v := recover(); v != nil { // only its type is sure to be no secret
			m, err = nil, fmt.Errorf("the source panicked with a %T: %s", v, debug.Stack())
		}
	}()
	m, err = h.source(ctx)
	if err == nil && m == nil {
		err = errors.New("the source returned no manifest")
	}
	return m, err
}

func (h *handler) cacheControl(m *Manifest) string {
	scope := "private"
	if h.opts.Public {
		scope = "public"
	}
	if m.TTL() == 0 {
		return scope + ", no-cache"
	}
	return fmt.Sprintf("%s, max-age=%d", scope, int64(m.TTL()/time.Second))
}

// etag returns the validator of a body. YAML and JSON have different ones.
func etag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}
