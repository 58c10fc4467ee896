package discover

import (
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/manifest"
)

// Changes lists in words how a server's identity differs from an earlier one, or from the manifest that led to it (RFC
// 5.6): publisher, version of the specification, endpoint, and authentication. Each line is clean. Namespaces, skills
// and dates may change at any time and do not count. Nor does an endpoint that is no URL, as a server gives over stdio.
func Changes(before, now *manifest.Manifest) (list []string) {
	for _, fact := range []struct{ name, before, now string }{
		{"publisher", before.Publisher, now.Publisher},
		{"cash_version", before.Version, now.Version},
		{"endpoint", address(before), address(now)},
		{"authentication", string(scheme(before)), string(scheme(now))},
	} {
		if fact.before == fact.now || fact.name == "endpoint" && (fact.before == "" || fact.now == "") {
			continue
		}
		list = append(list, fmt.Sprintf("its %s was %q and is %q", fact.name, clean.Line(fact.before, maxDescription), clean.Line(fact.now, maxDescription)))
	}
	return list
}

// address returns the endpoint without its query, which may hold secrets; "" if it is no URL.
func address(m *manifest.Manifest) string {
	if !strings.HasPrefix(m.Endpoint, "https://") && !strings.HasPrefix(m.Endpoint, "http://") {
		return ""
	}
	at, _, _ := strings.Cut(m.Endpoint, "?")
	return at
}

func scheme(m *manifest.Manifest) manifest.Scheme {
	if m.Authentication == nil {
		return manifest.SchemeNone
	}
	return m.Authentication.Scheme
}
