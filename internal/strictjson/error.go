package strictjson

import "fmt"

// maxName bounds the part of a key in an error, in characters.
const maxName = 64

// An Error says why a document was rejected. Its text may name keys, never values. Check and Scan make Errors; the zero
// value has no meaning.
type Error struct {
	Offset int    // of the first illegal byte, from 0
	Reason string // such as: duplicate key "a"
	Bound  bool   // a bound is exceeded; the document may be valid JSON
}

// Error returns the reason and the offset, as in: duplicate key "a" at byte 12.
func (e *Error) Error() string {
	return fmt.Sprintf("%s at byte %d", e.Reason, e.Offset)
}

// fail returns the error reason at offset.
func fail(offset int, reason string) *Error {
	return &Error{Offset: offset, Reason: reason}
}

// over returns the error of an exceeded bound at offset.
func over(offset int, reason string) *Error {
	return &Error{Offset: offset, Reason: reason, Bound: true}
}

// quote returns a key for a message, cut to maxName characters.
func quote(key string) string {
	n := 0
	for i := range key {
		if n == maxName {
			return fmt.Sprintf("%q...", key[:i])
		}
		n++
	}
	return fmt.Sprintf("%q", key)
}
