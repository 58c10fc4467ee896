package serve_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// payers is a registry whose function tells who pays for a call, and who owns it.
func payers(t *testing.T) *registry.Registry {
	reg := registry.New(nil)
	f, err := registry.RemoteFunc("pays", "Tell who pays.", registry.Remote{Handler: func(_ context.Context, c *registry.Call) (*registry.Result, error) {
		return registry.TextResult("[" + c.Client.Payer + "][" + c.Client.Owner + "]"), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	reg.Namespace("", "").Add(f)
	return reg
}

// TestZ2Payers holds who pays for what is kept of a call: a caller who is known, else
// the address that the embedder trusts, else the session. No name that a client gives
// counts, and an address is not an owner.
func TestZ2Payers(t *testing.T) {
	url := func(opts serve.Options) string {
		web := httptest.NewServer(login(cash.NewServer(payers(t), &cash.Options{Serve: opts}).Handler()))
		t.Cleanup(web.Close)
		return web.URL
	}
	trusting := url(serve.Options{Address: func(r *http.Request) string {
		if r.Header.Get("X-Address") == "panic" {
			panic("boom")
		}
		return r.Header.Get("X-Address")
	}})
	direct, closed := url(serve.Options{Address: serve.RemoteAddress}), url(serve.Options{})
	for _, tt := range []struct {
		url    string
		header http.Header
		want   [2]string // the beginning of the answer in either generation
	}{
		{trusting, http.Header{"X-User": {"ann"}, "X-Address": {"a"}}, [2]string{"[caller:ann][caller:ann]", "[caller:ann][caller:ann]"}},
		{trusting, http.Header{"X-Address": {"a"}}, [2]string{"[address:a][connection:", "[address:a][]"}},
		{trusting, nil, [2]string{"[connection:", "[][]"}},
		{trusting, http.Header{"X-Address": {"panic"}}, [2]string{"[connection:", "[][]"}},
		{direct, http.Header{"X-Address": {"a"}}, [2]string{"[address:127.0.0.1/32][connection:", "[address:127.0.0.1/32][]"}},
		{closed, http.Header{"X-Address": {"a"}}, [2]string{"[connection:", "[][]"}},
	} {
		for i, v := range generations {
			s := dial(t, tt.url, v, tt.header)
			if text, _ := call(t, s, "pays"); !strings.HasPrefix(text, tt.want[i]) {
				t.Errorf("%s, %v: %s, want %s", v, tt.header, text, tt.want[i])
			}
			res, err := s.CallTool(t.Context(), &mcp.CallToolParams{
				Meta: mcp.Meta{registry.MetaVia: []any{"outer"}, registry.MetaFor: "somebody"}, Name: "call", Arguments: map[string]any{"function": "pays"},
			})
			if err != nil {
				t.Fatal(err)
			}
			mounted := res.Content[0].(*mcp.TextContent).Text
			payer, _, _ := strings.Cut(mounted, "]")
			if want, _, _ := strings.Cut(tt.want[i], "]"); !strings.HasPrefix(payer, want) || strings.Contains(payer, "somebody") {
				t.Errorf("%s, %v: through another server: %s, want %s", v, tt.header, mounted, want)
			}
		}
	}
}

func TestRemoteAddress(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:1234":               "192.0.2.7/32",
		"[2001:db8:1:2:3:4:5:6]:1":     "2001:db8:1:2::/64",
		"[::ffff:192.0.2.7]:1":         "192.0.2.7/32",
		"[fe80::1%eth0]:1":             "fe80::/64",
		"":                             "",
		"@":                            "",
		"192.0.2.7":                    "",
		"2001:db8:1:2:3:4:5:6 or else": "",
	} {
		if got := serve.RemoteAddress(&http.Request{RemoteAddr: remote}); got != want {
			t.Errorf("%q: %q, want %q", remote, got, want)
		}
	}
}
