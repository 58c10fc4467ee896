package manifest

import (
	"errors"
	"net/netip"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// canonicalHost returns the one spelling of a host, without port and brackets,
// in which hosts are compared, dialled and shown: an IP address as netip
// writes it, or a name in lower-case ASCII without the final dot. What is
// dialled is this very text, so that nobody downstream can understand another
// host.
func canonicalHost(host string) (string, error) {
	if len(host) > 4*maxHost {
		return "", errors.New("the host name is too long")
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Zone() != "" {
			return "", errors.New("the address has a zone: remove it")
		}
		return addr.Unmap().String(), nil
	}
	name, err := asciiName(host)
	if err != nil {
		return "", err
	}
	name = strings.TrimSuffix(name, ".")
	labels := strings.Split(name, ".")
	for _, label := range labels {
		switch {
		case label == "":
			return "", errors.New("the host name has an empty label")
		case len(label) > maxLabel:
			return "", errors.New("the host name has a label that is too long")
		case strings.ContainsFunc(label, notInHosts):
			return "", errCharacter
		}
	}
	// Resolvers of some systems take 127.1 or 0x7f000001 for addresses.
	if last := labels[len(labels)-1]; strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return "", errors.New("the host is neither a name nor an IP address")
	}
	if len(name) > maxHost {
		return "", errors.New("the host name is too long")
	}
	return name, nil
}

// The bounds of DNS (RFC 1035), in bytes.
const (
	maxHost  = 253
	maxLabel = 63
)

var errCharacter = errors.New("the host name has a character that host names do not have")

// asciiName returns a host name in lower-case ASCII, by the profile of IDNA that
// net/http dials by. It is stricter where readers of the name differ: of other
// characters than ASCII it takes letters, marks and digits that show, and whose case
// is clear.
func asciiName(host string) (string, error) {
	if isASCII(host) {
		return strings.ToLower(host), nil
	}
	for _, r := range norm.NFKC.String(dots.Replace(host)) {
		if r != '.' && (ambiguousCase(r) || notInHosts(unicode.ToLower(r))) {
			return "", errCharacter
		}
	}
	name, err := idna.Lookup.ToASCII(host)
	if err != nil { // which shows the host
		return "", errors.New("IDNA refuses the host name: correct it, or write it in Punycode")
	}
	return name, nil
}

// dots writes the separators of labels in other scripts as the one of DNS.
var dots = strings.NewReplacer("\u3002", ".", "\uff0e", ".", "\uff61", ".")

// ambiguousCase reports whether a capital has a lower case that belongs to
// another: IDNA makes of a dotted İ more than an i, which would be another host.
func ambiguousCase(r rune) bool {
	lower := unicode.ToLower(r)
	return lower != r && unicode.ToUpper(lower) != r
}

func notInHosts(r rune) bool {
	if r <= unicode.MaxASCII {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_')
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) ||
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) // invisible, some of them letters
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] > unicode.MaxASCII {
			return false
		}
	}
	return true
}
