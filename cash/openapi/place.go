package openapi

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// servers returns those that an operation or its path has of its own.
func (r *reader) servers(item, n *node) []*node {
	if list := n.get("servers").elements(); len(list) > 0 {
		return list
	}
	return item.get("servers").elements()
}

// server sets the base of an operation, which may have servers of its own.
func (r *reader) server(s *source, item, n *node) error {
	s.Plan.Base, s.Plan.Place = trimmed(r.base), r.pathOf(new(url.URL))
	list := r.servers(item, n)
	if r.bad != nil && (len(list) == 0) != r.client { // the base of a client takes its place, and others are beside it
		return r.bad
	}
	if len(list) == 0 {
		return nil
	}
	u, err := serverURL(list[0])
	if err != nil {
		return err
	}
	if u.Host != "" && hostOf(u) != r.host() {
		return fmt.Errorf("it is on another server, %q", u.Host)
	}
	above := "" // the path of the document's server; that of the base takes its place
	if r.client {
		above = r.pathOf(new(url.URL))
	}
	s.Plan.Place = r.pathOf(u)
	rest, below := strings.CutPrefix(s.Plan.Place, above)
	if !below || rest != "" && rest[0] != '/' || dots(rest) {
		return fmt.Errorf("the path of its server, %q, is not below that of the document's server", u.Path)
	}
	base := url.URL{Scheme: r.base.Scheme, Host: r.base.Host}
	if s.Plan.Base = base.String() + rest; r.client {
		s.Plan.Base = trimmed(r.base) + rest
	}
	return nil
}

// maxServers bounds the servers of an operation, and of a document, whose paths are kept from the values of others.
const maxServers = 20

// places returns the paths of the servers of an operation on the document's host.
func (r *reader) places(item, n *node) []string {
	list := r.servers(item, n)
	if len(list) == 0 {
		return r.placed
	}
	return r.placesOf(list)
}

func (r *reader) placesOf(list []*node) []string {
	var places []string
	for _, server := range list[:min(len(list), maxServers)] {
		r.set.work.spend(maxPath)
		place := r.pathOf(new(url.URL))
		if u, _ := serverURL(server); u != nil {
			if u.Host != "" && hostOf(u) != r.host() {
				continue
			}
			place = r.pathOf(u)
		}
		if !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	return places
}

// pathOf returns the path of a server's address, which may be relative to that of the document.
func (r *reader) pathOf(u *url.URL) string {
	path := url.URL{Path: u.Path, RawPath: u.RawPath}
	if u.Host != "" && u.Path == "" {
		path.Path = "/"
	}
	return strings.TrimSuffix(r.root.ResolveReference(&path).EscapedPath(), "/")
}

// host returns the host of the document's first server.
func (r *reader) host() string {
	if list := r.top.get("servers").elements(); len(list) > 0 {
		if u, err := serverURL(list[0]); err == nil && u.Host != "" {
			return hostOf(u)
		}
	}
	return hostOf(r.base)
}

// hostOf returns the host of an address, in lower case and without the usual port.
func hostOf(u *url.URL) string {
	host := strings.ToLower(u.Host)
	switch u.Scheme {
	case "http":
		return strings.TrimSuffix(host, ":80")
	case "https":
		return strings.TrimSuffix(host, ":443")
	}
	return host
}

var errServer = errors.New("the address of its server cannot be read")

// serverURL returns the address of a server, with the defaults of its variables. With an error it is nil, or one that is
// of no use.
func serverURL(n *node) (*url.URL, error) {
	address, missing := n.text("url"), ""
	if len(address) > maxPath {
		return nil, errServer
	}
	path := address
	if _, rest, ok := strings.Cut(address, "//"); ok {
		_, path, _ = strings.Cut(rest, "/")
	}
	full := eachVariable(address, func(name string) string {
		value := n.get("variables").get(name).get("default")
		switch value.kind() {
		case strictjson.Number: // as YAML has it without quotes
			return string(value.raw[:min(len(value.raw), maxPath)])
		case strictjson.String:
			return value.string()
		}
		variable := "{" + name + "}"
		if strings.Contains(path, variable) {
			missing = name
		}
		if strings.HasPrefix(address, variable+"://") {
			return "https"
		}
		return ""
	})
	u, err := url.Parse(full)
	if err == nil && u.Opaque != "" || err != nil && !strings.Contains(full, "//") {
		// A host and a port, such as localhost:8080/v1 or 127.0.0.1:8080.
		u, err = url.Parse("//" + full)
	}
	switch {
	case err != nil || len(full) > maxPath:
		return nil, errServer
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return u, errors.New("the address of its server has a query, a fragment or a user")
	case missing != "":
		return u, fmt.Errorf("the variable {%.50s} of its server has no default", missing)
	}
	return u, nil
}

// first returns the address of the document's first server, with a path from the top; that of the top if there is none,
// or with an error.
func first(top *node) (*url.URL, error) {
	u := new(url.URL)
	if list := top.get("servers").elements(); len(list) > 0 {
		var err error
		if u, err = serverURL(list[0]); err != nil {
			return &url.URL{Path: "/"}, err
		}
	}
	u = (&url.URL{Path: "/"}).ResolveReference(u)
	if u.Path == "" {
		u.Path = "/"
	}
	if dots(u.EscapedPath()) {
		return &url.URL{Path: "/"}, errors.New("the path of its server has a segment of dots")
	}
	return u, nil
}
