package manifest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"runtime/debug"
	"strings"
	"time"
)

// A Kind says what a failed fetch means to the caller. The set is closed; zero is no kind.
type Kind int

const (
	// KindConfig is a mistake of the operator: an unusable URL. Nothing was sent. Retrying cannot help.
	KindConfig Kind = iota + 1
	// KindTransient is an unavailable manifest: a failure of the network or TLS, or an HTTP status other than
	// success. The server may recover; until then its last catalog may be shown as unavailable (RFC section 5.4.2).
	KindTransient
	// KindInvalid is an answer that is not a manifest. It is the server's fault; its data must not be used.
	KindInvalid
	// KindUnsafe is a server that leads elsewhere: a redirect or an endpoint on another host, or an address that is
	// not public. Nothing may be sent there.
	KindUnsafe
)

// String returns the kind as one word.
func (k Kind) String() string {
	switch k {
	case KindConfig:
		return "config"
	case KindTransient:
		return "transient"
	case KindInvalid:
		return "invalid"
	case KindUnsafe:
		return "unsafe"
	}
	return "unknown"
}

// A FetchError says why there is no manifest. Its text is fit for a model: it is short, and names only the
// requested host.
type FetchError struct {
	Kind   Kind
	Host   string // in canonical form, with the port if it is not 443; empty if nothing was sent
	Reason string
	// RetryAfter is how long the server asks clients to wait: by its headers, at most a day, or by the cache_ttl of
	// a manifest whose endpoint is refused. Zero if it does not.
	RetryAfter time.Duration
	// Err is the cause; nil if there is none. It is for logs, and may hold details that the text leaves out, but
	// never the URL with its possible secrets.
	Err error
}

// Error returns the reason, as in: fetching the manifest of mcp.example: it did not answer in time.
func (e *FetchError) Error() string {
	if e.Host == "" {
		return e.Reason
	}
	return "fetching the manifest of " + e.Host + ": " + e.Reason
}

// Unwrap returns Err.
func (e *FetchError) Unwrap() error { return e.Err }

// later adds RetryAfter to err, which must be a *FetchError.
func later(err error, d time.Duration) error {
	var e *FetchError
	if errors.As(err, &e) {
		e.RetryAfter = d
	}
	return err
}

// failure turns an error of the network into a FetchError. It does not show the error's own text, which may hold
// addresses or words of the server.
func failure(host string, err error) error {
	var own *FetchError
	if errors.As(err, &own) {
		return own
	}
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // drops the URL
	}
	e := &FetchError{Kind: KindTransient, Host: host, Err: err}
	var timeout net.Error
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var op *net.OpError
	switch {
	case errors.Is(err, errNotPublic):
		e.Kind = KindUnsafe
		e.Reason = "its address is not public; the operator may allow it"
	case errors.Is(err, context.Canceled):
		e.Reason = "the fetch was cancelled"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Reason = "it did not answer in time"
	case errors.As(err, &dns):
		e.Reason = "its name cannot be resolved"
	case errors.As(err, &cert):
		e.Reason = "its certificate cannot be verified"
	case strings.Contains(err.Error(), "tls: "):
		e.Reason = "no secure connection can be made"
	case errors.As(err, &op) && op.Op == "dial":
		e.Reason = "it cannot be reached"
	default:
		e.Reason = "the exchange with it failed"
	}
	return e
}

// recoverPanic turns a panic of the embedder's Header, Proxy or Transport into an error. It must be deferred. Only the
// type of the panic's value is shown.
func recoverPanic(host string, err *error) {
	if v := recover(); v != nil {
		cause := fmt.Errorf("a function of the options panicked with a %T: %s", v, debug.Stack())
		*err = &FetchError{Kind: KindTransient, Host: host, Reason: "asking it failed here", Err: cause}
	}
}
