package endpoint

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// MetaExitCode is the metadata key for the exit status of a command. The result is then an object with stdout and
// exit_code, and the process of an [Endpoint] exits with that status.
const MetaExitCode = "cash/exit_code"

// resultOf returns the object for a result of f in an answer: that which the descriptor's result_schema describes, if
// the function tells it.
func resultOf(ctx context.Context, f *registry.Function, r *registry.Result) json.RawMessage {
	if typed, err := f.Typed(ctx, r); err == nil && f.OutputSchema() != nil && isObject(typed.Structured) {
		return typed.Structured
	}
	return resultObject(r)
}

// resultObject returns the object for a result in an answer, as the package comment describes.
func resultObject(r *registry.Result) json.RawMessage {
	if r.Structured != nil {
		if object, ok := asObject(r.Structured); ok {
			return object
		}
	}
	if len(r.Content) == 0 && r.Structured != nil { // structured content of a kind that others would refuse
		return textObject(string(r.Structured))
	}
	if len(r.Content) == 0 {
		return json.RawMessage("{}")
	}
	if text, ok := r.Content[0].(*mcp.TextContent); ok && len(r.Content) == 1 {
		if object, ok := asObject([]byte(text.Text)); ok {
			return object
		}
		return textObject(text.Text)
	}
	return strictjson.MustMarshal(struct {
		Content []mcp.Content `json:"content"`
	}{r.Content})
}

func textObject(text string) json.RawMessage {
	return strictjson.MustMarshal(struct {
		Text string `json:"text"`
	}{text})
}

// asObject returns JSON as an object: itself, or wrapped in the member value. It reports false for anything but
// strict JSON, and for more levels than an answer has room for.
func asObject(data []byte) (json.RawMessage, bool) {
	if strictjson.KindOf(data) == strictjson.Object {
		return data, strictjson.CheckDepth(data, maxDepth-1) == nil
	}
	if strictjson.CheckDepth(data, maxDepth-2) != nil {
		return nil, false
	}
	return strictjson.MustMarshal(struct {
		Value json.RawMessage `json:"value"`
	}{data}), true
}

// errorText returns the text of an error result.
func errorText(r *registry.Result) string {
	if text := r.Text(); text != "" || r.Structured == nil {
		return text
	}
	return string(r.Structured)
}

// commandResult returns the result of a command. With a status other than 0 it is an error.
func commandResult(object json.RawMessage, code int) *registry.Result {
	res := registry.TextResult(string(object))
	res.Structured, res.IsError = object, code != 0
	res.Meta = map[string]any{MetaExitCode: code}
	return res
}

// exitCode returns the exit status of the command that r is the result of, and whether r is one: metadata alone
// proves nothing.
func exitCode(r *registry.Result) (int, bool) {
	code, ok := codeOf(r.Meta[MetaExitCode])
	if !ok || !isObject(r.Structured) {
		return 0, false
	}
	if said, ok := exitCodeOf(r.Structured); !ok || said != code {
		return 0, false
	}
	if code < 0 || code > 255 {
		code = 1
	}
	return code, true
}

// exitCodeOf returns the member exit_code of a command's result, which must also have stdout.
func exitCodeOf(result []byte) (int, bool) {
	if strictjson.KindOf(strictjson.Member(result, "stdout")) != strictjson.String {
		return 0, false
	}
	return codeOf(json.RawMessage(strictjson.Member(result, "exit_code")))
}

// codeOf reads a status, which may have passed through JSON.
func codeOf(v any) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case json.RawMessage:
		code, err := strconv.Atoi(string(v))
		return code, err == nil
	}
	return 0, false
}
