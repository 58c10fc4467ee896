//go:build realclients

package realclients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"testing"
)

// typescript is a process in which the TypeScript SDK is a client, with any number
// of connections.
type typescript struct {
	in          io.Writer
	out         *json.Decoder
	connections int
}

// startTypeScript runs the process for the length of the test.
func startTypeScript(t *testing.T) *typescript {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("testdata", "client.cjs"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := partner(t, "node", script)
	cmd.Env = append(cmd.Env, "NODE_PATH="+filepath.Dir(programs))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting Node.js: %v", err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait() // ended by the test, or by its end
		if t.Failed() {
			t.Logf("the client wrote:\n%.8000s", &log)
		}
	})
	return &typescript{in: in, out: json.NewDecoder(out)}
}

// peer is a connection of the TypeScript SDK.
type peer struct {
	*typescript
	name   string
	target []string

	Version, Session, Instructions string
}

// connect connects to a command or an address. The make is v1 or v2 of the SDK, and
// the version that of the protocol, or auto.
func (ts *typescript) connect(t *testing.T, sdk, version string, target ...string) *peer {
	t.Helper()
	p, err := ts.tryConnect(t, sdk, version, target...)
	if err != nil {
		t.Fatalf("connecting %s of the TypeScript SDK at %s to %s: %v", sdk, version, target, err)
	}
	return p
}

func (ts *typescript) tryConnect(t *testing.T, sdk, version string, target ...string) (*peer, error) {
	t.Helper()
	ts.connections++
	p := &peer{typescript: ts, name: fmt.Sprint(ts.connections), target: target}
	data, err := p.try(t, "connect", map[string]any{"make": sdk, "version": version, "target": target})
	if err != nil {
		return nil, err
	}
	decode(t, string(data), p)
	return p, nil
}

// try uses a method of the SDK's client; the error is what it throws.
func (p *peer) try(t *testing.T, method string, params any) (json.RawMessage, error) {
	t.Helper()
	line, err := json.Marshal(map[string]any{"connection": p.name, "do": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		t.Fatalf("%s by the TypeScript SDK: %v", method, err)
	}
	var reply struct {
		Result json.RawMessage
		Error  *struct {
			Code    any
			Message string
		}
	}
	if err := p.out.Decode(&reply); err != nil {
		t.Fatalf("%s by the TypeScript SDK: %v", method, err)
	}
	if reply.Error != nil {
		return nil, errors.New(fmt.Sprint(reply.Error.Code, ": ", reply.Error.Message))
	}
	return reply.Result, nil
}

func (p *peer) do(t *testing.T, method string, params, result any) {
	t.Helper()
	data, err := p.try(t, method, params)
	if err != nil {
		t.Fatalf("%s %s: %v", method, params, err)
	}
	decode(t, string(data), result)
}

func (p *peer) list(t *testing.T) []tool {
	t.Helper()
	var page struct{ Tools []tool }
	p.do(t, "listTools", nil, &page)
	return page.Tools
}

func (p *peer) read(t *testing.T, uri string) []contents {
	t.Helper()
	var read struct{ Contents []contents }
	p.do(t, "readResource", map[string]any{"uri": uri}, &read)
	return read.Contents
}

// result is a call as a [caller] makes it.
func (p *peer) result(t *testing.T, fails bool, tool, args string) *result {
	t.Helper()
	r := new(result)
	p.do(t, "callTool", map[string]any{"name": tool, "arguments": json.RawMessage(args)}, r)
	if r.IsError != fails {
		t.Fatalf("%s %s: error %t, want %t: %s", tool, args, r.IsError, fails, r.text())
	}
	return r
}

func (p *peer) close(t *testing.T) {
	t.Helper()
	p.do(t, "close", nil, new(struct{}))
}
