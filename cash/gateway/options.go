package gateway

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// A Mode is the way in which a model finds functions.
type Mode int

// The modes.
const (
	Gateway Mode = iota // by tool_browse (section 4.2)
	Proxy               // in tools/list, as stripped tools (section 4.1)
)

// Numbers of cards in one response.
const (
	DefaultTopK = 10  // for a query
	DefaultPage = 50  // for a path
	MaxTopK     = 100 // the most that a request may ask for
)

// Options configure a [Server]. Nil is fine.
type Options struct {
	// Name and Version identify the server to clients. Empty is "gateway" and "0.0.0".
	Name, Version string
	// Serve holds the options common to all faces. Repairs are listed in the provenance (section
	// 4.4). Controls are those of section 4.5. Their Quota can limit tool_browse and the other
	// tools.
	Serve serve.Options

	// Mode is the way in which a model finds functions.
	Mode Mode

	// Counter counts the tokens of cards. Nil is card.CL100K(); see card.Encoding
	// for models with another encoding.
	Counter card.Counter
	// TopK is the default number of cards for a query. Zero is [DefaultTopK]; more than [MaxTopK]
	// panics.
	TopK int
	// CacheStable keeps the order and the text of cards that a caller has seen, so that prompts
	// that begin with them can be cached (section 5). Responses are then JSON with one card per
	// line.
	CacheStable bool
	// Structured sends a response's text as structured content too. Some clients show both to the
	// model, which then pays twice.
	Structured bool
	// CanonicalNames lists the tools of a [Proxy] by their ids, as section 4.1 prints them. Model
	// APIs refuse such names. False lists them by names of letters, digits, '_' and '-', in at most
	// 64 characters ([toolid.WireNames]). tool_execute and tool_hydrate take both.
	CanonicalNames bool

	// Firewall keeps large results. Nil is firewall.New(nil): in memory.
	Firewall *firewall.Firewall

	// Resources and Prompts are sources whose functions are resources or prompts, such as those of
	// packages upstream and catalog. They add tools of their own. Nil adds none.
	Resources, Prompts registry.Source
}

// Check returns the error of invalid options, with which [NewServer] panics. Nil options are valid.
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
