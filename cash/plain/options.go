package plain

import (
	"cmp"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// Options configure a [Server]. Nil is fine.
type Options struct {
	// Name and Version are what the server calls itself. Empty is "plain" and
	// "0.0.0".
	Name, Version string
	// Instructions is sent to clients when they connect. Clients cut it at some
	// 2,000 bytes. Empty sends none: the list says what there is.
	Instructions string

	// Timeout is the deadline of calls to functions that have none of their own.
	// Zero is [registry.DefaultTimeout]; negative is none.
	Timeout time.Duration
	// MaxArguments is the most bytes of the arguments of a call. Zero is
	// [registry.DefaultMaxArguments]; negative is no limit.
	MaxArguments int
	// TolerantArgs repairs arguments where that takes no guessing; see
	// [registry.PipelineOptions]. False refuses them.
	TolerantArgs bool
	// Middleware wraps every function, outside of the controls.
	Middleware []registry.Middleware
	// Controls decide about calls. Nil is none.
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
	d.Name = cmp.Or(d.Name, "plain")
	d.Version = cmp.Or(d.Version, "0.0.0")
	if d.Serve == nil {
		d.Serve = &serve.Options{}
	}
	return d
}
