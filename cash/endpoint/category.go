package endpoint

import "github.com/cash-mcp/go-sdk/registry"

// A Category classifies an error of an endpoint. The set of the protocol is
// open; this package sends only the four below, and hands on what others send.
type Category string

// The categories that this package sends.
const (
	Usage      Category = "usage"      // the request is in error; nothing was run
	Permission Category = "permission" // whoever asks may not do that
	Pipeline   Category = "pipeline"   // what was asked for failed, or gave no proper answer
	Fatal      Category = "fatal"      // the component itself is in error
)

// categories are the categories of the kinds of errors. What is missing is
// Pipeline.
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

// CategoryOf returns the category of errors of a kind; that of kinds that
// package registry does not have is [Pipeline].
func CategoryOf(kind registry.Kind) Category {
	if c, ok := categories[kind]; ok {
		return c
	}
	return Pipeline
}

// kind returns what kind of error another endpoint means by a category.
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
