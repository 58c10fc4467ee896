package strictjson

import "fmt"

// maxName bounds the part of a key that an error shows, in characters.
const maxName = 64

// An Error says why a document was refused. Its text names keys, which are
// names, and never values. Zero values mean nothing; Check makes them.
type Error struct {
	Offset int    // of the first byte that cannot stand, counted from 0
	Reason string // such as: duplicate key "a"
	Bound  bool   // it may be JSON, but it is over a bound
}

// Error returns the reason and its place, as in: duplicate key "a" at byte 12.
func (e *Error) Error() string {
	return fmt.Sprintf("%s at byte %d", e.Reason, e.Offset)
}

// fail reports reason at offset.
func fail(offset int, reason string) *Error {
	return &Error{Offset: offset, Reason: reason}
}

// over reports that a bound is passed at offset.
func over(offset int, reason string) *Error {
	return &Error{Offset: offset, Reason: reason, Bound: true}
}

// quote shows a key, cut to maxName characters.
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
