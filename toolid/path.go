package toolid

import (
	"errors"
	"fmt"
	"strings"
)

// maxPath is the maximum number of bytes of a path.
const maxPath = 4096

// Wildcard is the last segment of a path that matches all children of a node.
const Wildcard = "*"

// ParsePath returns the segments of a catalog path, such as /github/issues/create_issue (gateway surface, section 3.2);
// tool_browse takes such paths. The root "/" has none. The first segment is a namespace and begins with a letter; the
// last may be [Wildcard]. Segments have 1 to 64 lower-case letters, digits and the few signs of grammar.go. White space
// and capital letters are errors, not trimmed or changed. A path has at most 4,096 bytes.
func ParsePath(path string) ([]string, error) {
	segments, err := parsePath(path)
	if err != nil {
		meant := "/" + strings.ToLower(strings.Trim(path, "/ "))
		if _, wrong := parsePath(meant); wrong == nil && len(meant) <= 80 {
			return nil, fmt.Errorf("parsing path %s: %w; write %q", quote(path), err, meant)
		}
		return nil, fmt.Errorf("parsing path %s: %w", quote(path), err)
	}
	return segments, nil
}

func parsePath(path string) ([]string, error) {
	switch {
	case len(path) > maxPath:
		return nil, fmt.Errorf("%d bytes; at most %d are allowed", len(path), maxPath)
	case path == "" || path[0] != '/':
		return nil, errors.New("no '/' at the beginning")
	case path == "/":
		return []string{}, nil
	}
	segments := strings.Split(path[1:], "/")
	for i, s := range segments {
		if err := checkSegment(s, i == 0, i == len(segments)-1); err != nil {
			return nil, fmt.Errorf("at level %d: %w", i+1, err)
		}
	}
	return segments, nil
}

func checkSegment(s string, first, last bool) error {
	switch {
	case s == "":
		return errors.New("empty segment")
	case s == Wildcard && last:
		return nil
	case s == Wildcard:
		return errors.New("'*' is allowed as the last segment only")
	case first:
		return rootPart.check(s)
	}
	return segmentPart.check(s)
}
