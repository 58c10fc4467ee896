package serve_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// host is what is served: every face.
type host interface {
	Run(context.Context, mcp.Transport) error
	Handler() http.Handler
}

// A raw client sends bytes and gets bytes, which no SDK has touched.
type raw struct {
	version string
	// post sends a message, and returns its answer and the status; zero where there
	// is none.
	post func(t *testing.T, message string, header http.Header) (status int, answer string)
}

// raws returns clients over lines and over HTTP in both generations, connected.
func raws(t *testing.T, srv host) map[string]*raw {
	t.Helper()
	ts := httptest.NewServer(srv.Handler())
	t.Cleanup(ts.Close)
	return map[string]*raw{
		"lines": rawLines(t, srv), "sessions": rawSession(t, ts.URL), "sessionless": {"2026-07-28", poster(ts.URL, nil)},
	}
}

func rawLines(t *testing.T, srv host) *raw {
	t.Helper()
	serverIn, out := io.Pipe()
	in, serverOut := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- srv.Run(context.Background(), &mcp.IOTransport{Reader: serverIn, Writer: serverOut})
		serverOut.Close()
	}()
	t.Cleanup(func() {
		out.Close()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	r := bufio.NewReader(in)
	c := &raw{"2025-11-25", func(t *testing.T, message string, _ http.Header) (int, string) {
		t.Helper()
		go io.WriteString(out, message+"\n")
		answer, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("after %.200s: %v", message, err)
		}
		return 0, strings.TrimSpace(answer)
	}}
	c.post(t, initialize, nil)
	io.WriteString(out, initialized+"\n")
	return c
}

func rawSession(t *testing.T, url string) *raw {
	t.Helper()
	req, _ := http.NewRequest(http.MethodPost, url, strings.NewReader(initialize))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	c := &raw{"2025-11-25", poster(url, http.Header{"Mcp-Session-Id": res.Header["Mcp-Session-Id"]})}
	c.post(t, initialized, nil)
	return c
}

// poster posts a message, and takes the answer out of an event stream.
func poster(url string, own http.Header) func(*testing.T, string, http.Header) (int, string) {
	return func(t *testing.T, message string, header http.Header) (int, string) {
		t.Helper()
		req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		for _, h := range []http.Header{own, header} {
			for k, v := range h {
				req.Header[k] = v
			}
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("after %.200s: %v", message, err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatalf("after %.200s: %v", message, err)
		}
		answer := string(body)
		if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
			_, answer, _ = strings.Cut(answer, "data: ")
		}
		return res.StatusCode, strings.TrimSpace(answer)
	}
}

// send sends a request with an id and the members of its params, as they are
// spelt.
func (c *raw) send(t *testing.T, id, method, params string) (int, string) {
	t.Helper()
	header := http.Header{"Mcp-Protocol-Version": {c.version}}
	if c.version == "2026-07-28" {
		header["Mcp-Method"] = []string{method}
		var names struct{ Name, URI any }
		if json.Unmarshal([]byte("{"+params+"}"), &names) == nil {
			for _, n := range []any{names.Name, names.URI} {
				if s, ok := n.(string); ok {
					header["Mcp-Name"] = []string{encoded(s)}
				}
			}
		}
		if !strings.Contains(params, `"_meta"`) {
			params = strings.TrimSuffix(requestMeta+","+params, ",")
		}
	}
	return c.post(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, params), header)
}

// encoded is a text as a header has it.
func encoded(s string) string {
	for _, r := range s {
		if r < ' ' || r > '~' {
			return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
		}
	}
	return s
}

// alive checks that the server still answers this client.
func (c *raw) alive(t *testing.T) {
	t.Helper()
	if _, answer := c.send(t, `"alive"`, "tools/list", ""); !strings.Contains(answer, `"id":"alive","result"`) {
		t.Errorf("afterwards: %.300s", answer)
	}
}
