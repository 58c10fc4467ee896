package upstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/command"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

// An Endpoint is the way to reach a server: a [Command], an [HTTP] or [SSE] URL, or a server [InMemory].
type Endpoint interface {
	// check returns the mistake in the endpoint's fields, if any.
	check() error
	// transport returns a new transport. ctx bounds its life.
	transport(ctx context.Context, o mcpclient.Options) mcp.Transport
	// String names the endpoint for logs and operators, without secrets.
	String() string
	// identity returns all parts that distinguish the server from others, secrets included.
	identity() []string
}

// fingerprint is the hash of the identity of a server's endpoint. State that is bound to a function, such as an
// approval, is bound to it.
func fingerprint(s Server) string {
	parts := s.Endpoint.identity()
	if s.Credentials != nil {
		parts = append(parts, "credentials of callers")
	}
	sum := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// A Command is a server that is started as a process and speaks MCP over its standard input and output. Its process
// group ends with the connection. Its lines on standard error are logged: 1,000 at once, and 100 a second.
//
// If this process ends without closing the connection, Linux and FreeBSD kill the server. Elsewhere its input ends.
//
// The fields are Path, Args, Env, Inherit and Dir, as for a command endpoint. Path is required; there is no shell.
// The environment of the process is
//   - PATH, HOME, USER, LOGNAME, SHELL, TERM, LANG, LC_*, TZ and TMPDIR (on Windows their counterparts),
//   - Env, as KEY=value, and
//   - the variables of this process that Inherit names.
type Command command.Command

// HTTP is a server at a URL that speaks streamable HTTP, or else its predecessor ([SSE]).
type HTTP struct {
	// URL is an http or https URL without user name and password.
	URL string
	// Header is sent with every request, to this host only, except those with [Server.Credentials] of a caller. Nil is
	// none.
	Header http.Header
	// OAuthHandler authorizes the requests, as in the SDK's transport: TokenSource is called for a new token,
	// Authorize if there is none, or if the server refuses it with status 401, or the authorization server the new
	// one with status 4xx. Nil sends the Header alone.
	OAuthHandler auth.OAuthHandler
	// Client sends the requests. Its timeout should be zero: calls have their own deadlines. Nil is a client that
	// follows no redirect to another host. With [Server.Credentials] it has no cookies, and its Transport must not add
	// an identity, except an [oauth2.Transport], which callers' requests leave out.
	Client *http.Client
}

// SSE is a server at a URL that speaks HTTP with server-sent events, the transport before 2025-03-26. The fields
// are those of [HTTP].
type SSE HTTP

// InMemory is a server in this process, such as a *cash.Server or *mcp.Server. Its Run serves every connection.
type InMemory struct {
	Server interface {
		Run(ctx context.Context, t mcp.Transport) error
	}
}
