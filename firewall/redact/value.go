package redact

import (
	"slices"
	"strings"
)

// code reports whether text[i:end] is an expression of a program: a call, an index, a short hexadecimal number, or
// members after a blank.
func (a *assignment) code(i, end int) bool {
	v := a.text[i:end]
	n := run(v, 0, keyCharacter)
	switch {
	case n == 0:
		return false
	case n == len(v):
		return len(v) <= len("0x00000000") && hasPrefixFold(v, "0x") || i > 0 && a.text[i-1] == ' ' && members(v)
	case v[n] == '[':
		return end < len(a.text) && strings.IndexByte("\"'\\]", a.text[end]) >= 0
	}
	return v[n] == '('
}

// members reports whether v is a dotted name, such as config.auth.token.
func members(v string) bool {
	for name := range strings.SplitSeq(v, ".") {
		if name == "" || run(name, 0, func(c byte) bool { return letter(c) || c == '_' }) < len(name) {
			return false
		}
	}
	return strings.Contains(v, ".")
}

// placeholders are words that stand for a secret or its type.
var placeholders = []string{
	"", "null", "nil", "none", "true", "false", "undefined", "string", "str", "integer", "int", "number", "boolean", "bool",
	"object", "bytes", "any", "secretstr", "same-origin", "required", "optional", "hidden", "masked", "redacted", "empty", "missing", "unset", "yes", "no", "n/a", "text",
}

// placeholder reports whether a value is no real secret: empty, a mark, a variable, stars.
func placeholder(v string) bool {
	switch {
	case len(v) <= len("same-origin") && slices.Contains(placeholders, strings.ToLower(v)):
		return true
	case strings.Trim(v, "*") == "", strings.Trim(v, "xX") == "", strings.Trim(v, ".") == "":
		return true
	case strings.HasPrefix(v, markStart), hasPrefixFold(strings.TrimLeft(v, "[<("), "redacted"):
		return true
	case yours(v), v[0] == '%' && len(v) <= len("%10s"):
		return true
	}
	for _, pair := range [][2]string{{"<", ">"}, {"${", "}"}, {"{{", "}}"}, {"%(", ")s"}} {
		if len(v) < 100 && strings.HasPrefix(v, pair[0]) && strings.HasSuffix(v, pair[1]) {
			return true
		}
	}
	return strings.HasPrefix(v, "${") || strings.HasPrefix(v, "{{") || variable(v)
}

// yours reports whether v looks like YOUR_TOKEN or your-api-key.
func yours(v string) bool {
	return len(v) > 5 && len(v) < 40 && hasPrefixFold(v, "your") && strings.IndexByte("_- ", v[4]) >= 0 && !random(v)
}

// variable reports whether v is $NAME.
func variable(v string) bool {
	return len(v) > 1 && v[0] == '$' && run(v, 1, func(c byte) bool { return 'A' <= c && c <= 'Z' || c == '_' }) == len(v)
}
