// Package label makes labels of foreign names: tools, resources and prompts of
// upstream servers, of catalogs and of command endpoints become functions, and a
// registry takes labels only.
//
//	label.From("get-user", "tool") // get_user
//	label.From("créer", "tool")    // creer
//	label.From("日本", "tool")       // tool
//
// # The rule
//
// A label is one or more ASCII letters, digits and underscores, not only
// underscores; case and underscores do not tell two labels apart (RFC 5.1).
//
//   - A name that is a label of at most 64 bytes stays as it is: getUser, _x__y, 9.
//   - Any other name is decomposed (Unicode NFKD) and loses its accents: créer is
//     creer, Ｇｅｔ is Get. A digit may come first: 9-lives is 9_lives.
//   - Each run of other characters is one underscore: a--b is a_b, files/read is
//     files_read. Those at an end are dropped. What is longer than 64 bytes is cut.
//   - A name without an ASCII letter or digit after that is called by what it is:
//     日本 is tool, resource or prompt.
//
// Names of one list that would have the same label are numbered; see [Set.TakeAll].
//
// # Limits
//
// Letters that have no decomposition (ø, ß, Cyrillic) are dropped, not transcribed.
// Namespaces that a manifest suggests have a rule of their own, which is that of the
// RFC: see package manifest.
package label

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// maxBytes bounds a label that is made of a name. Numbers come on top.
const maxBytes = 64

// From returns the label of a name; otherwise if the name makes none. The comment of
// the package has the rule.
func From(name, otherwise string) string {
	if ok, _ := Check(name); ok && len(name) <= maxBytes {
		return name
	}
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(name[:min(len(name), 4*maxBytes)]) {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(r)
		case isAccent(r):
		default:
			gap = true
		}
		if b.Len() >= maxBytes {
			break
		}
	}
	if b.Len() == 0 {
		return otherwise
	}
	return b.String()[:min(b.Len(), maxBytes)]
}

// isAccent reports whether r is a combining mark of Latin letters.
func isAccent(r rune) bool { return 0x300 <= r && r <= 0x36f }
