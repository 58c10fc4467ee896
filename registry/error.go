package registry

import (
	"errors"
	"slices"
)

// Kind classifies an [Error]. The set is closed: every face renders each kind
// in its own form. A Kind is itself an error, so that callers can write
// errors.Is(err, registry.UnknownFunction).
type Kind string

// The kinds. Their texts are the machine codes that faces may attach.
const (
	UnknownNamespace Kind = "UNKNOWN_NAMESPACE" // no such namespace, or none that the caller may see
	UnknownFunction  Kind = "UNKNOWN_FUNCTION"  // the same for a function
	UnknownSkill     Kind = "UNKNOWN_SKILL"     // the same for a skill, or more than one has the name
	UnknownPath      Kind = "PATH_NOT_FOUND"    // nothing to browse there, or nothing that the caller may see
	InvalidName      Kind = "INVALID_NAME"      // a label or path outside the grammar
	InvalidPath      Kind = "PATH_INVALID"      // the same for a path to browse
	InvalidArguments Kind = "INVALID_ARGUMENTS" // arguments that the function does not take; it did not run
	Failed           Kind = "FAILED"            // the function ran and said no
	Internal         Kind = "INTERNAL"          // the function panicked, returned nothing, or something that has no JSON form
	TimedOut         Kind = "TIMEOUT"           // no answer within the deadline; the outcome is unknown
	Canceled         Kind = "CANCELED"          // the caller gave up; the outcome is unknown
	Unavailable      Kind = "UNAVAILABLE"       // not now: shutting down, or what is behind the function does not answer
	Denied           Kind = "DENIED"            // this caller may see the function and may not run it
	RateLimited      Kind = "RATE_LIMITED"      // too many calls
	Unauthorized     Kind = "AUTH_FAILED"       // what is behind the function does not take the server's credentials
	InvalidSchema    Kind = "SCHEMA_INVALID"    // the function's own schema is in error, so that no arguments can be held to it
)

// Kinds returns all kinds, in the order in which they are declared.
func Kinds() []Kind { return slices.Clone(kinds) }

var kinds = []Kind{
	UnknownNamespace, UnknownFunction, UnknownSkill, UnknownPath, InvalidName, InvalidPath, InvalidArguments, Failed,
	Internal, TimedOut, Canceled, Unavailable, Denied, RateLimited, Unauthorized, InvalidSchema,
}

// Known reports whether k is one of the set.
func (k Kind) Known() bool { return slices.Contains(kinds, k) }

// Error returns the kind's text.
func (k Kind) Error() string { return string(k) }

// MetaCode is the key under which the metadata of an error result has its machine
// code (R82): a [Kind], or a code of the face's own. Models do not see metadata, so
// it costs them nothing.
const MetaCode = "cash/error"

// Error is the one error of the pipeline. Its reader is a language model:
// Message says what happened, Hint what to do next; neither holds a secret or
// an argument's value.
//
// A handler or a middleware may return an *Error to choose the kind; any other
// error of theirs becomes [Failed] with that error's text as its message.
type Error struct {
	Kind      Kind
	Namespace string // the namespace concerned, as the caller may see it; empty is the root or none
	Name      string // the function or skill concerned, if any
	Message   string // what happened: sentences with their full stop
	Hint      string // the next step, a sentence; empty lets the face word it
	Err       error  // the cause, for logs and errors.Is; never rendered
	NotRun    bool   // the function has surely not run: repeating the call repeats no effect
	// Details are for programs: facts that have a JSON form, such as when to try
	// again. Faces may attach them. Nil is none.
	Details map[string]any
}

// Error returns the message followed by the hint. Like the other methods it may
// be called on a nil *Error, which handlers return by mistake.
func (e *Error) Error() string {
	if e == nil {
		return ""
	}
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + " " + e.Hint
}

// Unwrap returns the cause, which may be nil.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// Is reports whether target is the error's [Kind].
func (e *Error) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && e != nil && k == e.Kind
}

// AsError returns err as an *Error. An error of another type becomes
// [Failed], its text the message.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) && e != nil {
		return e
	}
	return &Error{Kind: Failed, Message: safeText(err), Err: err}
}
