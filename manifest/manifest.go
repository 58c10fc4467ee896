package manifest

import (
	"fmt"
	"slices"
	"time"
)

// SpecVersion is the version of the CaSH specification that this module implements and publishes as cash_version.
const SpecVersion = "0.1.1"

// The addresses of a manifest (RFC sections 5.5 and 5.6).
const (
	WellKnownPath = "/.well-known/cash-mcp.yaml" // over HTTPS
	ResourceURI   = "cash://server"              // over MCP, as JSON

	MediaTypeYAML = "application/yaml"
	MediaTypeJSON = "application/json"
)

const (
	// DefaultTTL is the TTL of a manifest without cache_ttl.
	DefaultTTL = time.Hour
	// MaxTTL is the longest accepted cache_ttl, some 68 years.
	MaxTTL = (1<<31 - 1) * time.Second
	// NoCache as a CacheTTL stands for cache_ttl 0: do not cache.
	NoCache time.Duration = -1
)

// A Manifest says who publishes a CaSH server, where it is, and what it offers (RFC section 5.5). It is plain data,
// and must not be changed once it is shared.
//
// Version, LastUpdated, Publisher, Endpoint and at least one namespace are required. Parse returns no manifest
// without them.
type Manifest struct {
	// Version is the version of the specification that the server implements, such as SpecVersion. Other versions
	// are accepted; see Warnings.
	Version string
	// LastUpdated is the date of the last change, such as 2026-04-24. A time of day is dropped.
	LastUpdated string
	// Publisher names the publishing organisation or person.
	Publisher string
	// Copyright is a copyright statement. Empty is none.
	Copyright string
	// Endpoint is the MCP URL of the server, or the description of a command that speaks MCP over stdio. It is an
	// unverified claim: see CheckEndpoint.
	Endpoint string
	// CacheTTL is how long the manifest may be cached, in whole seconds, at most MaxTTL. Zero means DefaultTTL;
	// negative values mean NoCache.
	CacheTTL time.Duration
	// Authentication is nil if the server requires none.
	Authentication *Authentication
	// Namespaces has 1 to MaxEntries entries.
	Namespaces []Namespace
	// Skills has at most MaxEntries entries. It may be incomplete.
	Skills []Skill
	// State tells operators which state the server's replicas share. It is an extension, written as x-state, with at
	// most MaxStates entries. Nil tells nothing.
	State []State
}

// Authentication describes how the endpoint authenticates callers.
type Authentication struct {
	Scheme  Scheme
	DocsURL string // http or https URL of the documentation, or empty
}

// A Scheme is an authentication scheme. The set is closed.
type Scheme string

// The schemes of RFC section 5.5.
const (
	SchemeNone   Scheme = "none"
	SchemeBearer Scheme = "bearer"
	SchemeAPIKey Scheme = "apikey"
	SchemeOAuth2 Scheme = "oauth2"
)

// A Namespace suggests a label to those who mount the server.
type Namespace struct {
	Suggested   string // a label, with hyphens allowed; see Label. Required
	Description string // one line. Required
}

// A Skill announces one skill of the server.
type Skill struct {
	Name        string // as published, with hyphens kept. Required
	Description string // one line. Required
}

// A State is something that the server keeps between requests, such as sessions, plans, quota, approvals, results,
// artifacts or pins.
type State struct {
	Name        string // required
	Kept        Kept   // required
	Description string // one line: what that means. Required
}

// Kept says who has a state. The set is closed.
type Kept string

// The values of [Kept].
const (
	KeptProcess Kept = "process" // each process has its own
	KeptShared  Kept = "shared"  // all replicas have one
)

// TTL returns how long the manifest may be cached: CacheTTL, DefaultTTL if it is zero, or 0 for NoCache.
func (m *Manifest) TTL() time.Duration {
	switch {
	case m.CacheTTL == 0:
		return DefaultTTL
	case m.CacheTTL < 0:
		return 0
	}
	return m.CacheTTL
}

// knownVersions are the values of cash_version without a warning. The specification's own example says 1.0.
var knownVersions = []string{SpecVersion, "1.0"}

// maxWarnings bounds Warnings.
const maxWarnings = 16

// Warnings returns oddities of a valid manifest: an unknown version, suggestions that leave no label, and
// suggestions with the same label. There are at most 16 short lines; none is an empty slice.
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
