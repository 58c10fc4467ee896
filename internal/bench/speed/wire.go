package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	sessions  = "2025-11-25" // the newest version with sessions
	stateless = "2026-07-28"
)

// sessionless is the metadata of a request without a session.
const sessionless = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + stateless + `",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"speed","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + sessions + `",` +
	`"capabilities":{},"clientInfo":{"name":"speed","version":"1"}}}`

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// A request is what a client sends again and again.
type request struct {
	method, tool string // tool is empty for other methods than tools/call
	args         string
}

// message returns the request as JSON.
func (r request) message(version string) []byte {
	params := `{`
	if r.tool != "" {
		params += fmt.Sprintf(`"name":%q,"arguments":%s`, r.tool, r.args)
	}
	if version == stateless {
		if r.tool != "" {
			params += ","
		}
		params += sessionless
	}
	return []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}}`, r.method, params))
}

// A web is one server over HTTP, and its clients. All use the same bare client, which keeps its connections.
type web struct {
	url    string
	client *http.Client
	header []http.Header // by client
	body   []byte
}

// listen serves a handler, and prepares clients that send a request.
func listen(t *trial, h http.Handler, version string, r request) (*web, error) {
	ts := httptest.NewServer(h)
	transport := &http.Transport{MaxIdleConnsPerHost: t.clients, DisableCompression: true}
	t.cleanup(func() {
		transport.CloseIdleConnections()
		ts.CloseClientConnections()
		ts.Close()
	})
	w := &web{url: ts.URL + "/mcp", client: &http.Client{Transport: transport}, body: r.message(version)}
	for range t.clients {
		header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		if version == sessions {
			id, err := w.session(t.ctx, header)
			if err != nil {
				return nil, err
			}
			header["Mcp-Session-Id"] = []string{id}
		} else {
			header["Mcp-Method"] = []string{r.method}
			if r.tool != "" {
				header["Mcp-Name"] = []string{r.tool}
			}
		}
		header["Mcp-Protocol-Version"] = []string{version}
		w.header = append(w.header, header)
	}
	return w, nil
}

// session begins a session, and returns its id.
func (w *web) session(ctx context.Context, header http.Header) (string, error) {
	res, err := w.post(ctx, header, []byte(initialize))
	if err != nil {
		return "", err
	}
	id := res.header.Get("Mcp-Session-Id")
	header = header.Clone()
	header["Mcp-Session-Id"], header["Mcp-Protocol-Version"] = []string{id}, []string{sessions}
	_, err = w.post(ctx, header, []byte(initialized))
	return id, err
}

// call sends the request of a client, and looks for the text in the answer.
func (w *web) call(ctx context.Context, client int, want []byte) error {
	res, err := w.post(ctx, w.header[client], w.body)
	if err == nil && !bytes.Contains(res.body, want) {
		return &wrongError{string(res.body)}
	}
	return err
}

type response struct {
	header http.Header
	body   []byte
}

func (w *web) post(ctx context.Context, header http.Header, body []byte) (*response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = header
	res, err := w.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("status %s: %.300s", res.Status, answer)
	}
	return &response{res.Header, answer}, err
}

// lines is a client of a server on two pipes, as a program has them.
type lines struct {
	out *os.File
	in  *bufio.Reader
}

// overPipes starts a server of the SDK's kind.
func overPipes(t *trial, srv interface {
	Run(context.Context, mcp.Transport) error
}) (*lines, error) {
	return dial(t, func(ctx context.Context, in *os.File, out *os.File) error {
		return srv.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
	})
}

// dial starts a server on two pipes, and goes through the handshake of a session.
func dial(t *trial, run func(ctx context.Context, in, out *os.File) error) (*lines, error) {
	serverIn, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	in, serverOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(t.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = run(ctx, serverIn, serverOut)
	}()
	t.cleanup(func() {
		_ = out.Close()
		cancel()
		<-done
		for _, f := range []*os.File{in, serverIn, serverOut} {
			_ = f.Close() // the server may have closed its ends
		}
	})
	c := &lines{out: out, in: bufio.NewReaderSize(in, 1<<16)}
	if err := c.ask([]byte(initialize+"\n"), []byte(`"protocolVersion"`)); err != nil {
		return nil, err
	}
	_, err = out.WriteString(initialized + "\n")
	return c, err
}

// ask sends a line, and looks for the text in the line that comes back.
func (c *lines) ask(line, want []byte) error {
	if _, err := c.out.Write(line); err != nil {
		return err
	}
	answer, err := c.in.ReadSlice('\n')
	if err == nil && !bytes.Contains(answer, want) {
		return &wrongError{string(answer)}
	}
	return err
}

// inMemory connects a client of the SDK.
func inMemory(t *trial, srv interface {
	Run(context.Context, mcp.Transport) error
}) (*mcp.ClientSession, error) {
	near, far := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(t.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Run(ctx, far)
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "speed", Version: "1"}, nil).Connect(ctx, near, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	t.cleanup(func() {
		_ = session.Close()
		cancel()
		<-done
	})
	return session, nil
}

// constant answers every request with the same bytes, after it has read the body.
func constant(answer []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	})
}

// text returns the text of a result.
func text(res *mcp.CallToolResult) string {
	var b bytes.Buffer
	for _, c := range res.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			b.WriteString(c.Text)
		}
	}
	return b.String()
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }
