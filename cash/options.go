package cash

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/gate"
	"github.com/cash-mcp/go-sdk/manifest"
)

// Options configure a [Server]. Nil is fine.
type Options struct {
	// Name and Version are what the server calls itself. Empty is "cash" and
	// "0.0.0".
	Name, Version string
	// Serve is what all faces have in common. The Quota of its Controls may limit
	// call, help and skill. With its Plans the tool call takes dry_run and plan_token,
	// beside kwargs or in them; without them it refuses dry_run.
	Serve serve.Options

	// SizeLimit is the gate's threshold in characters (RFC 7.3). Zero is
	// [gate.Default]; negative panics. Any other value is told in help().
	SizeLimit int
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
}

// defaultName is [Options.Name] where it is empty.
const defaultName = "cash"

// Check returns what [NewServer] panics with for options in error. Nil options are
// none.
func (o *Options) Check() error {
	if o == nil {
		return nil
	}
	err := o.Serve.Check()
	if o.SizeLimit < 0 {
		err = errors.Join(err, fmt.Errorf("SizeLimit is %d", o.SizeLimit))
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
	if d.Replays == nil {
		d.Replays = control.NewReplays(nil)
	}
	d.Serve = d.Serve.WithDefaults()
	return d
}
