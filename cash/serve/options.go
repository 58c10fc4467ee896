package serve

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// An HTTPMode says which clients over HTTP get a session.
type HTTPMode int

// The modes.
const (
	BothGenerations HTTPMode = iota // those up to 2025-11-25 do, those from 2026-07-28 on do not
	SessionsOnly                    // all do; clients that know no version up to 2025-11-25 are refused
	NoSessions                      // nobody does: each request stands by itself
)

// Options configure how a face is served. Nil is fine: everyone is anonymous,
// or who the context says, and the limits are the defaults below.
type Options struct {
	// Identify decides who a request comes from. It is given the SDK's request:
	// over HTTP its Extra has the headers and the verified token. A nil caller
	// is anonymous; an error refuses the request, and its text is shown. Nil
	// leaves it to the token, or to the context.
	Identify func(context.Context, mcp.Request) (*registry.Caller, error)

	// VerifyToken, if set, makes HTTP demand a bearer token and verifies it.
	// The caller's ID is the token's UserID, its roles are the token's scopes.
	VerifyToken auth.TokenVerifier
	// Token refines VerifyToken. Nil demands a token that expires.
	Token *auth.RequireBearerTokenOptions

	// HTTP says which clients over HTTP get a session.
	HTTP HTTPMode
	// MaxBody is the most bytes of a message: the body of an HTTP request, and a
	// line unless the transport has a limit of its own. Zero is as much as the
	// face takes in arguments ([Face]), and 256 KiB for what is around them. It
	// also bounds the number of values in a message: one for 40 bytes, but at
	// least 100,000.
	MaxBody int64
	// BodyTimeout is how long the body of an HTTP request may take to arrive.
	// What runs afterwards may take longer. Zero is 20 seconds, or the
	// ReadTimeout of the http.Server if that is shorter. Middleware that wraps the
	// http.ResponseWriter must have Unwrap, or there is no such limit.
	BodyTimeout time.Duration
	// MaxCalls is the most calls in flight on a connection that Run serves;
	// further ones are refused until answers have been read. Zero is 1,024.
	MaxCalls int
	// SessionTimeout ends HTTP sessions that are idle for so long. Zero is 30
	// minutes.
	SessionTimeout time.Duration
	// MaxSessions is the most HTTP sessions at a time; further clients are told
	// to come back later. Zero is 10,000.
	MaxSessions int
	// CrossOrigin decides which browsers' requests are let through. Nil is
	// http.NewCrossOriginProtection(): those of the same origin.
	CrossOrigin *http.CrossOriginProtection

	// Logging tells clients that functions send them log messages, such as those
	// of upstream servers do ([registry.Client]). False tells them nothing.
	Logging bool
	// DrainTimeout is how long Run lets calls in flight go on after its context
	// has ended. Zero is 10 seconds.
	DrainTimeout time.Duration
	// Logger gets panics and refusals. Nil discards.
	Logger *slog.Logger
}

// around is what a message may have besides the arguments of a tool, in bytes.
const around = 256 << 10

// unlimited is the largest message for a face without a limit of its own.
const unlimited = 64 << 20

// messageLimit returns the most bytes of a message with arguments of a face.
func messageLimit(face Face) int64 {
	switch n := face.MaxArguments(); {
	case n < 0:
		return unlimited
	case n == 0:
		return registry.DefaultMaxArguments + around
	default:
		return int64(n) + around
	}
}

func (o *Options) withDefaults(face Face) Options {
	var d Options
	if o != nil {
		d = *o
	}
	d.MaxBody = cmp.Or(d.MaxBody, messageLimit(face))
	d.BodyTimeout = cmp.Or(d.BodyTimeout, 20*time.Second)
	d.MaxCalls = cmp.Or(d.MaxCalls, 1024)
	d.SessionTimeout = cmp.Or(d.SessionTimeout, 30*time.Minute)
	d.MaxSessions = cmp.Or(d.MaxSessions, 10_000)
	d.DrainTimeout = cmp.Or(d.DrainTimeout, 10*time.Second)
	if d.CrossOrigin == nil {
		d.CrossOrigin = http.NewCrossOriginProtection()
	}
	if d.Logger == nil {
		d.Logger = slog.New(slog.DiscardHandler)
	}
	return d
}
