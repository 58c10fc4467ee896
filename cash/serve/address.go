package serve

import (
	"context"
	"net/http"
	"net/netip"
)

// addressKey is the key of a context for the address of its HTTP request.
type addressKey struct{}

// addressed adds the address of [Options.Address] to the contexts of requests.
func (s *Server) addressed(next http.Handler) http.Handler {
	if s.opts.Address == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if address := s.address(r); address != "" {
			r = r.WithContext(context.WithValue(r.Context(), addressKey{}, address))
		}
		next.ServeHTTP(w, r)
	})
}

func addressIn(ctx context.Context) string {
	address, _ := ctx.Value(addressKey{}).(string)
	return address
}

// address returns the address of a request, "" if the embedder's function panics.
func (s *Server) address(r *http.Request) (address string) {
	defer func() {
		if v := recover(); v != nil {
			logPanic(r.Context(), s.opts.Logger, "address", v)
			address = ""
		}
	}()
	return s.opts.Address(r)
}

// RemoteAddress is an [Options.Address] for a server that clients connect to directly. It returns the
// network at the other end of the connection: the address alone, as in 203.0.113.5/32, and for IPv6 its
// /64, which belongs to one customer as a rule. Behind a proxy it is the proxy's.
func RemoteAddress(r *http.Request) string {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	address, bits := remote.Addr().Unmap().WithZone(""), 64
	if address.Is4() {
		bits = 32
	}
	network, err := address.Prefix(bits)
	if err != nil {
		return ""
	}
	return network.Masked().String()
}
