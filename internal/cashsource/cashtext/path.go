package cashtext

import "strings"

// canonicalLabel returns the form in which labels are compared: lower case,
// without underscores (RFC 5.3). It reports false for what is no label.
func canonicalLabel(s string) (string, bool) {
	c, ok := canonicalPath(s)
	return c, ok && c != "" && !strings.Contains(s, ".")
}

// maxPath bounds the paths that are taken for some.
const maxPath = 1024

// canonicalPath is the same for a dotted path; the empty path is the root.
func canonicalPath(s string) (string, bool) {
	if len(s) > maxPath {
		return "", false
	}
	b := make([]byte, 0, len(s))
	empty := true // the label so far
	for i := range len(s) {
		c := s[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		case c == '_':
			continue
		case c == '.' && !empty:
		default:
			return "", false
		}
		empty = c == '.'
		b = append(b, c)
	}
	return string(b), !empty || s == ""
}

// samePath reports whether a and b are one path.
func samePath(a, b string) bool {
	ca, okA := canonicalPath(a)
	cb, okB := canonicalPath(b)
	return okA && okB && ca == cb
}

// cutPath returns what follows prefix in path, as it is spelt there, and whether
// path is at or below prefix.
func cutPath(path, prefix string) (string, bool) {
	c, okPath := canonicalPath(path)
	p, okPrefix := canonicalPath(prefix)
	switch {
	case !okPath || !okPrefix:
		return "", false
	case p == "":
		return path, true
	case c == p:
		return "", true
	case !strings.HasPrefix(c, p+"."):
		return "", false
	}
	for range strings.Count(p, ".") + 1 {
		_, path, _ = strings.Cut(path, ".")
	}
	return path, true
}

func joinPath(path, rest string) string {
	if path == "" || rest == "" {
		return path + rest
	}
	return path + "." + rest
}
