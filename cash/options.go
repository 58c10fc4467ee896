package cash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/gate"
	"github.com/cash-mcp/go-sdk/manifest"
)

// Options configure a [Server]. Nil is fine.
type Options struct {
	// Name and Version identify the server to clients. Empty is "cash" and "0.0.0".
	Name, Version string
	// Serve holds the options common to all faces. The Quota of its Controls can limit call, help
	// and skill. With its Plans, the tool call takes dry_run and plan_token, beside kwargs or
	// inside. Without them it refuses dry_run. Servers that mount this one may always ask for a dry
	// run ([registry.MetaDryRun]).
	Serve serve.Options

	// SizeLimit is the gate's limit in characters (RFC 7.3). Zero is [gate.Default]; negative
	// panics. help() shows any other value.
	SizeLimit int
	// Replays keeps gated results of functions that are not read-only, so that they need not run
	// twice. Servers that share a store must differ in Name. Nil is control.NewResults(nil).
	Replays control.ResultStore
	// ReplayAge is how long they are kept. Zero is 10 minutes.
	ReplayAge time.Duration

	// Guide adds skills in the root that teach a model the three tools, in three layers (RFC Appendix
	// A): cash_basics, cash_discovery and cash_edge_cases. A skill of the source with such a name
	// replaces it. Servers that mount this one do not get them. The manifest does not name them.
	Guide bool

	// Manifest is published by [Server.ManifestHandler] and as the resource cash://server. Nil is
	// the same as empty. A manifest that cannot be published panics. Empty fields are filled in:
	//
	//   - the publisher with Name;
	//   - the endpoint with /mcp at the requested host, or with stdio:Name over stdio and after
	//     AddTo, where the host is unknown;
	//   - the contents with what an anonymous caller sees.
	Manifest *manifest.Manifest

	// HelpText may rewrite a page of help (RFC 4.2). text is the page. The caller is in the
	// context, and other arguments are in req.Kwargs. Nil leaves pages as they are. The embedder
	// must bound its additions and hide them from callers who may not see them.
	HelpText func(ctx context.Context, req *HelpRequest, text string) string
}

// defaultName is the default of [Options.Name].
const defaultName = "cash"

// Check returns the error of invalid options, with which [NewServer] panics. Nil options are valid.
func (o *Options) Check() error {
	if o == nil {
		return nil
	}
	err := o.Serve.Check()
	if o.SizeLimit < 0 {
		err = errors.Join(err, fmt.Errorf("SizeLimit is %d: it counts characters, and zero is %d", o.SizeLimit, gate.Default))
	}
	return errors.Join(err, o.checkManifest())
}

func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	d.Name = cmp.Or(d.Name, defaultName)
	d.SizeLimit = cmp.Or(d.SizeLimit, gate.Default)
	d.ReplayAge = cmp.Or(d.ReplayAge, 10*time.Minute)
	if d.Replays == nil {
		d.Replays = control.NewResults(nil)
	}
	d.Serve = d.Serve.WithDefaults()
	return d
}
