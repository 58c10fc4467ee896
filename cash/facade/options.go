package facade

import (
	"cmp"
	"fmt"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// Options configure a [Server]. Nil is fine.
type Options struct {
	// Name and Version are what the server calls itself. Empty is "facade" and
	// "0.0.0".
	Name, Version string
	// Instructions is sent to clients when they connect, before the line that
	// names the domains. Clients cut it at some 2,000 bytes.
	Instructions string
	// Root is the domain of the functions that are in no namespace, a label. A
	// namespace that is called so has them besides its own; where two have one
	// name, that of the root is called with -2 behind it. Empty is "mcp", which
	// makes McpExecute.
	Root string

	// Tools adds the domain ToolsExecute: the commands list, get, validate and
	// execute, by which a model finds, reads, checks and runs every function that
	// it may see by its dotted name.
	Tools bool
	// Search adds the domain SearchExecute: a command for each entry, such as web,
	// and the command tools, which searches the functions that the caller may see.
	// Nil adds nothing, empty the command tools alone. A nil function, a name that
	// is no label and one that is taken panic.
	Search map[string]SearchFunc

	// Timeout is the deadline of commands that have none of their own. Zero is
	// [registry.DefaultTimeout]; negative is none.
	Timeout time.Duration
	// MaxArguments is the most bytes of the params of a command. Zero is
	// [registry.DefaultMaxArguments]; negative is no limit.
	MaxArguments int
	// TolerantArgs repairs params of the wrong type where that takes no guessing;
	// see [registry.PipelineOptions]. False refuses them.
	TolerantArgs bool
	// Middleware wraps every function, outside of the controls; the first is
	// outermost. [control.SizeLimit] is one.
	Middleware []registry.Middleware
	// Controls decide about calls: they see the functions behind the commands. The
	// limits of its Quota for tools, such as OrdersExecute, are heeded. With its
	// Plans requests take dry_run and plan_token. Nil is none.
	Controls *control.Controls

	// Serve configures transports and identity. Nil is fine. Its Logger also
	// gets what functions do wrong.
	Serve *serve.Options
}

func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	d.Name = cmp.Or(d.Name, "facade")
	d.Version = cmp.Or(d.Version, "0.0.0")
	d.Root = cmp.Or(d.Root, "mcp")
	if _, ok := registry.Canonical(d.Root); !ok {
		panic(fmt.Sprintf("facade: Root is %q, which is no label", d.Root))
	}
	if d.Controls == nil {
		d.Controls = new(control.Controls)
	}
	if d.Serve == nil {
		d.Serve = &serve.Options{}
	}
	return d
}
