package upstream

import (
	"net/http"
	"net/netip"
)

// A Discovery is a manifest by which a server is found (RFC 5.4.2).
type Discovery struct {
	// URL is where the manifest is, an https URL. Required.
	URL string
	// Label is the operator's own label for what is found. Empty is what the
	// manifest suggests.
	Label string
	// Description says in a line what is there. Empty is what the manifest says.
	Description string
	// Trust lists endpoints on other hosts that the manifest may name, as the
	// Trusted of manifest.FetchOptions. Nil is none.
	Trust []string
	// Allow lists addresses that may be dialled although they are not public.
	// Nil is none.
	Allow []netip.Prefix
	// Header is sent to the host of URL, and to no other. Nil is nothing.
	Header http.Header
	// Server has the settings of the server that is found, from VisibleTo to
	// Refresh. Its label, description, endpoint, kind and namespace are empty:
	// they are found as well.
	Server Server
}

// String names the manifest for logs and operators, by its URL without the
// query, which may hold secrets.
func (d Discovery) String() string { return "manifest " + HTTP{URL: d.URL}.String() }
