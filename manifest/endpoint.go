package manifest

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// CheckEndpoint decides whether to connect to the endpoint in a server's manifest (RFC section 5.4.2). It returns
// the URL to connect to, in canonical form. Accepted are
//
//   - an https URL on the manifest's own host,
//   - an https URL on a host in trusted, such as "mcp.example:8443" (the port only if it is not 443), and
//   - a URL in trusted, which may be http.
//
// Hosts are compared without case, final dot and default port, in Punycode. The path and query of a trusted URL are
// compared exactly. User names, passwords and other schemes are refused. So are descriptions of commands: to
// believe one is to run a stranger's program.
//
// The error is a *FetchError: of KindConfig if source or an entry of trusted is malformed, of KindUnsafe if the
// endpoint is refused.
func CheckEndpoint(endpoint, source string, trusted ...string) (*url.URL, error) {
	src, err := parseSource(source)
	if err != nil {
		return nil, err
	}
	t, err := parseTrusted(trusted)
	if err != nil {
		return nil, err
	}
	return t.check(endpoint, src)
}

// A trust holds the operator's trusted endpoints in canonical form.
type trust struct {
	hosts map[string]bool // for https URLs
	urls  map[string]bool
}

func parseTrusted(entries []string) (trust, error) {
	t := trust{make(map[string]bool), make(map[string]bool)}
	for _, e := range entries {
		isHost := !strings.ContainsAny(e, "/?#")
		raw := e
		if isHost {
			raw = "https://" + e
		}
		u, err := canonicalURL(raw)
		switch {
		case err != nil:
			return trust{}, &FetchError{Kind: KindConfig, Reason: fmt.Sprintf("the trusted endpoint %s cannot be used: %v", quoteURL(e), err)}
		case isHost:
			t.hosts[u.Host] = true
		default:
			t.urls[u.String()] = true
		}
	}
	return t, nil
}

// check implements CheckEndpoint.
func (t trust) check(endpoint string, source *url.URL) (*url.URL, error) {
	refuse := func(reason string) (*url.URL, error) {
		return nil, &FetchError{Kind: KindUnsafe, Host: source.Host, Reason: reason, Err: errors.New("endpoint " + quote(endpoint))}
	}
	if !isWeb(endpoint) {
		return refuse("the endpoint is not an https URL; commands are never taken from a manifest")
	}
	u, err := canonicalURL(endpoint)
	switch {
	case err != nil:
		return refuse("the endpoint cannot be used: " + err.Error())
	case t.urls[u.String()]:
		return u, nil
	case u.Scheme != "https":
		return refuse("the endpoint does not use https")
	case u.Host != source.Host && !t.hosts[u.Host]:
		return refuse("the endpoint is on another host than the manifest; the operator may trust it by name")
	}
	return u, nil
}

// parseSource returns a manifest's URL in canonical form.
func parseSource(raw string) (*url.URL, error) {
	u, err := canonicalURL(raw)
	if err == nil && u.Scheme != "https" {
		err = errors.New("manifests are fetched over https only")
	}
	if err != nil {
		return nil, &FetchError{Kind: KindConfig, Reason: fmt.Sprintf("the manifest URL %s cannot be used: %v", quoteURL(raw), err)}
	}
	return u, nil
}

// quoteURL quotes an unparsed URL without possible secrets: query, user name and password.
func quoteURL(raw string) string {
	if strings.Contains(raw, "@") {
		return quote("…")
	}
	if i := strings.IndexAny(raw, "?#"); i >= 0 {
		raw = raw[:i] + "…"
	}
	return quote(raw)
}

// canonicalURL returns an http or https URL with a canonical host, without default port and fragment. Its errors
// show nothing of the URL.
func canonicalURL(raw string) (*url.URL, error) {
	if len(raw) > 4*maxURL {
		return nil, errors.New("the URL is too long")
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, errors.New("it is not a URL")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("it is no https URL")
	case u.User != nil:
		return nil, errors.New("it has a user name or password")
	case u.Opaque != "" || u.Hostname() == "":
		return nil, errors.New("it names no host")
	}
	host, err := canonicalHost(u.Hostname())
	if err != nil {
		return nil, err
	}
	port, err := canonicalPort(u)
	if err != nil {
		return nil, err
	}
	switch {
	case port != "":
		host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		host = "[" + host + "]"
	}
	u.Host = host
	u.Fragment, u.RawFragment = "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	return u, nil
}

// canonicalPort returns the port of a URL; "" for the default one of its scheme.
func canonicalPort(u *url.URL) (string, error) {
	text := u.Port()
	if text == "" {
		return "", nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	switch {
	case err != nil || n == 0:
		return "", errors.New("its port is no port")
	case n == 443 && u.Scheme == "https", n == 80 && u.Scheme == "http":
		return "", nil
	}
	return strconv.FormatUint(n, 10), nil
}
