package mcpclient

import (
	"context"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stdio returns a transport to a server that is a process with MCP on its standard input and output (MCP
// 2025-11-25, basic/transports, stdio). newCmd returns a command that has not been started. Stdio sets its standard
// files and, on Unix, its process group.
//
// Invalid lines of output are dropped. Close closes the input; after 2 seconds it asks the group to end; after 2
// more it kills it. When the process ends by itself, the rest of its group is killed. On a broken connection the
// first Close does not wait for all that; the next one does. A process that does not start is an *[Error] of class
// [Unreachable]. One that ends fails the calls in flight with class [Lost].
func Stdio(newCmd func() *exec.Cmd, o Options) mcp.Transport {
	return &stdio{newCmd, o.filled()}
}

type stdio struct {
	newCmd  func() *exec.Cmd
	options Options
}

// Connect implements [mcp.Transport].
func (s *stdio) Connect(ctx context.Context) (mcp.Connection, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := start(s.newCmd(), s.options)
	if err != nil {
		return nil, err
	}
	return newConn(p, s.options), nil
}
