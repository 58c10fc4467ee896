package mcpclient

import (
	"context"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stdio returns a transport to a server that is started as a process and
// speaks on its standard input and output (MCP 2025-11-25, basic/transports,
// stdio). newCmd returns a command that has not been started; its standard files
// and, on Unix, its process group are set here.
//
// What is no message on the output is dropped. Close closes the process's input,
// after 2 seconds asks its group to end, and after 2 more kills it; when the
// process ends by itself, what is left of its group is killed. Of a connection
// that is broken the first Close does not wait for all of that, the next one does.
// A process that
// does not start is an *[Error] of class [Unreachable], one that ends fails the
// calls in flight with class [Lost].
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
