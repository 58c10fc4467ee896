package clean

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// JSON returns a valid JSON document with all strings, keys and values, cleaned as by [Text]. Everything else keeps its
// spelling, and so do clean strings. It returns raw itself if there is nothing to do.
func JSON(raw []byte) []byte {
	if plainJSON(raw, false) {
		return raw
	}
	return EachString(raw, AppendJSONString)
}

// EachString returns valid JSON with each string as appendString appends it.
func EachString(raw []byte, appendString func(dst, quoted []byte) []byte) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '"' {
			out = append(out, raw[i])
			i++
			continue
		}
		end := strictjson.Skip(raw, i)
		out = appendString(out, raw[i:end])
		i = end
	}
	if bytes.Equal(out, raw) {
		return raw
	}
	return out
}

// AppendJSONString appends a quoted JSON string, cleaned.
func AppendJSONString(dst, quoted []byte) []byte {
	if plainJSON(quoted, true) {
		return append(dst, quoted...)
	}
	return appendCleaned(dst, quoted, Text)
}

// appendCleaned appends what clean makes of a string, as it is spelled if that is the
// same.
func appendCleaned(dst, quoted []byte, clean func(string) string) []byte {
	text := Unquote(quoted)
	cleaned := clean(text)
	if cleaned == text && utf8.Valid(quoted) {
		return append(dst, quoted...)
	}
	return AppendQuoted(dst, cleaned)
}

// AppendQuoted appends clean text as a JSON string.
func AppendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := range len(text) {
		switch c := text[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\t':
			dst = append(dst, `\t`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\f':
			dst = append(dst, `\f`...)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// plainJSON reports whether raw is visible ASCII without escapes, apart from white space between tokens.
func plainJSON(raw []byte, quoted bool) bool {
	for _, c := range raw {
		if c > '~' || c == '\\' || c < ' ' && (quoted || c != '\n' && c != '\t' && c != '\r') {
			return false
		}
	}
	return true
}

// Unquote returns the value of a JSON string, with U+FFFD for invalid UTF-8 and lone surrogates.
func Unquote(quoted []byte) string {
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return "" // not a string; no caller has one
	}
	return s
}
