package endpoint

import (
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

// An Error is the error object of an envelope. Of the errors of a [Client], which
// are *[registry.Error], it is the cause: what the endpoint said or, where it said
// nothing proper, what this side says in the name of "runtime".
type Error struct {
	Name     string   `json:"name"` // of the component that failed
	Category Category `json:"category"`
	Message  string   `json:"message"`
}

// Error returns name, category and message.
func (e *Error) Error() string {
	return e.Name + ": " + string(e.Category) + ": " + e.Message
}

// runtime is the name of errors that the client itself finds.
const runtime = "runtime"

// Limits of what is shown of texts from outside, in characters.
const (
	maxName    = 64
	maxReason  = 300
	maxMessage = 4000
)

// usageError is the error for a request that is not made at all.
func usageError(message string) *registry.Error {
	return &registry.Error{
		Kind: registry.InvalidArguments, NotRun: true, Message: message + ".",
		Err: &Error{runtime, Usage, message},
	}
}

// quote shows a name that came from outside.
func quote(name string) string {
	return "`" + strings.ReplaceAll(clean.Line(name, maxName), "`", "'") + "`"
}
