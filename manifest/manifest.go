package manifest

import (
	"fmt"
	"slices"
	"time"
)

// SpecVersion is the version of the CaSH specification that this module
// implements, and what its servers publish as cash_version.
const SpecVersion = "0.1.1"

// Where a manifest is found, and as what (RFC sections 5.5 and 5.6).
const (
	WellKnownPath = "/.well-known/cash-mcp.yaml" // over HTTPS
	ResourceURI   = "cash://server"              // over MCP, as JSON

	MediaTypeYAML = "application/yaml"
	MediaTypeJSON = "application/json"
)

const (
	// DefaultTTL holds where a manifest has no cache_ttl.
	DefaultTTL = time.Hour
	// MaxTTL is the longest cache_ttl that is accepted, some 68 years.
	MaxTTL = (1<<31 - 1) * time.Second
	// NoCache as a CacheTTL is the cache_ttl 0: not to be cached at all.
	NoCache time.Duration = -1
)

// A Manifest says who publishes a CaSH server, where it is, and what is there
// (RFC section 5.5). It is plain data: whoever shares one must not change it.
//
// Version, LastUpdated, Publisher, Endpoint and at least one namespace are
// required. Parse returns no manifest without them.
type Manifest struct {
	// Version is the version of the specification that the server implements,
	// such as SpecVersion. Others are accepted; see Warnings.
	Version string
	// LastUpdated is the date of the last change, as 2026-04-24. Of a time of
	// day behind it only the date is kept.
	LastUpdated string
	// Publisher names the organisation or person that publishes the server.
	Publisher string
	// Copyright is a copyright statement. Empty is none.
	Copyright string
	// Endpoint is the URL at which the server speaks MCP, or the description of
	// a command that does over stdio. It is a claim: see CheckEndpoint.
	Endpoint string
	// CacheTTL is how long others should keep the manifest, in whole seconds,
	// at most MaxTTL. Zero is not to say, which means DefaultTTL; negative
	// values mean NoCache.
	CacheTTL time.Duration
	// Authentication is nil if the server requires none.
	Authentication *Authentication
	// Namespaces has from 1 to MaxEntries entries.
	Namespaces []Namespace
	// Skills has at most MaxEntries entries. It informs, and may be incomplete.
	Skills []Skill
}

// Authentication says how the endpoint authenticates its callers.
type Authentication struct {
	Scheme  Scheme
	DocsURL string // http or https URL of the documentation, or empty
}

// A Scheme is a way to authenticate. The set is closed.
type Scheme string

// The schemes of RFC section 5.5.
const (
	SchemeNone   Scheme = "none"
	SchemeBearer Scheme = "bearer"
	SchemeAPIKey Scheme = "apikey"
	SchemeOAuth2 Scheme = "oauth2"
)

// A Namespace is advice to those who mount the server below a label of theirs.
type Namespace struct {
	Suggested   string // a label, with hyphens allowed; see Label. Required
	Description string // one line. Required
}

// A Skill announces one skill of the server.
type Skill struct {
	Name        string // as published, with hyphens kept. Required
	Description string // one line. Required
}

// TTL returns how long the manifest may be kept: CacheTTL, or DefaultTTL if
// there is none, or 0 if it is not to be cached.
func (m *Manifest) TTL() time.Duration {
	switch {
	case m.CacheTTL == 0:
		return DefaultTTL
	case m.CacheTTL < 0:
		return 0
	}
	return m.CacheTTL
}

// knownVersions are the versions that cash_version may have without a warning:
// the specification's own example says 1.0.
var knownVersions = []string{SpecVersion, "1.0"}

// maxWarnings bounds Warnings.
const maxWarnings = 16

// Warnings returns what is odd about a manifest that passes Check but no
// reason to refuse it: a version other than the known ones, suggestions that
// leave no label, and suggestions that become the same label. There are at most
// 16, each a short line; none is an empty slice.
func (m *Manifest) Warnings() []string {
	var list []string
	if !slices.Contains(knownVersions, m.Version) {
		list = append(list, fmt.Sprintf("cash_version: %s is not known here, only %q", quote(m.Version), knownVersions))
	}
	first := make(map[string]int)
	for i, n := range m.Namespaces {
		if len(list) == maxWarnings {
			break
		}
		field := fmt.Sprintf("namespaces[%d].suggested", i)
		label := Label(n.Suggested)
		other, seen := first[canonical(label)]
		switch {
		case label == "":
			list = append(list, fmt.Sprintf("%s: %s has no letter or digit that a label can keep", field, quote(n.Suggested)))
		case seen:
			list = append(list, fmt.Sprintf("%s: the same label as namespaces[%d].suggested", field, other))
		default:
			first[canonical(label)] = i
		}
	}
	return list
}
