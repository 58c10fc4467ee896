package firewall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// rawCost returns the number of characters that JSON takes in a page.
// encoding/json spells what HTML knows as escapes of six.
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

// appendQuoted appends text as a JSON string in which what is invisible is
// spelled as an escape: it means the same, and nothing in it hides.
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
		case r > 0xffff:
			r -= 0x10000
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
	}
	return append(dst, '"')
}

// appendClean appends the valid JSON in raw: without white space, its strings
// cleaned and else as they are spelled. If that takes more than room characters
// of a page it reports false, and dst is what it was.
func appendClean(dst, raw []byte, room int) (out []byte, ok bool) {
	before := len(dst)
	counted := before
	for i := 0; i < len(raw); {
		c := raw[i]
		switch {
		case c == '"':
			end := strictjson.Skip(raw, i)
			if end-i > 12*room+64 { // even an escape is a character for each 12 bytes
				return dst[:before], false
			}
			dst = appendString(dst, raw[i:end])
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

// appendString appends a quoted string, cleaned, respelled only if cleaning
// changed it.
func appendString(dst, quoted []byte) []byte {
	if plainString(quoted) {
		return append(dst, quoted...)
	}
	text := unquote(quoted)
	cleaned := clean.Text(text)
	if cleaned == text && utf8.Valid(quoted) {
		return append(dst, quoted...)
	}
	return appendCleaned(dst, cleaned)
}

// appendCleaned appends cleaned text as a JSON string.
func appendCleaned(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := range len(text) {
		switch c := text[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// plainString reports whether a quoted string is ASCII that shows, without
// escapes.
func plainString(quoted []byte) bool {
	for _, c := range quoted {
		if c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	return true
}

// unquote returns what a string stands for. Other than strictjson.Text it takes
// what is not UTF-8, and lone surrogates, for U+FFFD.
func unquote(quoted []byte) string {
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return "" // not a string, which no caller has
	}
	return s
}
