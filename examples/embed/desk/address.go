package desk

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/serve"
)

// clientAddress returns the network address of a client: what the proxy on this machine says, else the other end of the
// connection. Whoever does not come through the proxy can send the header too, so it counts for nothing then.
func clientAddress(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err == nil && peer.Addr().Unmap().IsLoopback() {
		list := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		last := strings.TrimSpace(list[len(list)-1]) // the proxy's own; those before it are the client's claims
		if address := serve.RemoteAddress(&http.Request{RemoteAddr: net.JoinHostPort(last, "0")}); address != "" {
			return address
		}
	}
	return serve.RemoteAddress(r)
}
