package mcpclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"syscall"
	"time"
)

// A Class is the reason for a missing answer. The set is closed.
type Class int

const (
	Unreachable Class = iota + 1 // no connection: name, network, refused, handshake; a process that does not start
	Certificate                  // the server's certificate could not be verified
	Status                       // an HTTP status instead of an answer
	Redirect                     // redirected to another host, or in a way that loses the request; not followed
	Malformed                    // the answer is invalid
	TooLarge                     // the answer exceeds [Limits].Message
	Lost                         // the connection or process ended before the answer
	Flooded                      // more messages than [Limits].Unanswered before the answer
)

var classes = [...]string{"", "unreachable", "certificate", "status", "redirect", "malformed", "too large", "lost", "flooded"}

// String returns the class in a word or two.
func (c Class) String() string {
	if c < 1 || int(c) >= len(classes) {
		return fmt.Sprintf("Class(%d)", int(c))
	}
	return classes[c]
}

// An Error says why a request has no answer. Find it with [errors.As] in the SDK's error, or in [Exchange.Err].
type Error struct {
	Class      Class
	Status     int           // for Status, and for Redirect if the request is lost
	RetryAfter time.Duration // how long the server asks clients to wait, at most a day; zero if it does not
	Reason     string        // a short clause without addresses, secrets and the server's words
	Ended      bool          // the server's data caused the end of the connection and of all its calls
	Err        error         // the cause, for logs; may be nil. [mcp.ErrSessionMissing]: the session is gone, nothing ran
}

// Error returns class and reason.
func (e *Error) Error() string { return e.Class.String() + ": " + e.Reason }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func malformed(reason string) *Error { return &Error{Class: Malformed, Reason: reason} }

func lost(reason string, err error) *Error { return &Error{Class: Lost, Reason: reason, Err: err} }

func tooLarge(limit int) *Error {
	return &Error{Class: TooLarge, Reason: "the answer has more than " + Size(limit)}
}

func flooded(limit int) *Error {
	return &Error{Class: Flooded, Reason: "it sent more than " + Count(limit) + " messages before it answered"}
}

// failure turns an error of an [http.Client] into an *Error. An error of the context stays.
func failure(ctx context.Context, err error, sent bool) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var where *url.Error
	if errors.As(err, &where) {
		err = where.Err // without the URL, whose query may hold secrets
	}
	switch {
	case untrusted(err):
		return &Error{Class: Certificate, Reason: "its certificate could not be verified", Err: err}
	case undialled(err) || !sent:
		return &Error{Class: Unreachable, Reason: unreachable(err), Err: err}
	case timedOut(err):
		return lost("no answer in time", err)
	}
	return lost("the connection ended before the answer", err)
}

func untrusted(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		authority    x509.UnknownAuthorityError
		host         x509.HostnameError
		invalid      x509.CertificateInvalidError
		roots        x509.SystemRootsError
	)
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &host) ||
		errors.As(err, &invalid) || errors.As(err, &roots)
}

func undialled(err error) bool {
	var dns *net.DNSError
	var op *net.OpError
	return errors.As(err, &dns) || errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
}

func timedOut(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

func unreachable(err error) string {
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &dns):
		return "its name cannot be resolved"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case errors.As(err, &record), errors.As(err, &alert):
		return "the TLS handshake failed"
	case timedOut(err):
		return "no connection in time"
	}
	return "no connection could be made"
}
