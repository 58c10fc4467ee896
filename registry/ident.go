package registry

import (
	"fmt"
	"strings"
)

// Canonical returns the form in which identifiers are compared: lower case
// with underscores stripped (RFC 5.1, 5.3). It reports false for text that is
// not a label: labels are one or more ASCII letters, digits and underscores,
// of which at least one is not an underscore. A label that is canonical already
// is returned as it is, without allocating.
func Canonical(label string) (string, bool) {
	ok, canonical := check(label)
	switch {
	case !ok:
		return "", false
	case canonical:
		return label, true
	}
	return fold(label), true
}

// fold lower-cases a label or path and strips its underscores.
func fold(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		c := s[i]
		if c == '_' {
			continue
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return string(b)
}

// check reports whether s is a label, and whether it is canonical already.
func check(s string) (label, canonical bool) {
	canonical = true
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			label = true
		case 'A' <= c && c <= 'Z':
			label, canonical = true, false
		case c == '_':
			canonical = false
		default:
			// Bytes are judged before any lower-casing: U+212A would become a k.
			return false, false
		}
	}
	return label, canonical
}

// maxPath bounds the paths that callers may ask for.
const maxPath = 1024

// CanonicalPath is [Canonical] for a dotted path (RFC 5.2), segment by
// segment; the empty path is the root. Nothing is trimmed or guessed: an empty
// segment or a blank makes the path illegal.
func CanonicalPath(path string) (string, bool) {
	if path == "" {
		return "", true
	}
	if len(path) > maxPath {
		return "", false
	}
	canonical := true
	for rest := path; ; {
		seg, after, more := strings.Cut(rest, ".")
		ok, c := check(seg)
		if !ok {
			return "", false
		}
		canonical = canonical && c
		if !more {
			break
		}
		rest = after
	}
	if canonical {
		return path, true
	}
	return fold(path), true
}

// join appends a label to a dotted path.
func join(path, label string) string {
	if path == "" {
		return label
	}
	return path + "." + label
}

// labelRule is the sentence that explains an illegal label.
const labelRule = "labels consist of ASCII letters, digits and underscores"

func checkLabel(what, label string) (string, error) {
	c, ok := Canonical(label)
	if !ok {
		return "", fmt.Errorf("invalid %s %q: %s", what, label, labelRule)
	}
	return c, nil
}

// quoteName shows a name that a caller sent: printable, and bounded.
func quoteName(name string) string {
	return "`" + cleanName(name) + "`"
}

func cleanName(name string) string {
	const most = 64
	n := 0
	clean := strings.Map(func(r rune) rune {
		n++
		switch {
		case n > most:
			return -1
		case r == '`' || r == '"' || r < ' ' || r > '~':
			return '?'
		}
		return r
	}, name)
	if n > most {
		clean += "..."
	}
	return clean
}
