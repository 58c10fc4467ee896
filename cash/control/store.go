package control

import (
	"context"
	"errors"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// ErrNoRoom is the error of a store that is as full as it may be. Errors of stores may
// wrap it.
var ErrNoRoom = errors.New("no room in the store")

// notRun refuses a call that a store stands in the way of. err may be nil.
func notRun(c *registry.Call, message, hint string, err error) *registry.Error {
	return &registry.Error{
		Kind: registry.Unavailable, Namespace: c.Function.Namespace(), Name: c.Function.Name(), NotRun: true,
		Message: message, Hint: hint, Err: err,
	}
}

// storeTimeout bounds what is noted after a call.
const storeTimeout = 5 * time.Second

// afterwards returns a context for what is to be noted of a call that may have ended.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
}
