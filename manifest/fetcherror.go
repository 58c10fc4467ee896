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

// A Kind says what a failed fetch means to whoever wants the manifest. The set
// is closed; the zero Kind means nothing.
type Kind int

const (
	// KindConfig is a mistake of the operator: a URL that cannot be used.
	// Nothing was sent. Fetching again cannot help.
	KindConfig Kind = iota + 1
	// KindTransient is a manifest that could not be had: the network, TLS, a
	// status other than success. Nothing is known against the server; what was
	// fetched before may be shown as unavailable until it recovers (RFC section
	// 5.4.2).
	KindTransient
	// KindInvalid is an answer that is no manifest. The server is at fault, and
	// what it says must not be used.
	KindInvalid
	// KindUnsafe is a server that leads elsewhere: to another host by a
	// redirect or by its endpoint, or to an address that is not public. Nothing
	// may be sent there.
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

// A FetchError says why there is no manifest. Its text may be shown to a model:
// it is short, and names no host or address but the one that was asked.
type FetchError struct {
	Kind   Kind
	Host   string // in canonical form, with the port if it is not 443; empty if none was asked
	Reason string
	// RetryAfter is how long the server asks to be left alone: in its headers, at
	// most a day; by a manifest whose endpoint is refused, for its cache_ttl. Zero
	// is not to say.
	RetryAfter time.Duration
	// Err is the cause, nil if there is none. It is for logs: it may name what
	// the text leaves out, but for the URL, which may hold secrets.
	Err error
}

// Error returns the reason, as in: fetching the manifest of mcp.example: it did
// not answer in time.
func (e *FetchError) Error() string {
	if e.Host == "" {
		return e.Reason
	}
	return "fetching the manifest of " + e.Host + ": " + e.Reason
}

// Unwrap returns Err.
func (e *FetchError) Unwrap() error { return e.Err }

// later is err, which must be a *FetchError, for a server that asks to be left
// alone.
func later(err error, d time.Duration) error {
	var e *FetchError
	if errors.As(err, &e) {
		e.RetryAfter = d
	}
	return err
}

// failure gives an error of the network its kind and words. The words of the
// error itself are not shown: they may name addresses, or be the server's.
func failure(host string, err error) error {
	var own *FetchError
	if errors.As(err, &own) {
		return own
	}
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // without the URL
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

// broken, deferred, makes an error of a panic of what the embedder gave: Header,
// Proxy or Transport. Of its value only the type is no secret.
func broken(host string, err *error) {
	if v := recover(); v != nil {
		cause := fmt.Errorf("a function of the options panicked with a %T: %s", v, debug.Stack())
		*err = &FetchError{Kind: KindTransient, Host: host, Reason: "asking it failed here", Err: cause}
	}
}
