package registry

import (
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
)

// Canonical returns the form in which identifiers are compared: lower case without underscores (RFC
// 5.1, 5.3). It reports false for text that is not a label. A label is one or more ASCII letters,
// digits and underscores, not only underscores. A canonical label is returned without an
// allocation.
func Canonical(name string) (string, bool) { return label.Canonical(name) }

// maxPath bounds the paths that callers may ask for.
const maxPath = 1024

// CanonicalPath is [Canonical] for each label of a dotted path (RFC 5.2). The empty path is the
// root. Nothing is trimmed or guessed: an empty label or a blank makes the path illegal.
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
		ok, c := label.Check(seg)
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
	return label.Fold(path), true
}

// join appends a label to a dotted path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// labelRule is the sentence that explains an illegal label.
const labelRule = "labels consist of ASCII letters, digits and underscores"

func checkLabel(what, name string) (string, error) {
	c, ok := Canonical(name)
	if !ok {
		better := strings.Trim(strings.NewReplacer("-", "_", ".", "_", "/", "_", " ", "_").Replace(name), "_")
		if _, ok := Canonical(better); !ok {
			return "", fmt.Errorf("invalid %s %q: %s", what, name, labelRule)
		}
		other := ""
		if i := strings.LastIndexByte(name, '.'); i > 0 {
			other = fmt.Sprintf(", or add %q to the namespace %q", name[i+1:], name[:i])
		}
		return "", fmt.Errorf("invalid %s %q: %s; write %q%s", what, name, labelRule, better, other)
	}
	return c, nil
}

// quoteName quotes a name from a caller for a message: printable and bounded.
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
