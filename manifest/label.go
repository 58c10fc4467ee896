package manifest

import "strings"

// Label returns the namespace path for a manifest's suggestion. Suggestions may have hyphens, labels may not (RFC
// sections 5.1 and 5.5).
//   - A hyphen becomes an underscore.
//   - A dot separates the labels of a path.
//   - Other characters than ASCII letters, digits and underscores are dropped.
//   - Labels with only underscores are dropped.
//
// If nothing remains, Label returns "", and the caller chooses a label of its own.
func Label(suggested string) string {
	var labels []string
	for part := range strings.SplitSeq(suggested, ".") {
		if label := strings.Map(labelRune, part); strings.Trim(label, "_") != "" {
			labels = append(labels, label)
		}
	}
	return strings.Join(labels, ".")
}

// labelRune maps one character, before lower-casing, which would turn U+212A into a k.
func labelRune(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_':
		return r
	case r == '-':
		return '_'
	}
	return -1
}

// canonical returns the form in which labels are compared (RFC section 5.1).
func canonical(label string) string {
	return strings.ToLower(strings.ReplaceAll(label, "_", ""))
}
