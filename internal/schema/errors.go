package schema

import (
	"strconv"
	"strings"
)

// A Violation is one rule that a value breaks. It never shows the value.
type Violation struct {
	Path    string // like items[0].quantity; "" for the document itself
	Rule    string // the keyword, such as required, type or additionalProperties; "budget" and "canceled" are ours
	Message string // one line for a language model, such as: must be at least 1
}

// An Error has one to five violations, roughly in document order. If its only violation has the Rule "budget", the
// check was too costly; with "canceled", the context ended and errors.Is finds its error.
type Error struct {
	Violations []Violation
	cause      error
}

// Error returns all violations on one line.
func (e *Error) Error() string {
	var b strings.Builder
	for i, v := range e.Violations {
		if i > 0 {
			b.WriteString("; ")
		}
		if v.Path != "" {
			b.WriteString(v.Path)
			b.WriteString(": ")
		}
		b.WriteString(v.Message)
	}
	return b.String()
}

// Unwrap returns the context's error if it ended the check.
func (e *Error) Unwrap() error {
	return e.cause
}

// A step is one level of a path: a member with the quoted key data[from:to], or the element with index from if to is 0.
type step struct{ from, to int }

// plural formats a count with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// appendKey adds a member's name to a path.
func appendKey(path, key string) string {
	switch {
	case !isIdentifier(key):
		return path + `["` + strings.NewReplacer(`"`, "'", `\`, "/").Replace(clean(key, maxKey)) + `"]`
	case path == "":
		return key
	}
	return path + "." + key
}

// isIdentifier reports whether a key needs no quotes in a path.
func isIdentifier(key string) bool {
	if key == "" || len(key) > maxKey {
		return false
	}
	for i := range len(key) {
		c := key[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}
