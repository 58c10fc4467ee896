package endpoint

import "github.com/cash-mcp/go-sdk/registry"

// A Category classifies an error of an endpoint. The protocol's set is open. This package sends only the four
// below, and passes on others.
type Category string

// The categories that this package sends.
const (
	Usage      Category = "usage"      // the request is invalid; nothing ran
	Permission Category = "permission" // the caller may not do that
	Pipeline   Category = "pipeline"   // the call failed, or gave no valid answer
	Fatal      Category = "fatal"      // the component itself failed
)

// categories maps error kinds to categories. Other kinds are Pipeline.
var categories = map[registry.Kind]Category{
	registry.UnknownNamespace: Usage,
	registry.UnknownFunction:  Usage,
	registry.UnknownSkill:     Usage,
	registry.UnknownPath:      Usage,
	registry.InvalidName:      Usage,
	registry.InvalidPath:      Usage,
	registry.InvalidArguments: Usage,
	registry.Denied:           Permission,
	registry.Unauthorized:     Permission,
	registry.Failed:           Pipeline,
	registry.TimedOut:         Pipeline,
	registry.Canceled:         Pipeline,
	registry.Unavailable:      Pipeline,
	registry.RateLimited:      Pipeline,
	registry.Internal:         Fatal,
	registry.InvalidSchema:    Fatal,
}

// CategoryOf returns the category of an error kind. An unknown kind is [Pipeline].
func CategoryOf(kind registry.Kind) Category {
	if c, ok := categories[kind]; ok {
		return c
	}
	return Pipeline
}

// kind returns the error kind for another endpoint's category.
func (c Category) kind() registry.Kind {
	switch c {
	case Usage:
		return registry.InvalidArguments
	case Permission:
		return registry.Denied
	case Fatal:
		return registry.Internal
	}
	return registry.Failed
}
