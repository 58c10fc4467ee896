// Package label turns foreign names into labels. Tools, resources and prompts of upstream servers, catalogs and command
// endpoints become functions, and a registry only accepts labels.
//
//	label.From("get-user", "tool") // get_user
//	label.From("créer", "tool")    // creer
//	label.From("日本", "tool")       // tool
//
// # The rule
//
// A label is one or more ASCII letters, digits and underscores, not only underscores. Case and underscores do not
// distinguish labels (RFC 5.1).
//
//   - A name that is a label of at most 64 bytes stays as it is: getUser, _x__y, 9.
//   - Any other name is decomposed (Unicode NFKD) and loses its accents: créer becomes creer, Ｇｅｔ becomes Get. A digit
//     may come first: 9-lives becomes 9_lives.
//   - Each run of other characters becomes one underscore: a--b becomes a_b, files/read becomes files_read. At the ends
//     it is dropped. A label is cut to 64 bytes.
//   - A name without any ASCII letter or digit after that gets the name of its kind: 日本 becomes tool, resource or
//     prompt.
//
// Names in one list that have the same label get a hash; see [Set.TakeAll].
//
// # Limits
//
// Letters without a decomposition (ø, ß, Cyrillic) are dropped, not transliterated. Namespaces that a manifest suggests
// follow the rule of the RFC instead: see package manifest.
package label

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// maxBytes bounds a label made from a name. A number is added to that.
const maxBytes = 64

// From returns the label of a name, or otherwise if the name gives none. The package comment has the rule.
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
