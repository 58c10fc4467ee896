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

// Options configure a [Server]. Nil means all defaults.
type Options struct {
	// Name and Version identify the server. Empty is "facade" and "0.0.0".
	Name, Version string
	// Serve has the options of all faces. Its Controls see the functions behind the commands. Their Quota may limit
	// tools, such as OrdersExecute. With Plans, requests accept dry_run and plan_token. Use [control.SizeLimit] as
	// Middleware to limit results.
	Serve serve.Options

	// TextOnly sends the envelope as text alone, because some clients show structured content to the model too. False
	// also sends it as structured content, unless the function is [registry.TextOnly].
	TextOnly bool

	// Untrimmed sends results whole at every level of detail, unless the tags of their types choose ([registry.Func]).
	// False trims them by the rules of package registry. [registry.Untrimmed] is the option for one function.
	Untrimmed bool

	// Root is the label of the domain for functions outside of namespaces. If a namespace has the same label, its
	// domain has both; a root function whose name is taken gets the suffix -2. Empty is "mcp", which makes McpExecute.
	Root string

	// Tools adds the domain ToolsExecute. Its commands list, get, validate and execute let a model list, describe,
	// check and run every visible function by its dotted name.
	Tools bool
	// Search adds the domain SearchExecute, with one command per entry, such as web, and the command tools, which
	// searches the visible functions. Nil adds nothing; an empty map adds the command tools alone. NewServer panics for
	// a nil function, a name that is not a label, and a name that is taken.
	Search map[string]SearchFunc
}

// Check returns the error with which [NewServer] panics for invalid options. Nil options are valid.
func (o *Options) Check() error {
	if o == nil {
		return nil
	}
	err := o.Serve.Check()
	if _, ok := registry.Canonical(cmp.Or(o.Root, defaultRoot)); !ok {
		err = errors.Join(err, fmt.Errorf("the option Root is %q, which is no label", o.Root))
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

// defaultRoot is the default of [Options.Root].
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
