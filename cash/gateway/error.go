package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/view"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A Code is the kind of an error (section 3.4). The set is closed.
type Code string

// The codes of section 3.4, and those of section 9.4.
const (
	PathInvalid         Code = "PATH_INVALID"
	PathNotFound        Code = "PATH_NOT_FOUND"
	ArgsInvalid         Code = "ARGS_INVALID"
	SchemaInvalid       Code = "SCHEMA_INVALID"
	UpstreamError       Code = "UPSTREAM_ERROR"
	UpstreamTimeout     Code = "UPSTREAM_TIMEOUT"
	UpstreamUnavailable Code = "UPSTREAM_UNAVAILABLE"
	AuthFailed          Code = "AUTH_FAILED"
	PermissionDenied    Code = "PERMISSION_DENIED"
	RateLimited         Code = "RATE_LIMITED"
	HydrateFailed       Code = "HYDRATE_FAILED"
	ViewFailed          Code = "VIEW_FAILED"
	ResourceNotFound    Code = "RESOURCE_NOT_FOUND"
	PromptNotFound      Code = "PROMPT_NOT_FOUND"
)

// codes maps kinds of errors to codes. All other kinds are UpstreamError.
var codes = map[registry.Kind]Code{
	registry.UnknownNamespace: PathNotFound,
	registry.UnknownPath:      PathNotFound,
	registry.InvalidPath:      PathInvalid,
	registry.UnknownFunction:  HydrateFailed,
	registry.UnknownSkill:     HydrateFailed,
	registry.InvalidName:      HydrateFailed,
	registry.InvalidArguments: ArgsInvalid,
	registry.InvalidSchema:    SchemaInvalid,
	registry.TimedOut:         UpstreamTimeout,
	registry.Canceled:         UpstreamUnavailable,
	registry.Unavailable:      UpstreamUnavailable,
	registry.Unauthorized:     AuthFailed,
	registry.Denied:           PermissionDenied,
	registry.RateLimited:      RateLimited,
	registry.Internal:         UpstreamError,
	registry.Failed:           UpstreamError,
}

// An Error is an error in the form for callers of the gateway (section 3.4).
type Error struct {
	Code    Code   `json:"error"`
	Message string `json:"message"` // one clean line: what happened, and the next step
	Path    string `json:"path"`    // the requested path; empty for all other errors
	// Retryable hints that the same call may succeed later. It does not tell whether the earlier
	// call had an effect: the message does.
	Retryable bool `json:"retryable"`
	// Details are facts for programs. Of a refused call, reason is policy, approval, plan_token or
	// upstream ([registry.DetailReason]).
	Details map[string]any `json:"details,omitempty"`
	Err     error          `json:"-"` // the cause; never shown
}

// Error returns the code and the message.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap returns the cause, which may be nil.
func (e *Error) Unwrap() error { return e.Err }

// As gives [errors.As] the [registry.Kind] of an error of the gateway's own.
func (e *Error) As(target any) bool {
	kind, ok := target.(*registry.Kind)
	if ok {
		*kind = kinds[e.Code]
	}
	return ok
}

// kinds are the kinds of errors of the gateway's own. All others have one in their chain.
var kinds = map[Code]registry.Kind{
	PathInvalid:      registry.InvalidPath,
	PathNotFound:     registry.UnknownPath,
	ArgsInvalid:      registry.InvalidArguments,
	SchemaInvalid:    registry.InvalidSchema,
	RateLimited:      registry.RateLimited,
	HydrateFailed:    registry.UnknownFunction,
	ResourceNotFound: registry.UnknownFunction,
	PromptNotFound:   registry.UnknownFunction,
	ViewFailed:       registry.InvalidArguments,
	UpstreamError:    registry.Failed,
}

// maxMessage is the most characters of a message (section 3.4).
const maxMessage = 600

// asError returns err in the form of section 3.4.
func (s *Server) asError(err error) *Error { return s.worded(err, s.tools.word) }

// worded is asError with the words for the next step ([registry.Error.For]).
func (s *Server) worded(err error, word func(*registry.Error, registry.Step) string) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	e := registry.AsError(err).For(word)
	code, ok := codes[e.Kind]
	if !ok {
		code = UpstreamError
	}
	return &Error{
		Code:      code,
		Message:   clean.Line(s.opts.Firewall.Redact(e.Error()), maxMessage),
		Retryable: code == UpstreamTimeout || code == UpstreamUnavailable || code == RateLimited,
		Details:   e.Details,
		Err:       err,
	}
}

// word returns the next step in terms of the tools for c.
func (c *catalog) word(e *registry.Error, next registry.Step) string {
	switch {
	case next == registry.ReadDefinition && c.kind != toolid.Tool:
		return ""
	case next == registry.ReadDefinition && c.browser == "":
		return "Use tool_hydrate to see its parameters."
	case next == registry.ReadDefinition:
		return "Use tool_execute with dry_run=true to see its parameters."
	case c.browser == "" && next == registry.LookUp:
		return "The ids are the names in tools/list."
	case c.browser == "":
		return ""
	}
	path, ok := registry.CanonicalPath(e.Namespace)
	if !ok || e.Kind == registry.UnknownNamespace {
		path = ""
	}
	return fmt.Sprintf("Use %s with path=%q to see what there is.", c.browser, "/"+strings.ReplaceAll(path, ".", "/"))
}

// maxCauses is the most wrapped errors searched for a cause.
const maxCauses = 32

// failed is asError, and logs the facts that callers must not see (section 3.4).
func (s *Server) failed(ctx context.Context, tool string, err error) *Error {
	e := s.asError(err)
	level, cause := slog.LevelDebug, err
	switch e.Code {
	case UpstreamError, UpstreamTimeout, UpstreamUnavailable, AuthFailed, SchemaInvalid:
		level = slog.LevelWarn
	}
	for range maxCauses {
		next := errors.Unwrap(cause)
		if next == nil {
			break
		}
		cause = next
	}
	s.opts.Serve.Logger.Log(ctx, level, "request refused", "tool", tool, "code", string(e.Code), "error", err, "cause", cause)
	return e
}

// render makes a result of an error.
func (s *Server) render(err error) *registry.Result {
	e := s.asError(err)
	r := s.result(e)
	r.IsError = true
	return r
}

// argsInvalid is the error for invalid arguments of one of the gateway's own tools.
func argsInvalid(message string) *Error {
	return &Error{Code: ArgsInvalid, Message: clean.Line(message, maxMessage)}
}

// viewError returns the error of a view of an artifact.
func viewError(err error) *Error {
	var selector *view.SelectorError
	switch {
	case errors.Is(err, firewall.ErrNotFound):
		return &Error{Code: ViewFailed, Err: err,
			Message: "There is no such artifact: it never was, is not yours, or is not kept any more. Run the tool again with tool_execute for a new handle."}
	case errors.As(err, &selector):
		return &Error{Code: ViewFailed, Message: clean.Line(selector.Error(), maxMessage), Err: err}
	}
	return &Error{Code: ViewFailed, Message: "The artifact cannot be read now. Try again in a moment.", Retryable: true, Err: err}
}
