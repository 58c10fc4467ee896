package disclosure

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/keyring"
)

// Defaults of [Options] and [Grants].
const (
	DefaultURI              = "resource:///tool_descriptions"
	DefaultFetchesPerMinute = 120
	DefaultGrantTTL         = time.Hour
)

// Options configure a [Server]. Nil means all defaults.
type Options struct {
	// Name and Version identify the server. Empty is "tools" and "0.0.0".
	Name, Version string
	// Serve has the options of all faces. [SystemPrompt] is appended to its Instructions. Without Grants, its zero HTTP
	// mode is [serve.SessionsOnly].
	Serve serve.Options

	// URI is the URI of the resource with the descriptions (section 4.1): absolute, without a query. Empty is
	// [DefaultURI].
	URI string
	// Descriptions override descriptions that are made from the functions. Nil overrides nothing.
	Descriptions *Descriptions
	// Reload checks the files of Descriptions for changes at each fetch, for development. An invalid file is logged,
	// and its previous content stays. False reads the files once.
	Reload bool

	// Tool adds the read-only tool [ToolName] to tools/list, for clients whose models cannot read resources. It answers
	// as the resource does, with the same effect, limits and visibility. MCP does not tell a server which clients these
	// are. False leaves it out (Appendix B: standard primitives only).
	Tool bool
	// Grants let clients without a session call tools; see [Grants]. Nil serves sessions only.
	Grants *Grants
	// Renew requires a new fetch after the definition of a tool has changed ([registry.Function.Definition]). False
	// lets an authorisation last as long as the session (section 5.1).
	Renew bool
	// FetchesPerMinute limits the fetches of a session, or of an authenticated caller without one. Anonymous callers
	// without a session share one limit. All fetches may come at once. Zero is [DefaultFetchesPerMinute]; negative is
	// unlimited.
	FetchesPerMinute int
	// Fetches counts the fetches of callers without a session, so that the replicas of a server share one limit. If it
	// fails, they are refused. A session is on one replica, which counts for itself. Nil counts in this process.
	Fetches control.QuotaStore
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
}

// Grants replace the memory of a session where requests are independent, as over HTTP from MCP 2026-07-28 on. A fetched
// description has a token _grant in its usage_guidance. A call passes it as an argument of that name, which the
// function does not see.
//
//   - A token is valid for one tool and one caller, outside of sessions. A session has a memory of its own, and takes no
//     token (section 5.1: no sharing between sessions).
//   - Each fetch gives another token. Nothing else tells anonymous clients without a session apart: such a token is valid
//     for the client that holds it. Callers with an identity ([serve.Options.Identify]) cannot use each other's.
//
// Section 5.1 only has sessions: grants are a deviation for clients without them. Leave them out to insist on sessions.
type Grants struct {
	// Keys sign the tokens, each of at least 32 random bytes. The first one signs, all verify. Replicas of a server
	// share them, and change them as those of [control.Plans]. A call with a token of a removed key is refused until the
	// next fetch. Nil is a random key: tokens end with the process.
	Keys [][]byte
	// TTL is how long a token is valid, by the clock of the checking replica. It should be much longer than the clock
	// skew, and at least a second. Zero is [DefaultGrantTTL].
	TTL time.Duration
}

// Check returns the error with which [NewServer] panics for invalid options. Nil options are valid.
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
		d.Serve.HTTP = serve.SessionsOnly // without a session no fetch can be remembered
	} else {
		d.Grants = d.Grants.withDefaults()
	}
	d.Serve = d.Serve.WithDefaults()
	return d
}

func (g *Grants) check() error {
	if err := keyring.Check(g.Keys); err != nil {
		return fmt.Errorf("Grants.Keys: %w", err)
	}
	if g.TTL != 0 && g.TTL < time.Second {
		return fmt.Errorf("Grants.TTL is %v, at least a second is needed", g.TTL)
	}
	return nil
}

func (g *Grants) withDefaults() *Grants {
	ring := keyring.New(g.Keys)
	return &Grants{Keys: ring, TTL: cmp.Or(g.TTL, DefaultGrantTTL)}
}

// checkURI rejects a URI that cannot be extended by a query.
func checkURI(uri string) error {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme == "" || strings.ContainsAny(uri, "?#{}, ") {
		return fmt.Errorf("URI %q is not an absolute one without a query", uri)
	}
	return nil
}
