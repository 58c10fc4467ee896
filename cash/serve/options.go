package serve

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
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

// Options are what all faces have in common: what a client is told, how calls
// run, who calls, and how the face is hosted. The zero value is fine: everyone is
// anonymous, or who the context says, and the limits are the defaults below.
type Options struct {
	// Instructions is sent to clients when they connect, before what the face itself
	// says there. Clients cut it at some 2,000 bytes. Empty adds nothing.
	Instructions string
	// Hint says what is behind the server, in words that a model might look for. It
	// is added to the description of the tool that finds functions: help,
	// tool_browse, or tool_execute in a proxy. Faces whose tools name the functions
	// themselves leave it out. At most 200 characters; a longer one panics.
	Hint string

	// Timeout is the deadline of calls to functions that have none of their own.
	// Zero is [registry.DefaultTimeout]; negative is none.
	Timeout time.Duration
	// MaxArguments is the most bytes of the arguments of a call, and of what else a
	// tool of the face takes. Zero is [registry.DefaultMaxArguments]; negative is no
	// limit.
	MaxArguments int
	// Repair mends arguments of the wrong type where that takes no guessing; see
	// [registry.PipelineOptions]. False refuses them.
	Repair bool
	// Middleware wraps every function; the first is outermost.
	Middleware []registry.Middleware
	// Controls decide about calls, inside of Middleware. The limits of its Quota for
	// a face's own tools are heeded, and with its Plans calls take dry_run and
	// plan_token, where the face has such. Nil is none.
	Controls *control.Controls

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
	// line unless the transport has a limit of its own. Zero is MaxArguments, and
	// 256 KiB for what is around them. It also bounds the number of values in a
	// message: one for 40 bytes, but at least 100,000.
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
	// Logger gets panics, refusals, and what functions do wrong. Nil discards.
	Logger *slog.Logger
}

// maxHint bounds [Options.Hint], which every client pays for.
const maxHint = 200

// Check returns what a face panics with for options in error: a hint that is too
// long. Nil options are none.
func (o *Options) Check() error {
	if o == nil {
		return nil
	}
	if n := utf8.RuneCountInString(o.Hint); n > maxHint {
		return fmt.Errorf("Hint has %d characters, at most %d are allowed", n, maxHint)
	}
	return nil
}

// WithDefaults returns the options with what the zero values of their fields stand
// for; nil is all of them. It is for makers of faces.
func (o *Options) WithDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	d.Timeout = cmp.Or(d.Timeout, registry.DefaultTimeout)
	d.MaxArguments = cmp.Or(d.MaxArguments, registry.DefaultMaxArguments)
	d.MaxBody = cmp.Or(d.MaxBody, messageLimit(d.MaxArguments))
	d.BodyTimeout = cmp.Or(d.BodyTimeout, 20*time.Second)
	d.MaxCalls = cmp.Or(d.MaxCalls, 1024)
	d.SessionTimeout = cmp.Or(d.SessionTimeout, 30*time.Minute)
	d.MaxSessions = cmp.Or(d.MaxSessions, 10_000)
	d.DrainTimeout = cmp.Or(d.DrainTimeout, 10*time.Second)
	if d.Controls == nil {
		d.Controls = new(control.Controls)
	}
	if d.CrossOrigin == nil {
		d.CrossOrigin = http.NewCrossOriginProtection()
	}
	if d.Logger == nil {
		d.Logger = slog.New(slog.DiscardHandler)
	}
	return d
}

// around is what a message may have besides the arguments of a tool, in bytes.
const around = 256 << 10

// unlimited is the largest message where arguments have no limit.
const unlimited = 64 << 20

// messageLimit returns the most bytes of a message with so many of arguments.
func messageLimit(arguments int) int64 {
	if arguments < 0 {
		return unlimited
	}
	return int64(arguments) + around
}

// Pipeline returns the options of a pipeline whose calls run as o says. It is for
// makers of faces.
func (o *Options) Pipeline() *registry.PipelineOptions {
	return &registry.PipelineOptions{
		Middleware:   slices.Concat(o.Middleware, o.Controls.Middleware()),
		Timeout:      o.Timeout,
		MaxArguments: o.MaxArguments,
		Repair:       o.Repair,
		Logger:       o.Logger,
	}
}
