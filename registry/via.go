package registry

import (
	"context"
	"slices"
)

// Keys of the metadata of MCP requests and results by which servers that mount
// one another notice it.
const (
	// MetaVia is the key of a request's metadata under which stand the instances
	// ([Registry.Instance]) that it has come through, as a list of texts.
	MetaVia = "cash/via"
	// MetaFor is the key of a request's metadata under which a server that mounts
	// another says for whom it asks: a text that stands for one caller of its
	// own, and tells nothing of who that is.
	MetaFor = "cash/for"
	// MetaStreaming is the key of a result's metadata under which a server says
	// true to one that mounts it if the result is streamed, so that it is not
	// gated there either (RFC 7.4).
	MetaStreaming = "cash/streaming"
	// MetaInstance is the key of a result's metadata under which a server names
	// its own, to those who say what they came through.
	MetaInstance = "cash/instance"
)

// maxVia bounds how many instances a request may have come through.
const maxVia = 32

type viaKey struct{}

// WithVia returns a context that says which instances a request has come
// through, the first first. Only so many are kept as a path of servers may have.
func WithVia(ctx context.Context, instances []string) context.Context {
	if len(instances) == 0 {
		return ctx
	}
	return context.WithValue(ctx, viaKey{}, slices.Clone(instances[:min(len(instances), maxVia)]))
}

// Via returns what [WithVia] put into ctx. It must not be modified.
func Via(ctx context.Context) []string {
	instances, _ := ctx.Value(viaKey{}).([]string)
	return instances
}

// Instance returns a text that tells r from every other registry, in this
// process and elsewhere. It is made anew with each registry, and is no secret.
func (r *Registry) Instance() string { return r.instance }

// notThrough is the Visibility of requests that have not come through an
// instance.
func notThrough(instance string) Visibility {
	return func(ctx context.Context, _ *Caller) bool { return !slices.Contains(Via(ctx), instance) }
}
