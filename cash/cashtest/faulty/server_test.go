package faulty_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/cashtest/faulty"
)

// The test binary is also the process of Server.Command. With the race detector
// it would take a second to end.
func init() {
	faulty.Main()
	os.Setenv("GORACE", "atexit_sleep_ms=0")
}

const everywhere = faulty.AtConnect | faulty.AtList | faulty.AtCall

// A rawAnswer is what came back for one request, whatever it is.
type rawAnswer struct {
	status int // over HTTP
	header http.Header
	body   string
	err    error // of sending or reading; over stdio, of the exit status
}

// methods are the requests that faults are asked for with.
var methods = map[faulty.Stage]string{
	faulty.AtConnect: "server/discover",
	faulty.AtList:    "tools/list",
	faulty.AtCall:    "tools/call",
}

// request is a request of protocol version 2026-07-28 with id 1.
func request(stage faulty.Stage) string {
	call := ""
	if stage == faulty.AtCall {
		call = `"name":"echo","arguments":{"text":"hello"},`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s"_meta":{"progressToken":"mine","io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, methods[stage], call)
}

// post sends a request over HTTP, and returns the answer before its body.
func post(ctx context.Context, client *http.Client, url string, stage faulty.Stage) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(request(stage)))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": methods[stage], "Secret": "s3cret",
	} {
		r.Header.Set(name, value)
	}
	if stage == faulty.AtCall {
		r.Header.Set("Mcp-Name", "echo")
	}
	return client.Do(r)
}

// patience is how long a test waits for what shall not come.
const patience = 300 * time.Millisecond

// overHTTPRaw returns the whole answer. With met it returns what has come of it
// when the request has met the fault and some time is over.
func overHTTPRaw(t *testing.T, client *http.Client, url string, stage faulty.Stage, met func() bool) rawAnswer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if met != nil {
		go func() {
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for !met() && ctx.Err() == nil {
				<-tick.C
			}
			time.AfterFunc(patience, cancel)
		}()
	}
	res, err := post(ctx, client, url, stage)
	if err != nil {
		return rawAnswer{err: err}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
	return rawAnswer{res.StatusCode, res.Header, string(body), err}
}

// eventually waits for something that happens without telling.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !happened() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}

// overStdioRaw returns what the process wrote until it ended. Its input ends
// after a line with a text, or as soon as it may if that is empty.
func overStdioRaw(t *testing.T, cmd *exec.Cmd, stage faulty.Stage, until string, may func() bool) rawAnswer {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(stdin, request(stage)+"\n")
	if until == "" {
		eventually(t, "the request has met the fault", may)
		stdin.Close()
	}
	var out bytes.Buffer
	buf := make([]byte, 1<<16)
	for err == nil && out.Len() < 64<<20 {
		var n int
		n, err = stdout.Read(buf)
		out.Write(buf[:n])
		if until != "" && bytes.HasSuffix(buf[:n], []byte("\n")) && bytes.Contains(out.Bytes(), []byte(until)) {
			stdin.Close()
			until = ""
		}
	}
	_ = cmd.Process.Kill()
	return rawAnswer{body: out.String(), err: cmd.Wait()}
}

// sound fails the test unless the server behind transport is sound.
func sound(t *testing.T, transport mcp.Transport) {
	t.Helper()
	c := cashtest.Dial(t, transport)
	if n := len(c.Tools()); n != 7 {
		t.Errorf("%d tools, want 7", n)
	}
	if got := c.Tool("echo", map[string]any{"text": "hello"}).OK().Text; got != "hello" {
		t.Errorf("echo answers %q", got)
	}
	if c.Session.InitializeResult().Instructions != "A server for tests." {
		t.Errorf("instructions %.100q", c.Session.InitializeResult().Instructions)
	}
}

// tools returns the tools of an answer to tools/list.
func tools(t *testing.T, a rawAnswer) []map[string]any {
	t.Helper()
	var list []map[string]any
	for line := range strings.Lines(a.body) {
		var m struct {
			Result struct{ Tools []map[string]any }
		}
		if json.Unmarshal([]byte(line), &m) == nil && m.Result.Tools != nil {
			list = m.Result.Tools
		}
	}
	if list == nil {
		t.Fatalf("no list in %.300q", a.body)
	}
	return list
}

// givenUp reports whether it was the test that ended a request.
func givenUp(err error) bool { return errors.Is(err, context.Canceled) }
