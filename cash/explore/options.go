package explore

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/registry"
)

// Options are the parts of a [Handler]. Nil is the tree and its costs, for the anonymous caller, on the same machine.
type Options struct {
	// Name is the heading. Empty is "Functions".
	Name string
	// Login returns who makes a request. An error, or a nil Viewer, refuses it. The handler then trusts the Login with
	// hosts and addresses. Nil serves the same machine only, with a Viewer who is an Operator and has the Callers.
	Login func(*http.Request) (*Viewer, error)
	// Callers are the callers to choose from without a Login; see [Viewer]. Empty is the anonymous caller.
	Callers []*registry.Caller

	// Pipeline runs calls. Use that of the face beside the page ([serve.Options.Pipeline]), so that its policy, quotas
	// and limits hold. Without a Limiter the page has one of its own, beside that of the face: set both to one. Nil:
	// nothing can be called.
	Pipeline *registry.PipelineOptions
	// Firewall keeps large results of calls, and shows artifacts. Nil: results are cut, and there are no artifacts.
	Firewall *firewall.Firewall

	// Log, Upstreams and Approvals are for operators. Nil: there is no such page.
	Log       *Log
	Upstreams *upstream.Aggregator
	Approvals *control.Approvals

	// Logger gets what the page's readers must not see: refused logins, and errors of stores. Nil discards.
	Logger *slog.Logger
}

// A Viewer is a person at the page.
type Viewer struct {
	// Callers are the callers as whom the viewer reads and calls: the first one, unless another is chosen. Nil in the
	// list is the anonymous caller. Empty is the anonymous caller alone. They are chosen by ID; of callers with one ID,
	// the later ones also by their roles, as in "ann (admin)", or by a number.
	Callers []*registry.Caller
	// Operator shows requests of all callers, upstream servers and approvals, and lets the viewer decide about them.
	Operator bool
}

var errNobody = errors.New("the login gave no viewer")

// withDefaults returns a copy of o with the defaults.
func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	d.Name = cmp.Or(d.Name, "Functions")
	if d.Login == nil {
		local := &Viewer{Callers: slices.Clone(d.Callers), Operator: true}
		d.Login = func(*http.Request) (*Viewer, error) { return local, nil }
	}
	if d.Pipeline != nil {
		p := *d.Pipeline
		if p.Limiter == nil {
			p.Limiter = registry.NewLimiter(nil)
		}
		d.Pipeline = &p
	}
	if d.Logger == nil {
		d.Logger = slog.New(slog.DiscardHandler)
	}
	return d
}

// names returns the names of the viewer's callers, to choose from. No two are equal.
func (v *Viewer) names() []string {
	var names []string
	for _, c := range v.Callers {
		name := idOf(c)
		if slices.Contains(names, name) && c != nil && len(c.Roles) > 0 {
			name += " (" + strings.Join(c.Roles, ", ") + ")"
		}
		for n, base := 2, name; slices.Contains(names, name); n++ {
			name = fmt.Sprintf("%s (%d)", base, n)
		}
		names = append(names, name)
	}
	return names
}

// first returns the caller who is chosen unless the viewer chooses another, and the name.
func (v *Viewer) first() (*registry.Caller, string) {
	if len(v.Callers) == 0 {
		return nil, ""
	}
	return v.Callers[0], idOf(v.Callers[0])
}

// caller returns the caller of a name.
func (v *Viewer) caller(name string) (c *registry.Caller, ok bool) {
	if len(v.Callers) == 0 {
		return nil, name == ""
	}
	i := slices.Index(v.names(), name)
	if i < 0 {
		return nil, false
	}
	return v.Callers[i], true
}

func idOf(c *registry.Caller) string {
	if c == nil {
		return ""
	}
	return c.ID
}
