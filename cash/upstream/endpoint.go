package upstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/command"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

// An Endpoint is how a server is reached: a [Command], an [HTTP] or [SSE] URL,
// or a server [InMemory].
type Endpoint interface {
	// check returns what is wrong with the endpoint.
	check() error
	// transport returns a fresh transport, whose life is ctx.
	transport(ctx context.Context, o mcpclient.Options) mcp.Transport
	// String names the endpoint for logs and operators, without secrets.
	String() string
	// identity is all that tells the server from every other one, secrets too.
	identity() []string
}

// fingerprint is the hash of what tells a server from every other one, by which
// what is bound to one of its functions is bound to it.
func fingerprint(e Endpoint) string {
	sum := sha256.New()
	for _, part := range e.identity() {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// A Command is a server that is started as a process and speaks MCP over its
// standard input and output. It gets a process group of its own, which ends
// with the connection. The lines that it writes to its standard error are logged:
// 1,000 at once, and 100 a second.
//
// Its fields are Path, Args, Env, Inherit and Dir, as those of a command endpoint
// are. Path is required; there is no shell. The process gets PATH, HOME, USER,
// LOGNAME, SHELL, TERM, LANG, LC_*, TZ and TMPDIR (on Windows their like), Env as
// KEY=value, and those variables of this process that Inherit names.
type Command command.Command

// HTTP is a server at a URL, which speaks streamable HTTP, or else what was usual
// before ([SSE]).
type HTTP struct {
	// URL is an http or https URL without user name and password.
	URL string
	// Header is sent with every request, to this host only. Nil is nothing.
	Header http.Header
	// Client sends the requests. Its timeout should be zero: calls have
	// deadlines of their own. Nil is a client that follows no redirect to
	// another host.
	Client *http.Client
}

// SSE is a server at a URL that speaks HTTP with server-sent events, as was
// usual before 2025-03-26. The fields are those of [HTTP].
type SSE HTTP

// InMemory is a server in this process, such as a *cash.Server or *mcp.Server:
// its Run serves every connection.
type InMemory struct {
	Server interface {
		Run(ctx context.Context, t mcp.Transport) error
	}
}
