package files

import (
	"fmt"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/durable"
	"github.com/cash-mcp/go-sdk/internal/rootfs"
	"github.com/cash-mcp/go-sdk/registry"
)

// invalid is the error for arguments that no file could make right.
func invalid(format string, args ...any) *registry.Error {
	return &registry.Error{Kind: registry.InvalidArguments, NotRun: true, Message: fmt.Sprintf(format, args...)}
}

// failed is the error for what the files do not allow as they are.
func failed(format string, args ...any) *registry.Error {
	return &registry.Error{Kind: registry.Failed, Message: fmt.Sprintf(format, args...)}
}

// ioError is the error for what the system refuses. It says why, and not where the
// root is.
func ioError(doing, path string, err error) *registry.Error {
	err = durable.Cause(err)
	e := failed("%s %s failed: %s.", doing, quote(path), reason(err))
	e.Err = err
	return e
}

func reason(err error) string {
	if rootfs.IsFull(err) {
		return "there is no space left"
	}
	return clean.Line(err.Error(), 200)
}

func notFound(path string) *registry.Error {
	e := failed("There is no file %s.", quote(path))
	e.Hint = "The function `list` shows the files that there are."
	return e
}

// quote shows a path that may be anything. Spaces in one that can be used matter.
func quote(path string) string {
	const most = 160
	if len(path) > most || !usable(path) {
		path = clean.Line(path, most)
	}
	return "`" + path + "`"
}
