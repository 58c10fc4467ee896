package registry

import (
	"context"
	"slices"
)

// Metadata keys of MCP requests and results, by which servers that mount one another recognise it.
const (
	// MetaVia is the key of a request's metadata for the instances ([Registry.Instance]) that it
	// came through, a list of texts.
	MetaVia = "cash/via"
	// MetaFor is the key of a request's metadata for the caller of a server that mounts another
	// one. The value is an opaque text per caller and does not identify the person.
	MetaFor = "cash/for"
	// MetaStreaming is the key of a result's metadata for a streamed result. The value is true. A
	// server that mounts this one then does not gate the result either (RFC 7.4).
	MetaStreaming = "cash/streaming"
	// MetaInstance is the key of a result's metadata for the instance of the answering server. It
	// is sent to clients that send [MetaVia].
	MetaInstance = "cash/instance"
	// MetaDefinitions is the key of a result's metadata for the definitions of the functions that a
	// page of help lists, by name ([Function.Definition]). It is sent to clients that send
	// [MetaVia], so that they read only the pages of changed functions again.
	MetaDefinitions = "cash/definitions"
	// MetaChanged is the key of the metadata of a skill's entry (skills/list) for the paths of functions
	// that have changed since the skill was written ([Skill.Changed]).
	MetaChanged = "cash/changed"
	// MetaDryRun is the key of a request's metadata that makes help report the checks that a call of
	// the function, with kwargs as its arguments, would meet ([Plan]). The value is true. Help runs
	// nothing on any server, so that one which ignores the key runs nothing either. A server that
	// heeds it puts the same key and value into the results of help that it sends with MetaInstance.
	MetaDryRun = "cash/dryrun"
)

// maxVia is the most instances that a request may have come through.
const maxVia = 32

type viaKey struct{}

// WithVia returns a context with the instances that a request came through, the first one first. It
// keeps at most 32.
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

// Instance returns a random text that identifies r among all registries, in this process and
// others. It is made with the registry and is not secret.
func (r *Registry) Instance() string {
	r.made.Do(r.make)
	return r.instance
}

// notThrough is the Visibility of requests that did not come through an instance.
func notThrough(instance string) Visibility {
	return func(ctx context.Context, _ *Caller) bool { return !slices.Contains(Via(ctx), instance) }
}
