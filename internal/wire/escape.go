package wire

import (
	"unicode"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// EscapeHidden writes invisible characters in JSON strings as escapes, so that a reader sees them.
func EscapeHidden(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case r < 0x7f || clean.Visible(r) && !unicode.IsSpace(r):
			out = append(out, data[:n]...)
		default:
			out = strictjson.AppendEscape(out, r)
		}
		data = data[n:]
	}
	return out
}

// CleanJSON returns strict JSON with its texts cleaned, and everything else unchanged.
func CleanJSON(data []byte) []byte {
	return clean.EachString(data, func(dst, quoted []byte) []byte {
		text := strictjson.Text(quoted)
		if cleaned := clean.Text(text); cleaned != text {
			return strictjson.AppendText(dst, cleaned)
		}
		return append(dst, quoted...)
	})
}
