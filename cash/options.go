package cash

import (
	"cmp"
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/gate"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// Options configure a [Server]. Nil is fine.
type Options struct {
	// Name and Version are what the server calls itself. Empty is "cash" and
	// "0.0.0".
	Name, Version string
	// Instructions is sent to clients when they connect, before the line that
	// names what is at the top level. Clients cut it at some 2,000 bytes.
	Instructions string
	// HelpHint is added to the description of the tool help: what is behind
	// this server, in words that a model might look for. At most 200
	// characters; a longer one panics.
	HelpHint string

	// SizeLimit is the gate's threshold in characters (RFC 7.3). Zero is
	// [gate.Default]; negative panics. Any other value is told in help().
	SizeLimit int
	// Timeout is the deadline of calls to functions that have none of their
	// own. Zero is [registry.DefaultTimeout]; negative is none.
	Timeout time.Duration
	// MaxArguments is the most bytes of the arguments of a call, of help and of
	// a skill. Zero is [registry.DefaultMaxArguments]; negative is no limit.
	MaxArguments int
	// Repair mends arguments of the wrong type where that takes no guessing;
	// see [registry.PipelineOptions]. False refuses them.
	Repair bool
	// Middleware wraps every function; the first is outermost.
	Middleware []registry.Middleware
	// Controls decide about calls, inside of Middleware; the limits of its Quota
	// for call, help and skill are heeded. With its Plans the tool call takes
	// dry_run and plan_token, beside kwargs or in them; without them it refuses
	// dry_run. Nil is none.
	Controls *control.Controls
	// Replays keeps gated results of functions that are not read-only, so that
	// they need not run twice. Servers that share one tell their results apart
	// by Name. Nil is control.NewReplays(nil).
	Replays control.ReplayStore

	// Manifest is what the server publishes of itself, at
	// [Server.ManifestHandler] and as the resource cash://server. What is empty
	// is filled in: who publishes it with Name, where it is with /mcp at the host
	// that was asked, or stdio:Name where that is not known (over stdio, and
	// after AddTo), what is there with what a caller sees of whom nothing is
	// known. Nil is the same as empty. One that could
	// not be published panics.
	Manifest *manifest.Manifest

	// HelpText may rewrite a page of help (RFC 4.2): text is what would be
	// sent. The caller is in the context, further arguments are in
	// req.Kwargs. Nil leaves pages as they are. What it adds is the embedder's
	// to bound and to keep from callers who may not see it.
	HelpText func(ctx context.Context, req *HelpRequest, text string) string

	// Serve configures transports and identity. Nil is fine. Its Logger also
	// gets what functions do wrong.
	Serve *serve.Options
}

// maxHint bounds [Options.HelpHint], which every client pays for.
const maxHint = 200

func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	if n := utf8.RuneCountInString(d.HelpHint); n > maxHint {
		panic(fmt.Sprintf("cash: HelpHint has %d characters, at most %d are allowed", n, maxHint))
	}
	if d.SizeLimit < 0 {
		panic(fmt.Sprintf("cash: SizeLimit is %d", d.SizeLimit))
	}
	d.Name = cmp.Or(d.Name, "cash")
	d.Version = cmp.Or(d.Version, "0.0.0")
	d.MaxArguments = cmp.Or(d.MaxArguments, registry.DefaultMaxArguments)
	d.SizeLimit = cmp.Or(d.SizeLimit, gate.Default)
	if d.Controls == nil {
		d.Controls = new(control.Controls)
	}
	if d.Replays == nil {
		d.Replays = control.NewReplays(nil)
	}
	if d.Serve == nil {
		d.Serve = &serve.Options{}
	}
	return d
}
