package manifest

import (
	"errors"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

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
	labels := strings.Split(strings.TrimSuffix(dots.Replace(host), "."), ".")
	for i, label := range labels {
		ascii, err := canonicalLabel(label)
		if err != nil {
			return "", err
		}
		labels[i] = ascii
	}
	// Resolvers of some systems take 127.1 or 0x7f000001 for addresses.
	if last := labels[len(labels)-1]; strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return "", errors.New("the host is neither a name nor an IP address")
	}
	name := strings.Join(labels, ".")
	if len(name) > maxHost {
		return "", errors.New("the host name is too long")
	}
	return name, nil
}

// dots writes the separators of labels in other scripts as the one of DNS, as
// net/http does before it dials.
var dots = strings.NewReplacer("\u3002", ".", "\uff0e", ".", "\uff61", ".")

// The bounds of DNS (RFC 1035), in bytes.
const (
	maxHost  = 253
	maxLabel = 63
)

// canonicalLabel returns one label of a host name in ASCII, as IDNA does
// (RFC 5891): folded, normalised and in Punycode. It knows letters, marks,
// digits and hyphens, where IDNA has a table for every character; what else a
// table might allow has to be written in ASCII by whoever wants it.
func canonicalLabel(label string) (string, error) {
	folded, odd := strings.ToLower(label), false
	if !isASCII(label) {
		composed := norm.NFKC.String(label)
		odd = strings.ContainsFunc(composed, ambiguousCase)
		folded = norm.NFKC.String(strings.ToLower(composed))
	}
	switch {
	case odd || strings.ContainsFunc(folded, notInHosts):
		return "", errors.New("the host name has a character that host names do not have")
	case folded == "":
		return "", errors.New("the host name has an empty label")
	case utf8.RuneCountInString(folded) > maxLabel: // no encoding makes it shorter
		return "", errors.New("the host name has a label that is too long")
	case isASCII(folded):
		return folded, nil
	case strings.HasPrefix(folded, acePrefix):
		return "", errors.New("the host name is Punycode with other characters in it")
	}
	folded = acePrefix + punycode(folded)
	if len(folded) > maxLabel {
		return "", errors.New("the host name has a label that is too long")
	}
	return folded, nil
}

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

// acePrefix marks labels in Punycode.
const acePrefix = "xn--"

// The parameters of Punycode for host names (RFC 3492, section 5).
const (
	punyBase, punyMin, punyMax  = 36, 1, 26
	punySkew, punyDamp          = 38, 700
	punyFirstBias, punyFirstOne = 72, 0x80
)

// punycode encodes a label of at most maxLabel characters, without the prefix
// (RFC 3492, section 6.3).
func punycode(label string) string {
	runes := []rune(label)
	out := make([]byte, 0, maxLabel)
	for _, r := range runes {
		if r < punyFirstOne {
			out = append(out, byte(r))
		}
	}
	basic := len(out)
	if basic > 0 {
		out = append(out, '-')
	}
	next, delta, bias := rune(punyFirstOne), 0, punyFirstBias
	for done := basic; done < len(runes); next++ {
		least := rune(unicode.MaxRune)
		for _, r := range runes {
			if r >= next {
				least = min(least, r)
			}
		}
		delta += int(least-next) * (done + 1)
		next = least
		for _, r := range runes {
			switch {
			case r < next:
				delta++
			case r == next:
				out = appendDelta(out, delta, bias)
				bias = adapt(delta, done+1, done == basic)
				delta = 0
				done++
			}
		}
		delta++
	}
	return string(out)
}

// appendDelta writes a variable-length integer.
func appendDelta(out []byte, delta, bias int) []byte {
	const digits = "abcdefghijklmnopqrstuvwxyz0123456789"
	for k := punyBase; ; k += punyBase {
		t := min(max(k-bias, punyMin), punyMax)
		if delta < t {
			return append(out, digits[delta])
		}
		out = append(out, digits[t+(delta-t)%(punyBase-t)])
		delta = (delta - t) / (punyBase - t)
	}
}

// adapt is the bias for the next integer (RFC 3492, section 6.1).
func adapt(delta, points int, first bool) int {
	if first {
		delta /= punyDamp
	} else {
		delta /= 2
	}
	delta += delta / points
	k := 0
	for ; delta > (punyBase-punyMin)*punyMax/2; k += punyBase {
		delta /= punyBase - punyMin
	}
	return k + (punyBase-punyMin+1)*delta/(delta+punySkew)
}
