package cashtext

import (
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// canonicalLabel returns the form in which labels are compared: lower case without underscores (RFC 5.3). It
// reports false for anything that is not a label.
func canonicalLabel(s string) (string, bool) {
	c, ok := registry.CanonicalPath(s)
	return c, ok && c != "" && !strings.Contains(s, ".")
}

// maxPath bounds the length of a path.
const maxPath = 1024

// samePath reports whether a and b are the same path.
func samePath(a, b string) bool {
	ca, okA := registry.CanonicalPath(a)
	cb, okB := registry.CanonicalPath(b)
	return okA && okB && ca == cb
}

// cutPath returns the rest of path after prefix, in its own spelling, and whether path is at or below prefix.
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
