package facade

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// Options configure a [Server]. Nil is fine.
type Options struct {
	// Name and Version are what the server calls itself. Empty is "facade" and
	// "0.0.0".
	Name, Version string
	// Serve is what all faces have in common. Its Controls see the functions behind
	// the commands; their Quota may limit tools, such as OrdersExecute, and with its
	// Plans requests take dry_run and plan_token. [control.SizeLimit] is a Middleware
	// for results.
	Serve serve.Options

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
}

// Check returns what [NewServer] panics with for options in error. Nil options are
// none.
func (o *Options) Check() error {
	if o == nil {
		return nil
	}
	err := o.Serve.Check()
	if _, ok := registry.Canonical(cmp.Or(o.Root, defaultRoot)); !ok {
		err = errors.Join(err, fmt.Errorf("Root is %q, which is no label", o.Root))
	}
	taken := map[string]bool{searchTools: true}
	for _, name := range slices.Sorted(maps.Keys(o.Search)) {
		label, ok := registry.Canonical(name)
		switch {
		case !ok:
			err = errors.Join(err, fmt.Errorf("the search %q is no label", name))
		case taken[label]:
			err = errors.Join(err, fmt.Errorf("the search %q has a name that is taken", name))
		case o.Search[name] == nil:
			err = errors.Join(err, fmt.Errorf("the search %q is nil", name))
		}
		taken[label] = true
	}
	return err
}

// defaultRoot is [Options.Root] where it is empty.
const defaultRoot = "mcp"

func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	d.Name = cmp.Or(d.Name, "facade")
	d.Root = cmp.Or(d.Root, defaultRoot)
	d.Serve = d.Serve.WithDefaults()
	return d
}
