package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// shapes are the parameters of the protocol's methods, tools/call apart. The SDK
// decodes them before anything of ours is asked, and repeats the parameters and
// names Go types where it fails.
var shapes = map[string]func() any{
	"completion/complete":              func() any { return new(mcp.CompleteParams) },
	"initialize":                       func() any { return new(mcp.InitializeParams) },
	"logging/setLevel":                 func() any { return new(mcp.SetLoggingLevelParams) },
	"notifications/cancelled":          func() any { return new(mcp.CancelledParams) },
	"notifications/initialized":        func() any { return new(mcp.InitializedParams) },
	"notifications/progress":           func() any { return new(mcp.ProgressNotificationParams) },
	"notifications/roots/list_changed": func() any { return new(mcp.RootsListChangedParams) },
	"ping":                             func() any { return new(mcp.PingParams) },
	"prompts/get":                      func() any { return new(mcp.GetPromptParams) },
	"prompts/list":                     func() any { return new(mcp.ListPromptsParams) },
	"resources/list":                   func() any { return new(mcp.ListResourcesParams) },
	"resources/read":                   func() any { return new(mcp.ReadResourceParams) },
	"resources/subscribe":              func() any { return new(mcp.SubscribeParams) },
	"resources/templates/list":         func() any { return new(mcp.ListResourceTemplatesParams) },
	"resources/unsubscribe":            func() any { return new(mcp.UnsubscribeParams) },
	"server/discover":                  func() any { return new(mcp.DiscoverParams) },
	"subscriptions/listen":             func() any { return new(mcp.SubscriptionsListenParams) },
	"tools/list":                       func() any { return new(mcp.ListToolsParams) },
}

const callTool = "tools/call"

// known reports whether the SDK's server has a method.
func known(method string) bool { return method == callTool || shapes[method] != nil }

// misfit says which part of a request's parameters, an object, is of the wrong
// type. Empty is none.
func misfit(method string, params []byte) string {
	for key, value := range strictjson.RawMembers(params) {
		if strictjson.Text(key) == "_meta" {
			if problem := misfitMeta(value); problem != "" {
				return problem
			}
		}
	}
	if method == callTool {
		return misfitCall(params)
	}
	if shape := shapes[method]; shape != nil {
		return undecodable("params", json.Unmarshal(params, shape()))
	}
	return ""
}

// misfitCall is misfit for the hot path: it decodes nothing that need not be.
func misfitCall(params []byte) string {
	for key, value := range strictjson.RawMembers(params) {
		kind := strictjson.KindOf(value)
		switch name := strictjson.Text(key); name {
		case "name", "requestState":
			if kind != strictjson.String && kind != strictjson.Null {
				return fmt.Sprintf("params.%s must be a string, not of type %s", name, kind)
			}
		case "inputResponses":
			if problem := undecodable("params.inputResponses", json.Unmarshal(value, new(mcp.InputResponseMap))); problem != "" {
				return problem
			}
		}
	}
	return ""
}

// misfitMeta looks at metadata, of which the SDK decodes all numbers, and repeats
// the progress token in its notifications.
func misfitMeta(meta []byte) string {
	switch kind := strictjson.KindOf(meta); {
	case kind == strictjson.Null:
		return ""
	case kind != strictjson.Object:
		return fmt.Sprintf("params._meta must be an object, not of type %s", kind)
	case hasHugeNumber(meta):
		return "params._meta has a number that no float64 holds"
	}
	for key, value := range strictjson.RawMembers(meta) {
		if strictjson.Text(key) != "progressToken" {
			continue
		}
		if kind := strictjson.KindOf(value); kind != strictjson.String && kind != strictjson.Null && !isExact(value) {
			return "params._meta.progressToken must be a string, or an integer between -(2^53-1) and 2^53-1"
		}
	}
	return ""
}

// hasHugeNumber reports whether a JSON document has a number beyond float64.
func hasHugeNumber(data []byte) bool {
	const harmless = 16 // bytes: no number without an exponent overflows below 300
	for i := 0; i < len(data); {
		c := data[i]
		switch {
		case c == '"':
			i = strictjson.Skip(data, i)
		case c == '-' || '0' <= c && c <= '9':
			end := strictjson.Skip(data, i)
			number := string(data[i:end])
			if len(number) > harmless || strings.ContainsAny(number, "eE") {
				if _, err := strconv.ParseFloat(number, 64); err != nil {
					return true
				}
			}
			i = end
		default:
			i++
		}
	}
	return false
}

// undecodable words what encoding/json says of a value, without the names of Go
// types and without the value.
func undecodable(what string, err error) string {
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &wrong):
		return what + " are not what the method takes"
	}
	if wrong.Field != "" {
		what += "." + wrong.Field
	}
	kind, _, _ := strings.Cut(wrong.Value, " ") // a number is followed by its digits
	return fmt.Sprintf("%s must not be of type %s", what, kind)
}
