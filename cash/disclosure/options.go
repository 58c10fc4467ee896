package disclosure

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// Defaults of [Options] and [Grants].
const (
	DefaultURI              = "resource:///tool_descriptions"
	DefaultFetchesPerMinute = 120
	DefaultGrantTTL         = time.Hour
)

// MinGrantKey is the least number of bytes of [Grants.Key].
const MinGrantKey = 32

// Options configure a [Server]. Nil is fine.
type Options struct {
	// Name and Version are what the server calls itself. Empty is "tools" and
	// "0.0.0".
	Name, Version string
	// Instructions is sent to clients when they connect, before [SystemPrompt] and
	// the line that names what is at the top level. Clients cut it at some 2,000
	// bytes.
	Instructions string
	// URI is that of the resource with the descriptions (section 4.1): absolute,
	// without a query. Empty is [DefaultURI].
	URI string

	// Descriptions holds a file <tool>.json for each tool that needs more than
	// what is known of its function (section 7.1); see the package comment. Nil is
	// none.
	Descriptions fs.FS
	// Reload looks for changes of Descriptions whenever something is fetched: for
	// development. A file that is then in error is logged, and what it said
	// before stays. False reads the files once.
	Reload bool

	// Grants lets clients without a session call tools; see [Grants]. Nil is for
	// sessions only.
	Grants *Grants
	// Renew asks for a fresh fetch once the definition of a tool has changed
	// ([registry.Function.Definition]). False lets an authorisation last as long as
	// the session (section 5.1).
	Renew bool
	// FetchesPerMinute is how often descriptions may be fetched in a session, or
	// by an authenticated caller without one; anonymous callers without a session
	// share one such allowance. It may be spent at once. Zero is
	// [DefaultFetchesPerMinute]; negative is no limit.
	FetchesPerMinute int

	// Timeout is the deadline of calls to functions that have none of their own.
	// Zero is [registry.DefaultTimeout]; negative is none.
	Timeout time.Duration
	// MaxArguments is the most bytes of the arguments of a call. Zero is
	// [registry.DefaultMaxArguments]; negative is no limit.
	MaxArguments int
	// TolerantArgs repairs arguments where that takes no guessing. False refuses
	// them.
	TolerantArgs bool
	// Middleware wraps every function, outside of the controls.
	Middleware []registry.Middleware
	// Controls decide about calls. Nil is none.
	Controls *control.Controls

	// Serve configures transports and identity. Nil is fine. Its Logger also gets
	// what functions and descriptions do wrong. Without Grants its zero HTTP mode is
	// [serve.SessionsOnly].
	Serve *serve.Options
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
}

// Grants are what takes the place of a session's memory where requests stand by
// themselves, as from MCP 2026-07-28 on over HTTP: what is fetched has, in its
// usage_guidance, a token _grant, and a call passes it as an argument of that
// name, which the function does not see. A token is good for one tool and for
// one caller; those of anonymous callers are alike.
//
// Section 5.1 knows sessions only: grants are a deviation, for clients that have
// none.
type Grants struct {
	// Key signs the tokens; replicas of a server share it. At least
	// [MinGrantKey] bytes. Empty is a random one: tokens end with the process. A
	// new key ends all tokens: calls are refused, and the next fetch gives others.
	Key []byte
	// TTL is how long a token is good, by the clock of the replica that looks at
	// it: it should be much longer than their clocks are apart. At least a second.
	// Zero is [DefaultGrantTTL].
	TTL time.Duration
}

func (o *Options) withDefaults() (Options, error) {
	var d Options
	if o != nil {
		d = *o
	}
	d.Name = cmp.Or(d.Name, "tools")
	d.Version = cmp.Or(d.Version, "0.0.0")
	d.URI = cmp.Or(d.URI, DefaultURI)
	d.FetchesPerMinute = cmp.Or(d.FetchesPerMinute, DefaultFetchesPerMinute)
	if d.Controls == nil {
		d.Controls = new(control.Controls)
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	var ofServe serve.Options
	if d.Serve != nil {
		ofServe = *d.Serve
	}
	d.Serve = &ofServe
	if d.Grants == nil {
		return d, errors.Join(checkURI(d.URI), withSessions(d.Serve))
	}
	g, err := d.Grants.withDefaults()
	d.Grants = g
	return d, errors.Join(checkURI(d.URI), err)
}

// withSessions makes all clients over HTTP have a session: otherwise nothing would
// tell who has fetched what.
func withSessions(o *serve.Options) error {
	if o.HTTP == serve.NoSessions {
		return errors.New("the mode NoSessions leaves nothing to remember a fetch by: set Options.Grants, or choose another mode")
	}
	o.HTTP = serve.SessionsOnly
	return nil
}

func (g *Grants) withDefaults() (*Grants, error) {
	d := Grants{Key: slices.Clone(g.Key), TTL: cmp.Or(g.TTL, DefaultGrantTTL)}
	if len(d.Key) == 0 {
		d.Key = []byte(rand.Text() + rand.Text())
	}
	if len(d.Key) < MinGrantKey {
		return nil, fmt.Errorf("Grants.Key has %d bytes, at least %d are needed", len(d.Key), MinGrantKey)
	}
	if d.TTL < time.Second {
		return nil, fmt.Errorf("Grants.TTL is %v, at least a second is needed", d.TTL)
	}
	return &d, nil
}

// checkURI refuses what a query could not follow.
func checkURI(uri string) error {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme == "" || strings.ContainsAny(uri, "?#{}, ") {
		return fmt.Errorf("URI %q is not an absolute one without a query", uri)
	}
	return nil
}
