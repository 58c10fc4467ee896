package explore

import (
	"crypto/rand"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Bounds of a request.
const (
	maxQuery = 16 << 10 // bytes of a URL's query
	maxForm  = 2 << 20  // bytes of a form
)

// guard refuses requests that come from elsewhere, and tells the browser what the page may do.
func (h *Handler) guard(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nonce := rand.Text()
		setHeaders(w.Header(), nonce)
		if reason := h.foreign(r, protection); reason != "" {
			http.Error(w, "This page was refused: "+reason+".", http.StatusForbidden)
			return
		}
		if len(r.URL.RawQuery) > maxQuery {
			http.Error(w, "The address of this page is too long.", http.StatusRequestURITooLong)
			return
		}
		v, err := h.opts.Login(r)
		if err == nil && v == nil {
			err = errNobody
		}
		if err != nil {
			h.opts.Logger.WarnContext(r.Context(), "a login was refused", "reason", err.Error())
			http.Error(w, "You may not see this page. Sign in first.", http.StatusForbidden)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		next.ServeHTTP(w, r.WithContext(withVisit(r.Context(), &visit{viewer: v, nonce: nonce})))
	})
}

// foreign returns the reason to refuse a request, empty if there is none.
func (h *Handler) foreign(r *http.Request, protection *http.CrossOriginProtection) string {
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case h.local && !loopback(r.RemoteAddr):
		return "it is for the machine that the server runs on; give the handler a Login to open it to others"
	case h.local && proxied(r.Header):
		return "it came through a proxy; give the handler a Login to open it to others"
	case h.local && !loopback(r.Host) && !strings.EqualFold(hostname(r.Host), "localhost"):
		return "its address has the name of another host; use localhost"
	case r.Method == http.MethodPost && site == "" && r.Header.Get("Origin") == "":
		return "the browser does not say where the form comes from"
	case protection.Check(r) != nil:
		return "the form comes from another site"
	case elsewhere(r) && (r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"):
		return "another site has asked for it"
	}
	return ""
}

// elsewhere reports whether a page of another origin has made the request. It may be a link that somebody has followed.
func elsewhere(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "same-origin" && site != "none"
}

// setHeaders sets the headers of all answers.
func setHeaders(h http.Header, nonce string) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-"+nonce+"'; style-src 'nonce-"+nonce+"'; "+
		"img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	// No referrer at all would make the origin of a form null.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// loopback reports whether an address, with or without a port, is that of the same machine.
func loopback(address string) bool {
	ip, err := netip.ParseAddr(hostname(address))
	return err == nil && ip.Unmap().IsLoopback()
}

func hostname(address string) string {
	if name, _, err := net.SplitHostPort(address); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
}

// proxied reports whether a proxy has passed a request on.
func proxied(h http.Header) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if h.Get(name) != "" {
			return true
		}
	}
	return false
}
