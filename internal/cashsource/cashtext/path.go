package cashtext

import (
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// canonicalLabel returns the form in which labels are compared: lower case,
// without underscores (RFC 5.3). It reports false for what is no label.
func canonicalLabel(s string) (string, bool) {
	c, ok := registry.CanonicalPath(s)
	return c, ok && c != "" && !strings.Contains(s, ".")
}

// maxPath bounds the paths that are taken for some.
const maxPath = 1024

// samePath reports whether a and b are one path.
func samePath(a, b string) bool {
	ca, okA := registry.CanonicalPath(a)
	cb, okB := registry.CanonicalPath(b)
	return okA && okB && ca == cb
}

// cutPath returns what follows prefix in path, as it is spelt there, and whether
// path is at or below prefix.
func cutPath(path, prefix string) (string, bool) {
	c, okPath := registry.CanonicalPath(path)
	p, okPrefix := registry.CanonicalPath(prefix)
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
