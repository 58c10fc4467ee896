package label

import (
	"strings"
	"unicode"
)

// Words returns the words of an identifier: customerID2 is customer id 2.
func Words(name string) string {
	var b strings.Builder
	var prev rune
	for _, r := range name {
		boundary := unicode.IsUpper(r) && unicode.IsLower(prev) || unicode.IsDigit(r) != unicode.IsDigit(prev) && prev != 0
		if boundary || strings.ContainsRune("_-.", r) {
			b.WriteByte(' ')
		}
		if !strings.ContainsRune("_-.", r) {
			b.WriteRune(unicode.ToLower(r))
		}
		prev = r
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
