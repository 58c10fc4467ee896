package view

import (
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// rawCost returns the number of characters that JSON takes in a page. encoding/json escapes '<', '>' and '&', in six
// characters each.
func rawCost(data []byte) int {
	n := 0
	for _, c := range data {
		switch {
		case c == '<' || c == '>' || c == '&':
			n += 6
		case utf8.RuneStart(c):
			n++
		}
	}
	return n
}

// appendQuoted appends text as a JSON string. Invisible characters become escapes, so the value stays the same and
// nothing is hidden.
func appendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == ' ' || clean.Visible(r):
			dst = utf8.AppendRune(dst, r)
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		default:
			dst = strictjson.AppendEscape(dst, r)
		}
	}
	return append(dst, '"')
}

// appendClean appends the valid JSON in raw without white space. Strings are cleaned and keep their spelling. If that
// takes more than room characters of a page, it reports false and returns dst unchanged.
func appendClean(dst, raw []byte, room int) (out []byte, ok bool) {
	before := len(dst)
	counted := before
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case c == '"':
			end := strictjson.Skip(raw, i)
			if end-i > 12*room+64 { // even escapes give one character for 12 bytes
				return dst[:before], false
			}
			dst = clean.AppendJSONString(dst, raw[i:end])
			i = end
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
		default:
			dst = append(dst, c)
			i++
		}
		if len(dst)-counted > 256 || i == len(raw) {
			room -= rawCost(dst[counted:])
			counted = len(dst)
		}
		if room < 0 {
			return dst[:before], false
		}
	}
	return dst, true
}
