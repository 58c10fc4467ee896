package serve_test

import (
	"context"
	"errors"
	"io"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
)

// brokenPipe fails what is written to it.
type brokenPipe struct{ err error }

func (b brokenPipe) Write([]byte) (int, error) { return 0, b.err }
func (b brokenPipe) Close() error              { return nil }

// TestClientGoneWhileWriting holds that a client which does not wait for an answer
// is one that has gone, and no failure of the server.
func TestClientGoneWhileWriting(t *testing.T) {
	disk := errors.New("the disk is on fire")
	for _, tt := range []struct{ err, want error }{{io.ErrClosedPipe, nil}, {syscall.EPIPE, nil}, {disk, disk}} {
		in, out := io.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- cash.NewServer(whoami(), nil).Run(context.Background(), &mcp.IOTransport{Reader: in, Writer: brokenPipe{tt.err}})
		}()
		if _, err := out.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")); err != nil {
			t.Fatal(err)
		}
		if err := <-done; !errors.Is(err, tt.want) {
			t.Errorf("a write that fails with %v ends Run with %v; want %v", tt.err, err, tt.want)
		}
		out.Close()
	}
}
