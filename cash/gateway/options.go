package gateway

import (
	"cmp"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
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
	// Instructions is sent to clients when they connect, before the line that
	// names what is at the top level. Clients cut it at some 2,000 bytes.
	Instructions string
	// Hint is added to the description of tool_browse, or of tool_execute in a
	// [Proxy]: what is behind this server, in words that a model might look for.
	// At most 200 characters; a longer one panics.
	Hint string
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
	// TolerantArgs repairs arguments where that takes no guessing (section 4.4);
	// what was done stands in the provenance. False refuses them.
	TolerantArgs bool
	// Structured sends what is in the text of a response as structured content,
	// too. Some clients show both to the model, which then pays twice.
	Structured bool
	// WireNames says for which clients a [Proxy] spells ids with letters, digits,
	// '_' and '-' only, in at most 64 characters; others get the ids themselves.
	// A client of which nothing is known is nil. Nil is for none.
	WireNames func(client *mcp.Implementation) bool

	// Timeout is the deadline of calls to functions that have none of their own.
	// Zero is [registry.DefaultTimeout]; negative is none.
	Timeout time.Duration
	// MaxArguments is the most bytes of the arguments of a call. Zero is
	// [registry.DefaultMaxArguments]; negative is no limit.
	MaxArguments int
	// Middleware wraps every function, outside of the controls.
	Middleware []registry.Middleware
	// Controls decide about calls (section 4.5). Nil is none.
	Controls *control.Controls
	// Firewall keeps large results. Nil is firewall.New(nil): in memory.
	Firewall *firewall.Firewall

	// Resources and Prompts are offered besides, where they are not nil: sources
	// whose functions are resources or prompts, such as upstream and catalog
	// have.
	Resources, Prompts registry.Source

	// Serve configures transports and identity. Nil is fine. Its Logger also
	// gets what functions do wrong.
	Serve *serve.Options
}

// maxHint bounds [Options.Hint], which every client pays for.
const maxHint = 200

func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	if n := utf8.RuneCountInString(d.Hint); n > maxHint {
		panic(fmt.Sprintf("gateway: Hint has %d characters, at most %d are allowed", n, maxHint))
	}
	if d.TopK < 0 || d.TopK > MaxTopK {
		panic(fmt.Sprintf("gateway: TopK is %d, at most %d are allowed", d.TopK, MaxTopK))
	}
	d.Name = cmp.Or(d.Name, "gateway")
	d.Version = cmp.Or(d.Version, "0.0.0")
	d.TopK = cmp.Or(d.TopK, DefaultTopK)
	if d.Counter == nil {
		d.Counter = card.CL100K()
	}
	if d.Controls == nil {
		d.Controls = new(control.Controls)
	}
	if d.Firewall == nil {
		d.Firewall = firewall.New(nil)
	}
	if d.Serve == nil {
		d.Serve = &serve.Options{}
	}
	return d
}
