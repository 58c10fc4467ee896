package disclosure

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Code is the kind of a failure, in {"error":{"code":...}}. The texts of [registry.Kinds] are codes too.
type Code string

// The codes of this face. The first two are from section 6.
const (
	MissingToolSelection    Code = "MISSING_TOOL_SELECTION"    // a fetch names no tool
	ToolDescriptionRequired Code = "TOOL_DESCRIPTION_REQUIRED" // a call of a tool that was not fetched
	TooManyTools            Code = "TOO_MANY_TOOLS"            // a fetch has more than 1,000 names or 64 KiB
	SessionRequired         Code = "SESSION_REQUIRED"          // a fetch could not be remembered
)

// failure is the value under "error".
type failure struct {
	Code        Code           `json:"code"`
	Message     string         `json:"message"`
	ResourceURI string         `json:"resource_uri,omitempty"`
	Examples    []string       `json:"examples,omitempty"`
	Details     map[string]any `json:"details,omitempty"`
}

// Error implements error.
func (f *failure) Error() string { return string(f.Code) + ": " + f.Message }

// Unwrap returns the kind of a failure of this face.
func (f *failure) Unwrap() error { return registry.InvalidArguments }

// body returns the JSON of a failure.
func (f *failure) body() json.RawMessage { return asJSON(map[string]any{envelope: f}) }

// maxMessage bounds a message, in characters.
const maxMessage = 2000

// failureOf converts err to the form of this face.
func failureOf(err error) *failure {
	var own *failure
	if errors.As(err, &own) {
		return own
	}
	e := registry.AsError(err).For(word)
	code := Code(e.Kind)
	if !e.Kind.Known() {
		code = Code(registry.Failed)
	}
	return &failure{Code: code, Message: clean.Cut(clean.Text(e.Error()), maxMessage), Details: e.Details}
}

// word returns the next step in terms of this face. Where a schema stands is a member of the failure.
func word(_ *registry.Error, next registry.Step) string {
	if next == registry.LookUp {
		return "The tools are in tools/list."
	}
	return ""
}

// render returns the result of an error.
func render(err error, _ json.RawMessage) *registry.Result {
	r := registry.TextResult(string(failureOf(err).body()))
	r.IsError = true
	return r
}

// missing returns the failure of section 6.1.
func (s *Server) missing() *failure {
	return &failure{
		Code:     MissingToolSelection,
		Message:  "You must specify one or more tool names in the 'tools' parameter.",
		Examples: []string{s.uriOf("tool_name"), s.uriOf("tool1,tool2")},
	}
}

// required returns the failure of section 6.2.
func (s *Server) required(tool string) *failure {
	return &failure{
		Code:        ToolDescriptionRequired,
		Message:     fmt.Sprintf("Tool '%s' requires fetching its description before use.", tool),
		ResourceURI: s.uriOf(tool),
	}
}

func tooMany() *failure {
	return &failure{Code: TooManyTools, Message: fmt.Sprintf(
		"At most %d tools can be fetched at a time, by a query of at most %d bytes. Fetch those that are needed now.", maxNames, maxQuery)}
}

func sessionRequired() *failure {
	return &failure{Code: SessionRequired, Message: "This server remembers per session which descriptions were fetched, and this request has no session. " +
		"Connect in a way that has one: over HTTP with protocol version 2025-11-25, or over stdio."}
}

// uriOf returns the URI of the descriptions of tools.
func (s *Server) uriOf(tools string) string { return s.opts.URI + "?tools=" + tools }

// asJSON returns the JSON form of an answer, or that of an error if it has none.
func asJSON(v any) json.RawMessage {
	data, err := strictjson.Marshal(v)
	if err != nil { // the details of an embedder's error
		return (&failure{Code: Code(registry.Internal), Message: "The answer has no JSON form."}).body()
	}
	return data
}
