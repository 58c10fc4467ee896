package serve_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/serve"
)

// A proxy on the same machine that keeps the Host header leads to a server that knows the name, and no
// other name does.
func TestAllowedHosts(t *testing.T) {
	for _, v := range generations {
		for _, tt := range []struct {
			allowed []string
			name    string
			ok      bool
		}{
			{nil, "mcp.example.com", false},
			{nil, "", true},
			{[]string{"mcp.example.com"}, "mcp.example.com", true},
			{[]string{"mcp.example.com"}, "MCP.example.com:8443", true},
			{[]string{"mcp.example.com"}, "evil.example.com", false},
			{[]string{"mcp.example.com"}, "mcp.example.com.evil.com", false},
			{[]string{"mcp.example.com"}, "", true},
			{[]string{"::2"}, "[::2]:80", true},
		} {
			_, target := start(t, serve.Options{AllowedHosts: tt.allowed}, nil)
			to, err := url.Parse(target)
			if err != nil {
				t.Fatal(err)
			}
			proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(to)
				r.Out.Host = to.Host
				if tt.name != "" {
					r.Out.Host = tt.name
				}
			}})
			t.Cleanup(proxy.Close)
			s, err := tryDial(t, proxy.URL, v, nil)
			if (err == nil) != tt.ok {
				t.Errorf("%s: %q with %q allowed: %v", v, tt.name, tt.allowed, err)
			}
			if err == nil {
				if text, _ := call(t, s, "whoami"); text != "nobody" {
					t.Errorf("%s: %q: %s", v, tt.name, text)
				}
			}
		}
	}
}

// A page of an allowed origin may ask and call; others get neither.
func TestAllowedOrigins(t *testing.T) {
	_, address := start(t, serve.Options{AllowedOrigins: []string{"https://app.example"}}, nil)
	send := func(method, origin, body string, header http.Header) *http.Response {
		t.Helper()
		r, err := http.NewRequest(method, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if header != nil {
			r.Header = header
		}
		r.Header.Set("Origin", origin)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, res.Body)
		return res
	}
	const connect = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for origin, allowed := range map[string]bool{"https://app.example": true, "https://app.example:444": false, "http://app.example": false, "null": false} {
		asked := send(http.MethodOptions, origin, "", http.Header{"Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"content-type,mcp-param-x"}})
		headers := asked.Header.Get("Access-Control-Allow-Headers")
		if (asked.StatusCode == http.StatusNoContent) != allowed || (headers == "content-type,mcp-param-x") != allowed {
			t.Errorf("%s asks: %d, %q", origin, asked.StatusCode, headers)
		}
		called := send(http.MethodPost, origin, connect, nil)
		if (called.StatusCode == http.StatusOK) != allowed || (called.Header.Get("Access-Control-Allow-Origin") == origin) != allowed {
			t.Errorf("%s calls: %d, %v", origin, called.StatusCode, called.Header)
		}
		if exposed := called.Header.Get("Access-Control-Expose-Headers"); strings.Contains(exposed, "Mcp-Session-Id") != allowed {
			t.Errorf("%s reads %q", origin, exposed)
		}
	}
}

func TestPlacesThatAreNone(t *testing.T) {
	for _, o := range []serve.Options{
		{AllowedHosts: []string{"https://mcp.example.com"}}, {AllowedHosts: []string{"mcp.example.com:80"}},
		{AllowedHosts: []string{"*.example.com"}}, {AllowedHosts: []string{""}},
		{AllowedOrigins: []string{"app.example"}}, {AllowedOrigins: []string{"https://app.example/path"}}, {AllowedOrigins: []string{"*"}},
	} {
		if err := o.Check(); err == nil {
			t.Errorf("%q and %q are accepted", o.AllowedHosts, o.AllowedOrigins)
		}
	}
}
