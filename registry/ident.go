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
	canonical := true
	solid := false
	for i := range len(label) {
		switch c := label[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			solid = true
		case 'A' <= c && c <= 'Z':
			solid, canonical = true, false
		case c == '_':
			canonical = false
		default:
			// Bytes are judged before any lower-casing: U+212A would become a k.
			return "", false
		}
	}
	if !solid {
		return "", false
	}
	if canonical {
		return label, true
	}
	b := make([]byte, 0, len(label))
	for i := range len(label) {
		c := label[i]
		if c == '_' {
			continue
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return string(b), true
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
	start := 0
	for i := range len(path) + 1 {
		if i < len(path) && path[i] != '.' {
			continue
		}
		seg := path[start:i]
		c, ok := Canonical(seg)
		if !ok {
			return "", false
		}
		canonical = canonical && c == seg
		start = i + 1
	}
	if canonical {
		return path, true
	}
	segs := strings.Split(path, ".")
	for i, s := range segs {
		segs[i], _ = Canonical(s)
	}
	return strings.Join(segs, "."), true
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
