// Package desktest puts the ticket desk behind a reverse proxy in tests.
package desktest

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"testing"
)

// Proxy starts a reverse proxy before the server at an address, on the same machine: it speaks TLS, keeps the Host header
// and names the client. It ends with the test. Every name leads the returned client to the proxy, addresses lead where
// they should. What goes wrong is logged in lines of JSON.
func Proxy(t *testing.T, addr string, log io.Writer) *http.Client {
	t.Helper()
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: addr})
			r.Out.Host = r.In.Host
			r.SetXForwarded()
		},
		ErrorLog: slog.NewLogLogger(slog.NewJSONHandler(log, nil), slog.LevelWarn),
	}
	proxy := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A body that is still being read when the answer begins can end the answer (golang.org/issue/40747).
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(w, r)
	}))
	transport := proxy.Client().Transport.(*http.Transport).Clone()
	transport.TLSClientConfig.ServerName = "example.com" // that of the test certificate
	transport.DialContext = func(ctx context.Context, network, to string) (net.Conn, error) {
		if _, err := netip.ParseAddrPort(to); err != nil {
			to = proxy.Listener.Addr().String()
		}
		return new(net.Dialer).DialContext(ctx, network, to)
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		proxy.CloseClientConnections()
		proxy.Close()
	})
	return &http.Client{Transport: transport}
}
