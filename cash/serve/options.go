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
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// An HTTPMode selects the clients that get a session over HTTP.
type HTTPMode int

// The modes.
const (
	BothGenerations HTTPMode = iota // clients up to 2025-11-25 get one, those from 2026-07-28 on do not
	SessionsOnly                    // every client; those that know no version up to 2025-11-25 are refused
	NoSessions                      // no client: each request stands alone
)

// Options are common to all faces, whose own options hold them in their field Serve: texts for clients, the running of
// calls, identity, and hosting. The zero value is ready: callers come from the context, else are anonymous, and the
// limits are the defaults below.
type Options struct {
	// Instructions is sent to connecting clients, before the face's own text. Clients cut it at
	// some 2,000 bytes. Empty adds nothing.
	Instructions string
	// Hint names the contents of the server in words that a model might look for. It is added to
	// the description of the tool that finds functions: help, tool_browse, or tool_execute in a
	// proxy. Faces with a tool per function ignore it. It has at most 200 characters; a longer one
	// panics.
	Hint string

	// Timeout is the deadline of a call whose function has none of its own. Zero is
	// [registry.DefaultTimeout]; negative is none.
	Timeout time.Duration
	// MaxArguments is the most bytes of a call's arguments, and of the other arguments of the
	// face's tools. Zero is [registry.DefaultMaxArguments]; negative is no limit.
	MaxArguments int
	// Repair corrects arguments of the wrong type by fixed rules; see [registry.PipelineOptions].
	// False refuses them.
	Repair bool
	// Limiter bounds the calls at a time, in all and of each caller, and other requests that cost time: help,
	// skills, searches and lists. It also bounds the HTTP requests without an answer, to twice as many. Servers
	// may share one. Nil is one of its own with the defaults of [registry.Limits].
	Limiter *registry.Limiter
	// Middleware wraps every function; the first is outermost.
	Middleware []registry.Middleware
	// Controls decide about calls, inside of Middleware. A face with tools of its own applies the
	// limits of their Quota to them. With their Plans, calls take dry_run and plan_token if the
	// face has them. Nil is none.
	Controls *control.Controls

	// Identify returns the caller of a request. The context has the values of its HTTP request. A nil
	// caller is anonymous. An error refuses the request, and its text is shown. Nil uses the token, or
	// the context.
	Identify func(context.Context, *Incoming) (*registry.Caller, error)
	// Address returns the network address of an HTTP request, as far as you trust it: [RemoteAddress]
	// if clients connect directly, else what your own proxy says, such as the last entry of
	// X-Forwarded-For. Anonymous callers of one address share the room for what is kept of their
	// calls. An address opens nothing: that takes the handle. "" is unknown. Nil tells anonymous
	// callers apart by session, and those without a session not at all.
	Address func(*http.Request) string
	// VerifyToken makes HTTP demand a bearer token, and verifies it. The caller's ID is the token's
	// UserID, its roles are the token's scopes. Nil demands none.
	VerifyToken auth.TokenVerifier
	// Token refines VerifyToken. Nil demands a token that expires.
	Token *auth.RequireBearerTokenOptions
	// Resource describes the endpoint to OAuth clients (RFC 9728): its URL, and who gives tokens for it. Status 401 of
	// VerifyToken then leads to [Server.ResourceHandler], where they read it. Nil describes nothing.
	Resource *oauthex.ProtectedResourceMetadata

	// HTTP selects the clients that get a session over HTTP. A session lives in one process: behind a load balancer
	// with several, choose NoSessions or route by session; see Replicas in the package comment.
	HTTP HTTPMode
	// ThroughSDK passes each HTTP request through the MCP SDK's handler. False answers the most frequent ones of
	// clients without a session directly: calls and lists of tools, and reads of resources, in messages of at
	// most 64 KiB that ask for no progress and no log messages. The answers are the same, as JSON instead of a
	// stream of one event, at a fraction of the time and memory. Only arguments with a number that no float64
	// holds, such as 1e700, differ: they reach the function's own type, as in a session, where this handler
	// refuses the request. NewServer implies it.
	ThroughSDK bool
	// MaxBody is the most bytes of a message: of the body of an HTTP request, and of a line unless
	// the transport has a limit of its own. Zero is MaxArguments and 256 KiB. It also bounds the
	// number of values in a message: one for 40 bytes, but at least 100,000.
	MaxBody int64
	// BodyTimeout bounds the arrival of an HTTP request's body. The processing may take longer.
	// Zero is 20 seconds, or the ReadTimeout of the http.Server if that is shorter. Middleware that
	// wraps the http.ResponseWriter must have Unwrap, or there is no such limit.
	BodyTimeout time.Duration
	// MaxCalls is the most calls in flight on a connection that Run serves. Further ones are
	// refused until answers have been read. Zero is 1,024.
	MaxCalls int
	// SessionTimeout ends HTTP sessions after this idle time. Zero is 30 minutes. A session that has made
	// no request since it began ends after a minute.
	SessionTimeout time.Duration
	// MaxSessions is the most HTTP sessions at a time. Further clients are told to come back later. A
	// caller, and an address that [Options.Address] tells, have at most a quarter of them each; callers
	// without either leave a quarter to others. The same holds for subscriptions without a session. Zero is
	// 10,000.
	MaxSessions int
	// AllowedHosts are the names, without ports, by which clients may call the server besides the local
	// ones, as behind a proxy on the same machine that keeps the Host header. Nil allows all names, but
	// on a loopback address only local ones: a page that has its own name lead there gets nothing.
	AllowedHosts []string
	// AllowedOrigins are the origins, such as https://app.example, whose pages may call the server, with
	// all headers but no cookies (CORS). A login around the handler lets OPTIONS requests through. Nil is
	// the server's own.
	AllowedOrigins []string

	// Observe is told of every request, refused ones too. What upstream servers are sent is told by
	// upstream.Options. Nil is nobody, and costs nothing.
	Observe observe.Hook

	// NewServer makes the MCP servers of the face: one for Handler, and one for each connection that Run
	// serves. It is for resources, prompts, completions and subscriptions of the embedder's own beside
	// the face: it adds to opts what they need, and returns a new server with them. ctx ends when the
	// server is no longer used.
	//
	// Their handlers run as tools do: with the caller in the context, within Timeout, and counted by
	// Shutdown. A refused caller gets none of them, and a panic is an error of the request. Who sees
	// what, and notifications of it, are the embedder's. The face's things replace others of the same
	// name or URI. Functions belong into the registry. Nil is [mcp.NewServer].
	NewServer func(ctx context.Context, impl *mcp.Implementation, opts *mcp.ServerOptions) *mcp.Server
	// Logging tells clients that functions send log messages, for example those of upstream servers
	// ([registry.Client]). False declares no logging.
	Logging bool
	// DrainTimeout is the time for calls in flight after Run's context has ended. Zero is 10
	// seconds.
	DrainTimeout time.Duration
	// Logger gets panics, refusals and mistakes of functions. Nil discards.
	Logger *slog.Logger
}

