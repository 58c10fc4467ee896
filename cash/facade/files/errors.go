package files

import (
	"fmt"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/durable"
	"github.com/cash-mcp/go-sdk/internal/rootfs"
	"github.com/cash-mcp/go-sdk/registry"
)

// invalid returns the error of arguments that are wrong for any files.
func invalid(format string, args ...any) *registry.Error {
	return &registry.Error{Kind: registry.InvalidArguments, NotRun: true, Message: fmt.Sprintf(format, args...)}
}

// failed returns the error of a request that the current files do not allow.
func failed(format string, args ...any) *registry.Error {
	return &registry.Error{Kind: registry.Failed, Message: fmt.Sprintf(format, args...)}
}

// ioError returns the error of a failed system call. It gives the reason, but not the location of the root.
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

// quote returns an untrusted path for a message. Spaces in a usable path stay.
func quote(path string) string {
	const most = 160
	if len(path) > most || !usable(path) {
		path = clean.Line(path, most)
	}
	return "`" + path + "`"
}
