package control

import (
	"context"
	"errors"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// ErrNoRoom is the error of a store that is full. Errors of stores may wrap it.
var ErrNoRoom = errors.New("no room in the store")

// notRun returns the error of a call refused because of a store. err may be nil.
func notRun(c *registry.Call, message, hint string, err error) *registry.Error {
	return &registry.Error{
		Kind: registry.Unavailable, Namespace: c.Function.Namespace(), Name: c.Function.Name(), NotRun: true,
		Message: message, Hint: hint, Err: err,
	}
}

// storeTimeout bounds the store operations after a call.
const storeTimeout = 5 * time.Second

// afterwards returns a context for store operations after a call that may have been cancelled.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
}
