package wire

import (
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// EscapeHidden spells the characters of JSON that do not show as escapes, so that a
// reader sees them. They stand in strings only.
func EscapeHidden(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case r < 0x7f || clean.Visible(r) && !unicode.IsSpace(r):
			out = append(out, data[:n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		data = data[n:]
	}
	return out
}
