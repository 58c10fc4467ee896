package manifest

import "strings"

// Label returns the namespace path that a suggestion of a manifest stands for.
// Suggestions may have hyphens, which labels must not (RFC sections 5.1 and
// 5.5): a hyphen becomes an underscore, a dot separates the labels of a path,
// and whatever else is no ASCII letter, digit or underscore is dropped. So are
// labels in which only underscores are left. Where nothing remains Label
// returns "", and the caller takes a label of its own.
func Label(suggested string) string {
	var labels []string
	for part := range strings.SplitSeq(suggested, ".") {
		if label := strings.Map(labelRune, part); strings.Trim(label, "_") != "" {
			labels = append(labels, label)
		}
	}
	return strings.Join(labels, ".")
}

// labelRune judges a character before any lower-casing: U+212A would become a k.
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
