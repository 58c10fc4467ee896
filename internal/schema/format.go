package schema

import (
	"encoding/base64"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// A textCheck is a check of strings for Go types. In foreign schemas format is an annotation, as in the specification.
type textCheck struct {
	rule    string
	message string
	valid   func(text string) bool
}

// formats are the values of the tag word format=.
var formats = map[string]*textCheck{
	"date":      format("a date such as 2026-01-31", isDate),
	"date-time": format("a date and time with an offset such as 2026-01-31T09:30:00Z", isDateTime),
	"time":      format("a time with an offset such as 09:30:00Z", func(s string) bool { return isDateTime("2000-01-01T" + s) }),
	"email":     format("an e-mail address such as ana@example.com", isEmail),
	"uri":       format("an absolute URI such as https://example.com/a", isURI),
	"uuid":      format("a UUID such as 123e4567-e89b-12d3-a456-426614174000", isUUID),
	"ipv4":      format("an IPv4 address such as 192.0.2.1", func(s string) bool { return isAddress(s, netip.Addr.Is4) }),
	"ipv6":      format("an IPv6 address such as 2001:db8::1", func(s string) bool { return isAddress(s, netip.Addr.Is6) }),
	"hostname":  format("a host name such as example.com", isHostname),
}

// base64Text checks the input of []byte.
var base64Text = &textCheck{"contentEncoding", "must be base64 with padding", func(text string) bool {
	_, err := base64.StdEncoding.DecodeString(text)
	return err == nil
}}

func format(what string, valid func(string) bool) *textCheck {
	return &textCheck{"format", "must be " + what, valid}
}

// maxFormatted is longer than any value of a format except a URI.
const maxFormatted = 320

func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// dateTime is the form of RFC 3339. time.Time is less strict: it accepts one-digit hours, commas and offsets of 99
// hours.
var dateTime = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// isDateTime accepts a subset of what time.Time decodes.
func isDateTime(text string) bool {
	if len(text) > maxFormatted || !dateTime.MatchString(text) {
		return false
	}
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}

func isEmail(text string) bool {
	if len(text) > maxFormatted {
		return false
	}
	a, err := mail.ParseAddress(text)
	return err == nil && a.Address == text
}

func isURI(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] >= 0x7f || strings.IndexByte("<>\"{}|\\^`", text[i]) >= 0 {
			return false
		}
	}
	u, err := url.Parse(text)
	return err == nil && u.IsAbs()
}

func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := range len(text) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if text[i] != '-' {
				return false
			}
		} else if !isHex(text, i, 1) {
			return false
		}
	}
	return true
}

func isHex(text string, from, n int) bool {
	if len(text) < from+n {
		return false
	}
	return strings.Trim(text[from:from+n], "0123456789abcdefABCDEF") == ""
}

func isAddress(text string, family func(netip.Addr) bool) bool {
	a, err := netip.ParseAddr(text)
	return err == nil && family(a) && a.Zone() == ""
}

func isHostname(text string) bool {
	if text == "" || len(text) > 253 {
		return false
	}
	for label := range strings.SplitSeq(text, ".") {
		if !isLabel(label) {
			return false
		}
	}
	return true
}

func isLabel(label string) bool {
	if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	return strings.Trim(strings.ToLower(label), "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