// maxHint is the most characters of [Options.Hint], which every client pays for.
const maxHint = 200

// Check returns the error of invalid options, with which a face panics: a hint that is too long, a
// host or origin that is none, or a resource that clients cannot use.
// Nil options are valid.
func (o *Options) Check() error {
	if o == nil {
		return nil
	}
	if n := utf8.RuneCountInString(o.Hint); n > maxHint {
		return fmt.Errorf("the option Hint has %d characters, at most %d are allowed", n, maxHint)
	}
	if err := o.checkResource(); err != nil {
		return err
	}
	return o.checkPlaces()
}

// WithDefaults returns the options with defaults for all zero fields. Nil gives all defaults. It is
// for makers of faces.
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
	if d.Limiter == nil {
		d.Limiter = registry.NewLimiter(nil)
	}
	if d.Controls == nil {
		d.Controls = new(control.Controls)
	}
	if d.Logger == nil {
		d.Logger = slog.New(slog.DiscardHandler)
	}
	return d
}

// messageOverhead is the most bytes of a message besides the arguments of a tool.
const messageOverhead = 256 << 10

// unlimited is the most bytes of a message if arguments have no limit.
const unlimited = 64 << 20

// messageLimit returns the most bytes of a message for the most bytes of arguments.
func messageLimit(arguments int) int64 {
	if arguments < 0 {
		return unlimited
	}
	return int64(arguments) + messageOverhead
}

// Pipeline returns the options of a pipeline for these options. It is for makers of faces.
func (o *Options) Pipeline() *registry.PipelineOptions {
	return &registry.PipelineOptions{
		Middleware:   slices.Concat(o.Middleware, o.Controls.Middleware()),
		Timeout:      o.Timeout,
		MaxArguments: o.MaxArguments,
		Limiter:      o.Limiter,
		Repair:       o.Repair,
		Logger:       o.Logger,
	}
}
