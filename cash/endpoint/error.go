package endpoint

import (
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

// An Error is the error object of an envelope. It is the cause of a [Client]'s errors, which are *[registry.Error]:
// the endpoint's own error or, without a valid one, an error of this side with the name "runtime".
type Error struct {
	Name     string   `json:"name"` // the component that failed
	Category Category `json:"category"`
	Message  string   `json:"message"`
}

// Error returns name, category and message.
func (e *Error) Error() string {
	return e.Name + ": " + string(e.Category) + ": " + e.Message
}

// runtime is the name in errors that the client itself reports.
const runtime = "runtime"

// Limits of quoted foreign texts, in characters.
const (
	maxName    = 64
	maxReason  = 300
	maxMessage = 4000
)

// usageError returns the error for a request that is not sent.
func usageError(message string) *registry.Error {
	return &registry.Error{
		Kind: registry.InvalidArguments, NotRun: true, Message: message + ".",
		Err: &Error{runtime, Usage, message},
	}
}

// quote quotes a foreign name.
func quote(name string) string {
	return "`" + strings.ReplaceAll(clean.Line(name, maxName), "`", "'") + "`"
}
