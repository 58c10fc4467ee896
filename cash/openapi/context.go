package openapi

import (
	"context"
	"reflect"
	"strings"
)

// An inner is the context of a request to a handler of this process. It ends with the call. Values of the request that
// carries the call are not its own: with the state of a router in them, the service's router would go on there.
type inner struct{ context.Context }

// kept are the packages whose values stay: the caller and the call, what a server knows of the call, and spans.
var kept = []string{
	"github.com/cash-mcp/go-sdk/registry", "github.com/cash-mcp/go-sdk/cash/serve", "go.opentelemetry.io/otel",
}

// Value implements context.Context. A key belongs to the package of its type.
func (c inner) Value(key any) any {
	t := reflect.TypeOf(key)
	if t == nil {
		return nil
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for _, above := range kept {
		if path := t.PkgPath(); path == above || strings.HasPrefix(path, above+"/") {
			return c.Context.Value(key)
		}
	}
	return nil
}

// context returns the context of the request of a call.
func (m *Mounted) context(call context.Context) context.Context {
	if m.server.handler == nil {
		return call
	}
	var ctx context.Context = inner{call}
	if m.values != nil {
		ctx = m.values(ctx, call)
	}
	return ctx
}
