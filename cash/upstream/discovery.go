package upstream

import (
	"net/http"
	"net/netip"
)

// A Discovery is a manifest URL from which a server is discovered (RFC 5.4.2).
type Discovery struct {
	// URL is the https URL of the manifest. Required.
	URL string
	// Label is the operator's own label for the server. Empty takes the manifest's suggestion.
	Label string
	// Description is one line about the server. Empty takes the manifest's.
	Description string
	// Trust lists endpoints on other hosts that the manifest may name, as in manifest.FetchOptions.Trusted. Nil is
	// none.
	Trust []string
	// Allow lists non-public addresses that may be dialled. Nil is none.
	Allow []netip.Prefix
	// Header is sent to the host of URL only. Nil is none.
	Header http.Header
	// Server has the settings for the discovered server, from VisibleTo to Refresh. Its label, description,
	// endpoint, kind and namespace must be empty: the manifest gives them. So must Credentials, since the publisher of
	// the manifest would decide where they are sent.
	Server Server
}

// String returns the manifest's URL without the query, which may hold secrets. It is for logs and operators.
func (d Discovery) String() string { return "manifest " + HTTP{URL: d.URL}.String() }
