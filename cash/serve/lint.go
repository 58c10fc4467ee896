package serve

import (
	"context"

	"github.com/cash-mcp/go-sdk/registry"
)

// Lint reports what is legal but likely a mistake, for tests and for the start of a program: the findings of
// [registry.Lint] in each of the registries that a face with these options serves, and those of its Controls. callers
// are typical ones. Call it once the registries are full. The error is that of a registry that cannot be listed.
func (o *Options) Lint(ctx context.Context, callers []*registry.Caller, registries ...*registry.Registry) ([]registry.Finding, error) {
	var found []registry.Finding
	for _, reg := range registries {
		more, err := registry.Lint(ctx, reg, callers...)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	if o != nil {
		found = append(found, o.Controls.Lint(registries...)...)
	}
	return found, nil
}
