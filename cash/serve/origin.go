package serve

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// checkPlaces returns the error of an AllowedHosts or AllowedOrigins that can match nothing.
func (o *Options) checkPlaces() error {
	for _, host := range o.AllowedHosts {
		if host == "" || strings.ContainsAny(host, "/:@*? ") && net.ParseIP(host) == nil {
			return fmt.Errorf("the option AllowedHosts has %q, which is no name of a host: leave out scheme, port and path", host)
		}
	}
	for _, origin := range o.AllowedOrigins {
		if err := http.NewCrossOriginProtection().AddTrustedOrigin(origin); err != nil {
			return fmt.Errorf("the option AllowedOrigins: %w", err)
		}
	}
	return nil
}

// named refuses requests to another host than the allowed ones. Without a list, the SDK refuses names that are not
// local on a loopback address.
func (s *Server) named(next http.Handler) http.Handler {
	if len(s.opts.AllowedHosts) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostname(r.Host)
		if !isLocal(host) && !slices.ContainsFunc(s.opts.AllowedHosts, func(h string) bool { return strings.EqualFold(h, host) }) {
			http.Error(w, "this server has another name: see AllowedHosts", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostname returns a Host header without its port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

func isLocal(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

// sameOrigin refuses pages of other origins than the server's and the allowed ones. To the latter it answers as CORS
// (fetch.spec.whatwg.org) asks. The standard library assumes that GET requests have no effect; here they open the
// stream of a session.
func (s *Server) sameOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	for _, origin := range s.opts.AllowedOrigins {
		_ = protection.AddTrustedOrigin(origin) // Check has seen it
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if origin := header(r.Header, "Origin"); slices.Contains(s.opts.AllowedOrigins, origin) {
			h := w.Header()
			h.Set("Access-Control-Allow-Origin", origin)
			h.Add("Vary", "Origin")
			h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, Retry-After, WWW-Authenticate")
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
				h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
				h.Set("Access-Control-Max-Age", "600")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		check := r
		if r.Method == http.MethodGet {
			check = r.Clone(r.Context())
			check.Method = http.MethodPost
		}
		if err := protection.Check(check); err != nil {
			http.Error(w, "cross-origin request refused", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
