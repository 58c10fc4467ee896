package registry

import (
	"errors"
	"slices"
)

// Kind classifies an [Error]. The set is closed, and every face renders each kind in its own form.
// A Kind is an error itself, for errors.Is(err, registry.UnknownFunction).
type Kind string

// The kinds. Their texts are the machine codes that faces may attach.
const (
	UnknownNamespace Kind = "UNKNOWN_NAMESPACE" // no such namespace, or none that the caller may see
	UnknownFunction  Kind = "UNKNOWN_FUNCTION"  // the same for a function
	UnknownSkill     Kind = "UNKNOWN_SKILL"     // the same for a skill, or more than one of the name
	UnknownPath      Kind = "PATH_NOT_FOUND"    // nothing to browse there, or nothing that the caller may see
	InvalidName      Kind = "INVALID_NAME"      // a label or path outside the grammar
	InvalidPath      Kind = "PATH_INVALID"      // a malformed path to browse
	InvalidArguments Kind = "INVALID_ARGUMENTS" // the function does not accept the arguments; it did not run
	Failed           Kind = "FAILED"            // the function, or the server that it is on, reported an error
	Internal         Kind = "INTERNAL"          // the function panicked, or its result has no JSON form
	TimedOut         Kind = "TIMEOUT"           // the deadline has passed; the outcome is unknown
	Canceled         Kind = "CANCELED"          // the caller gave up; the outcome is unknown
	Unavailable      Kind = "UNAVAILABLE"       // for now: shutting down, or no answer from the function's server
	Denied           Kind = "DENIED"            // the caller may see the function but may not run it
	RateLimited      Kind = "RATE_LIMITED"      // too many calls
	Unauthorized     Kind = "AUTH_FAILED"       // the function's server refuses the credentials, or the caller has none
	InvalidSchema    Kind = "SCHEMA_INVALID"    // invalid schema of the function: arguments cannot be checked
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

// MetaCode is the metadata key for the machine code of an error result (R82): a [Kind], or a code
// of the face. Models do not see metadata, so the code costs no context.
const MetaCode = "cash/error"

// Error is the one error type of the pipeline. A language model reads it: Message says what
// happened, Hint says what to do next. Neither holds a secret or an argument's value.
//
// A handler or a middleware returns an *Error to choose the kind. Any other error becomes [Failed]
// with its text as the message.
type Error struct {
	Kind      Kind
	Namespace string // the namespace of the error, as the caller may see it; empty is the root or none
	Name      string // the function or skill of the error, if any
	Message   string // what happened: sentences with their full stop
	Hint      string // the next step, a sentence; empty lets the face or the kind word it
	// Next, unless zero, says that Hint names the tools call, help and skill. Faces without these tools
	// word the step themselves ([Error.For]).
	Next   Step
	Err    error // the cause, for logs and errors.Is; never shown
	NotRun bool  // the function has surely not run: a repeated call repeats no effect
	// Details are facts for programs, such as when to try again. They have a JSON form. Faces may
	// attach them. Nil is none.
	Details map[string]any
	// Pending, unless nil, is closed when the cause may have passed. It is for a server that is being
	// connected for the first time, and is closed a few seconds later at the latest.
	Pending <-chan struct{}
}

// DetailReason is the key in [Error.Details] that tells apart errors of one kind.
const DetailReason = "reason"

// The values of [DetailReason] for refused calls. Other reasons may follow.
const (
	ReasonPolicy    = "policy"     // a rule of this server denies the call
	ReasonApproval  = "approval"   // a person has not approved the call: approval says why
	ReasonPlanToken = "plan_token" // the token of a dry run is missing or not valid: plan_token says why
	ReasonUpstream  = "upstream"   // the function's own server refuses the call
	ReasonConnect   = "connect"    // the caller has no account at the function's server: url, if any, says where to connect one
)

// Error returns the message followed by the hint. All methods accept a nil *Error, because handlers
// return one by mistake.
func (e *Error) Error() string {
	if e == nil {
		return ""
	}
	switch {
	case e.Hint == "":
		return e.Message
	case e.Message == "":
		return e.Hint
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

// AsError returns err as an *Error. An error of another type becomes [Failed] with its text as the
// message.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) && e != nil {
		return e
	}
	return &Error{Kind: Failed, Message: safeText(err), Err: err}
}
