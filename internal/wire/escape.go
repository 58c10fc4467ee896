package wire

import (
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf16"
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

// CleanJSON returns strict JSON with its texts cleaned, and everything else unchanged.
func CleanJSON(data []byte) []byte {
	var out []byte
	for i := 0; i < len(data); {
		if data[i] != '"' {
			out = append(out, data[i])
			i++
			continue
		}
		end := strictjson.Skip(data, i)
		text := strictjson.Text(data[i:end])
		if cleaned := clean.Text(text); cleaned != text {
			out = append(out, Quote(cleaned)...)
		} else {
			out = append(out, data[i:end]...)
		}
		i = end
	}
	return out
}

// Quote returns a text as JSON.
func Quote(text string) []byte {
	data, err := json.Marshal(text)
	if err != nil { // strings always encode
		return []byte(`""`)
	}
	return data
}
