package facade

import (
	"context"
	"errors"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/registry"
)

// A command is a function under its name in a domain.
type command struct {
	name string
	*registry.Function
}

// again is the suffix of a root function whose name is also a command of the namespace. Labels have no hyphens.
const again = "-2"

// commands returns the commands that the caller in ctx sees, in order. whole is false if some are unavailable.
func (d *domain) commands(ctx context.Context) (list []command, whole bool, err error) {
	whole = true
	names := make(map[string]bool)
	if d.path != "" {
		err = registry.Walk(ctx, d.source, d.path, func(l *registry.Listing) error {
			whole = whole && l.Unavailable == nil
			for _, f := range l.Functions {
				name := commandName(f)
				list, names[label.Lower(name)] = append(list, command{name, f}), true
			}
			return ctx.Err()
		})
	}
	if err != nil || !d.root {
		return list, whole, err
	}
	top, err := d.source.List(ctx, "")
	if err != nil {
		return list, whole, err
	}
	for _, f := range top.Functions {
		name := f.Name()
		if names[label.Lower(name)] {
			name += again
		}
		list = append(list, command{name, f})
	}
	return list, whole, nil
}

// commandName returns the name of a function in its domain: its path below the first label.
func commandName(f *registry.Function) string {
	if f.Namespace() == "" {
		return f.Name()
	}
	_, name, _ := strings.Cut(f.Path(), ".")
	return name
}

// command returns the function of a command.
func (d *domain) command(ctx context.Context, cmd string) (*registry.Function, error) {
	if d.path != "" {
		f, err := d.at(ctx, d.path, cmd)
		if err == nil || !d.root || !isUnknown(err) {
			return f, err
		}
		if name, second := strings.CutSuffix(cmd, again); second {
			if _, err := d.at(ctx, d.path, name); err == nil {
				cmd = name
			}
		}
	}
	if strings.Contains(cmd, ".") { // functions below the root belong to other domains
		return nil, registry.NoFunction("", cmd)
	}
	return d.at(ctx, "", cmd)
}

func (d *domain) at(ctx context.Context, path, cmd string) (*registry.Function, error) {
	return lookup(ctx, d.source, path, cmd)
}

// lookup returns the function with a dotted name below path, which is one label or empty. Sources match canonical
// names; commands ignore case only (F5, Y8).
func lookup(ctx context.Context, src registry.Source, path, dotted string) (*registry.Function, error) {
	if _, ok := registry.CanonicalPath(dotted); !ok || dotted == "" {
		return nil, registry.NoFunction(path, dotted)
	}
	namespace, name := path, dotted
	if i := strings.LastIndexByte(dotted, '.'); i >= 0 {
		namespace, name = strings.TrimPrefix(path+"."+dotted[:i], "."), dotted[i+1:]
	}
	f, err := src.Function(ctx, namespace, name)
	if err != nil {
		return nil, err
	}
	own := f.Path()
	if path != "" {
		own = commandName(f)
	}
	if label.Lower(own) != label.Lower(dotted) {
		return nil, registry.NoFunction(path, dotted)
	}
	return f, nil
}

// isUnknown reports whether a lookup failed because the name does not exist.
func isUnknown(err error) bool {
	return errors.Is(err, registry.UnknownFunction) || errors.Is(err, registry.UnknownNamespace) || errors.Is(err, registry.InvalidName)
}
