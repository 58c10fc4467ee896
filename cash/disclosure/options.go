package disclosure

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/cash/serve"
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
	// Serve is what all faces have in common. [SystemPrompt] stands behind its
	// Instructions. Without Grants its zero HTTP mode is [serve.SessionsOnly].
	Serve serve.Options

	// URI is that of the resource with the descriptions (section 4.1): absolute,
	// without a query. Empty is [DefaultURI].
	URI string
	// Descriptions say more of tools than what is known of their functions. Nil is
	// none.
	Descriptions *Descriptions
	// Reload looks for changes of the files of Descriptions whenever something is
	// fetched: for development. A file that is then in error is logged, and what it
	// said before stays. False leaves them as they were read.
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

// Check returns what [NewServer] panics with for options in error. Nil options are
// none.
func (o *Options) Check() error {
	if o == nil {
		return nil
	}
	err := errors.Join(o.Serve.Check(), checkURI(cmp.Or(o.URI, DefaultURI)))
	switch {
	case o.Grants != nil:
		return errors.Join(err, o.Grants.check())
	case o.Serve.HTTP == serve.NoSessions:
		return errors.Join(err, errors.New("the mode NoSessions leaves nothing to remember a fetch by: set Options.Grants, or choose another mode"))
	}
	return err
}

func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	d.Name = cmp.Or(d.Name, "tools")
	d.URI = cmp.Or(d.URI, DefaultURI)
	d.FetchesPerMinute = cmp.Or(d.FetchesPerMinute, DefaultFetchesPerMinute)
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Grants == nil {
		d.Serve.HTTP = serve.SessionsOnly // otherwise nothing would tell who has fetched what
	} else {
		d.Grants = d.Grants.withDefaults()
	}
	d.Serve = d.Serve.WithDefaults()
	return d
}

func (g *Grants) check() error {
	if n := len(g.Key); n > 0 && n < MinGrantKey {
		return fmt.Errorf("Grants.Key has %d bytes, at least %d are needed", n, MinGrantKey)
	}
	if g.TTL != 0 && g.TTL < time.Second {
		return fmt.Errorf("Grants.TTL is %v, at least a second is needed", g.TTL)
	}
	return nil
}

func (g *Grants) withDefaults() *Grants {
	d := Grants{Key: slices.Clone(g.Key), TTL: cmp.Or(g.TTL, DefaultGrantTTL)}
	if len(d.Key) == 0 {
		d.Key = []byte(rand.Text() + rand.Text())
	}
	return &d
}

// checkURI refuses what a query could not follow.
func checkURI(uri string) error {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme == "" || strings.ContainsAny(uri, "?#{}, ") {
		return fmt.Errorf("URI %q is not an absolute one without a query", uri)
	}
	return nil
}
