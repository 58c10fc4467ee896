package manifest

import (
	"errors"
	"net/netip"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// canonicalHost returns the only spelling of a host, without port and brackets, that is compared, dialled and
// shown: an IP address as netip writes it, or a lower-case ASCII name without the final dot. Since exactly this
// text is dialled, no later reader can understand another host.
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
	// Some resolvers take 127.1 or 0x7f000001 for an address.
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

// asciiName returns a host name in lower-case ASCII, by the IDNA profile of net/http. It is stricter where readers
// differ: beyond ASCII it accepts only visible letters, marks and digits with unambiguous case.
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
	if err != nil { // the error shows the host
		return "", errors.New("IDNA refuses the host name: correct it, or write it in Punycode")
	}
	return name, nil
}

// dots replaces the label separators of other scripts by a dot.
var dots = strings.NewReplacer("\u3002", ".", "\uff0e", ".", "\uff61", ".")

// ambiguousCase reports whether a capital letter shares its lower case with another: IDNA maps a dotted İ to more
// than an i, which is another host.
func ambiguousCase(r rune) bool {
	lower := unicode.ToLower(r)
	return lower != r && unicode.ToUpper(lower) != r
}

func notInHosts(r rune) bool {
	if r <= unicode.MaxASCII {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_')
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) ||
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) // invisible, some are letters
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] > unicode.MaxASCII {
			return false
		}
	}
	return true
}
