package manifest_test

import (
	"context"
	"crypto/x509"
	"encoding/binary"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cash-mcp/go-sdk/manifest"
)

// loopback is what the operator allows in tests, where all servers are.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("::1/128")}

// A server is a publisher on loopback that counts its requests.
type server struct {
	*httptest.Server
	requests atomic.Int32
}

// url is where its manifest is.
func (s *server) url() string { return s.URL + manifest.WellKnownPath }

// listen starts a server with TLS. Its certificate is for 127.0.0.1, ::1 and
// example.com.
func listen(t *testing.T, h http.HandlerFunc) *server {
	t.Helper()
	s := new(server)
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		h(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// publish starts a server of a manifest on its own host.
func publish(t *testing.T, edit func(*manifest.Manifest)) *server {
	t.Helper()
	return listen(t, func(w http.ResponseWriter, r *http.Request) {
		m := shop()
		m.Endpoint = "https://" + r.Host + "/mcp"
		if edit != nil {
			edit(m)
		}
		manifest.Handler(manifest.Static(m), nil).ServeHTTP(w, r)
	})
}

// options trust the certificate of a server, and allow loopback.
func (s *server) options() *manifest.FetchOptions {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return &manifest.FetchOptions{RootCAs: pool, Allow: loopback}
}

func newFetcher(t *testing.T, o *manifest.FetchOptions) *manifest.Fetcher {
	t.Helper()
	f, err := manifest.NewFetcher(o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// resolver answers each lookup of addresses with what next returns, IPv4 only.
func resolver(next func() []string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go serveDNS(server, next)
		return client, nil
	}}
}

// serveDNS answers the queries of one connection (RFC 1035, section 4.2.2).
func serveDNS(c net.Conn, next func() []string) {
	defer c.Close()
	for {
		var length [2]byte
		if _, err := io.ReadFull(c, length[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(c, query); err != nil {
			return
		}
		reply := reply(query, next)
		if _, err := c.Write(binary.BigEndian.AppendUint16(nil, uint16(len(reply)))); err != nil {
			return
		}
		if _, err := c.Write(reply); err != nil {
			return
		}
	}
}

// reply keeps header and question, drops the rest, and adds the answers.
func reply(query []byte, next func() []string) []byte {
	end := 12
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 5
	var answers []string
	if query[end-4] == 0 && query[end-3] == 1 { // type A
		answers = next()
	}
	out := append([]byte(nil), query[:end]...)
	out[2] |= 0x80                         // a response
	out[3] = 0x80                          // recursion available, no error
	out[6], out[7] = 0, byte(len(answers)) // answers
	out[8], out[9], out[10], out[11] = 0, 0, 0, 0
	for _, a := range answers {
		ip := netip.MustParseAddr(a).As4()
		out = append(out, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4) // the name asked for, A, IN, TTL 0
		out = append(out, ip[:]...)
	}
	return out
}

// named returns the URL of a server's manifest by a name.
func (s *server) named(host string) string {
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "https://"), ":")
	return "https://" + host + ":" + port + manifest.WellKnownPath
}
