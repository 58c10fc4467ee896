package gateway

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// A Mode is how functions are found.
type Mode int

// The modes.
const (
	Gateway Mode = iota // by tool_browse (section 4.2)
	Proxy               // in tools/list, as stripped tools (section 4.1)
)

// Numbers of cards in a response.
const (
	DefaultTopK = 10  // of a query
	DefaultPage = 50  // of a path
	MaxTopK     = 100 // that may be asked for
)

// Options configure a [Server]. Nil is fine.
type Options struct {
	// Name and Version are what the server calls itself. Empty is "gateway" and
	// "0.0.0".
	Name, Version string
	// Serve is what all faces have in common. What Repair has done stands in the
	// provenance (section 4.4). Controls are those of section 4.5, and their Quota
	// may limit tool_browse and the others.
	Serve serve.Options

	// Mode is how functions are found.
	Mode Mode

	// Counter counts the tokens of cards. Nil is card.CL100K(); see card.Encoding
	// for models with another encoding.
	Counter card.Counter
	// TopK is how many cards a query gets that does not say. Zero is
	// [DefaultTopK]; more than [MaxTopK] panics.
	TopK int
	// CacheStable keeps the order and the text of cards that a caller has seen,
	// so that prompts that begin with them can be cached (section 5). Responses
	// are JSON then, a card in a line.
	CacheStable bool
	// Structured sends what is in the text of a response as structured content,
	// too. Some clients show both to the model, which then pays twice.
	Structured bool
	// WireNames says for which clients a [Proxy] spells ids with letters, digits,
	// '_' and '-' only, in at most 64 characters; others get the ids themselves.
	// A client of which nothing is known is nil. Nil is for none.
	WireNames func(client *mcp.Implementation) bool

	// Firewall keeps large results. Nil is firewall.New(nil): in memory.
	Firewall *firewall.Firewall

	// Resources and Prompts are offered besides, where they are not nil: sources
	// whose functions are resources or prompts, such as upstream and catalog
	// have.
	Resources, Prompts registry.Source
}

// Check returns what [NewServer] panics with for options in error. Nil options are
// none.
func (o *Options) Check() error {
	if o == nil {
		return nil
	}
	err := o.Serve.Check()
	if o.TopK < 0 || o.TopK > MaxTopK {
		err = errors.Join(err, fmt.Errorf("TopK is %d, at most %d are allowed", o.TopK, MaxTopK))
	}
	return err
}

func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	d.Name = cmp.Or(d.Name, "gateway")
	d.TopK = cmp.Or(d.TopK, DefaultTopK)
	if d.Counter == nil {
		d.Counter = card.CL100K()
	}
	if d.Firewall == nil {
		d.Firewall = firewall.New(nil)
	}
	d.Serve = d.Serve.WithDefaults()
	return d
}
