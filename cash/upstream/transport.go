package upstream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os/exec"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/command"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

// transport returns a new transport to the server. ctx bounds its life.
func (s *session) transport(ctx context.Context, to Endpoint) mcp.Transport {
	return to.transport(ctx, mcpclient.Options{
		Limits:   mcpclient.Limits{Message: s.cfg.MaxMessage, Unanswered: maxUnanswered},
		Logger:   s.log,
		Stderr:   stderrLogger(s.log),
		Notified: s.notified,
		Reopened: func() { // changes in between were not announced
			s.changed.tell()
			s.renewed.tell()
		},
	})
}

// maxUnanswered bounds the server's own messages while calls wait for an answer. Tests lower it.
var maxUnanswered = 1_000_000

// The log takes stderrBurst lines of a server's standard error at once, and stderrRate lines a second.
const (
	stderrBurst = 1000
	stderrRate  = 100
)

// stderrLogger returns a function that logs lines of standard error, one at a time, and how many were dropped.
func stderrLogger(log *slog.Logger) func(line string) {
	limit, left := rate.NewLimiter(stderrRate, stderrBurst), 0
	return func(line string) {
		if !limit.Allow() {
			left++
			return
		}
		if left > 0 {
			log.Warn("lines of standard error left out", "count", left)
			left = 0
		}
		log.Info("standard error", "line", line)
	}
}

func (c Command) check() error { return command.Command(c).Check() }

// String returns the program's name without its arguments, which may hold secrets.
func (c Command) String() string { return command.Command(c).String() }

// GoString is String, so that %#v shows no secret.
func (c Command) GoString() string { return c.String() }

// LogValue implements [slog.LogValuer].
func (c Command) LogValue() slog.Value { return slog.StringValue(c.String()) }

func (c Command) identity() []string {
	return append([]string{"command"}, command.Command(c).Identity()...)
}

func (c Command) transport(_ context.Context, o mcpclient.Options) mcp.Transport {
	return mcpclient.Stdio(func() *exec.Cmd { return command.Command(c).Exec() }, o)
}

func (h HTTP) check() error {
	u, err := url.Parse(h.URL)
	switch {
	case err != nil:
		return errors.New("the URL cannot be read")
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("the URL has the scheme %.16q: it must begin with http:// or https://", u.Scheme)
	case u.Host == "":
		return errors.New("the URL has no host")
	case u.User != nil:
		return errors.New("the URL has a user name or password: pass credentials in a header")
	}
	return nil
}

// String returns the URL without its query, which may hold secrets.
func (h HTTP) String() string {
	u, err := url.Parse(h.URL)
	if err != nil {
		return "http"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// GoString is String.
func (h HTTP) GoString() string { return h.String() }

// LogValue implements [slog.LogValuer].
func (h HTTP) LogValue() slog.Value { return slog.StringValue(h.String()) }

// identity includes the headers, since a server may tell accounts apart by them. Headers that Client adds are not
// known here.
func (h HTTP) identity() []string {
	parts := []string{"http", h.URL}
	for _, name := range slices.Sorted(maps.Keys(h.Header)) {
		parts = append(parts, fmt.Sprint(name, len(h.Header[name])))
		parts = append(parts, h.Header[name]...)
	}
	return parts
}

func (h HTTP) transport(_ context.Context, o mcpclient.Options) mcp.Transport {
	return mcpclient.HTTP(h.URL, h.client(), o)
}

// client returns a client that sends the headers to the URL's host only.
func (h HTTP) client() *http.Client {
	c := new(http.Client)
	if h.Client != nil {
		*c = *h.Client
	}
	if len(h.Header) > 0 {
		c.Transport = &withHeader{next: c.Transport, header: h.Header, to: origin(h.URL)}
	}
	return c
}

// origin returns scheme and host of a URL. Headers are sent to the same origin only.
func origin(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

type withHeader struct {
	next   http.RoundTripper // nil is http.DefaultTransport
	header http.Header
	to     string
}

// RoundTrip implements [http.RoundTripper].
func (w *withHeader) RoundTrip(req *http.Request) (*http.Response, error) {
	next := w.next
	if next == nil {
		next = http.DefaultTransport
	}
	if strings.ToLower(req.URL.Scheme+"://"+req.URL.Host) == w.to {
		req = req.Clone(req.Context())
		for key, values := range w.header {
			req.Header[http.CanonicalHeaderKey(key)] = values
		}
	}
	return next.RoundTrip(req)
}

func (s SSE) check() error { return HTTP(s).check() }

// String is that of [HTTP].
func (s SSE) String() string { return HTTP(s).String() }

// GoString is String.
func (s SSE) GoString() string { return s.String() }

// LogValue implements [slog.LogValuer].
func (s SSE) LogValue() slog.Value { return slog.StringValue(s.String()) }

func (s SSE) identity() []string { return HTTP(s).identity() }

func (s SSE) transport(_ context.Context, o mcpclient.Options) mcp.Transport {
	return mcpclient.SSE(s.URL, HTTP(s).client(), o)
}

func (m InMemory) check() error {
	if m.Server == nil {
		return errors.New("there is no server")
	}
	return nil
}

// String returns "in memory".
func (m InMemory) String() string { return "in memory" }

// identity is random: an in-memory server has no identity of its own, and state bound to it does not outlive it.
func (m InMemory) identity() []string { return []string{"in memory", rand.Text()} }

func (m InMemory) transport(ctx context.Context, o mcpclient.Options) mcp.Transport {
	return mcpclient.Tap(inMemoryTransport{m, ctx}, o)
}

// inMemoryTransport is a transport that starts a server in this process on Connect.
type inMemoryTransport struct {
	InMemory
	life context.Context
}

// Connect implements [mcp.Transport].
func (s inMemoryTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	ours, theirs := mcp.NewInMemoryTransports()
	conn, err := ours.Connect(ctx)
	go func() { // ends with the connection
		_, err := apart.Do(s.life, 0, func() (none struct{}, err error) { return none, s.Server.Run(s.life, theirs) }, nil)
		if crash := (*apart.Crash)(nil); errors.As(err, &crash) && conn != nil {
			_ = conn.Close() // nothing else closes it
		}
	}()
	return conn, err
}

// noEndpoint is the endpoint of a server whose manifest has not been fetched yet.
type noEndpoint struct{ host string }

func (noEndpoint) check() error { return nil }

// String names the host of the manifest.
func (n noEndpoint) String() string { return "manifest of " + n.host }

func (n noEndpoint) identity() []string { return []string{"nowhere", n.host} }

func (noEndpoint) transport(context.Context, mcpclient.Options) mcp.Transport { return noTransport{} }

type noTransport struct{}

// Connect implements [mcp.Transport].
func (noTransport) Connect(context.Context) (mcp.Connection, error) {
	return nil, &CallError{Class: Unreachable, Reason: "its manifest has not been fetched yet"}
}
