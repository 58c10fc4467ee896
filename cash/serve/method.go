package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A method describes a method of the protocol for the reader.
type method struct {
	// params returns the value that its parameters are decoded into. The SDK decodes them before
	// any of our code runs, and its errors repeat them and name Go types. Nil is tools/call: its
	// arguments stay raw.
	params       func() any
	required     bool // params must be present
	notification bool
}

const callTool = "tools/call"

// methods are those of the SDK's server and of the skills extension.
var methods = map[string]method{
	callTool:              {required: true},
	"completion/complete": {params: decodes[mcp.CompleteParams], required: true},
	"initialize":          {params: decodes[mcp.InitializeParams], required: true},
	//lint:ignore SA1019 it works as long as clients ask for it
	"logging/setLevel":          {params: decodes[mcp.SetLoggingLevelParams], required: true},
	cancelled:                   {params: decodes[mcp.CancelledParams], notification: true},
	"notifications/initialized": {params: decodes[mcp.InitializedParams], notification: true},
	"notifications/progress":    {params: decodes[mcp.ProgressNotificationParams], required: true, notification: true},
	//lint:ignore SA1019 clients send it as long as there are such
	"notifications/roots/list_changed": {params: decodes[mcp.RootsListChangedParams], notification: true},
	"ping":                             {params: decodes[mcp.PingParams]},
	"prompts/get":                      {params: decodes[mcp.GetPromptParams], required: true},
	"prompts/list":                     {params: decodes[mcp.ListPromptsParams]},
	"resources/list":                   {params: decodes[mcp.ListResourcesParams]},
	"resources/directory/read":         {params: decodes[readDirectory], required: true},
	"resources/read":                   {params: decodes[mcp.ReadResourceParams], required: true},
	"resources/subscribe":              {params: decodes[mcp.SubscribeParams], required: true},
	"resources/templates/list":         {params: decodes[mcp.ListResourceTemplatesParams]},
	"resources/unsubscribe":            {params: decodes[mcp.UnsubscribeParams], required: true},
	"server/discover":                  {params: decodes[mcp.DiscoverParams]},
	"skills/get":                       {params: decodes[getSkill], required: true},
	"skills/list":                      {params: decodes[listSkills]},
	listen:                             {params: decodes[mcp.SubscriptionsListenParams], required: true},
	"tools/list":                       {params: decodes[mcp.ListToolsParams]},
}

func decodes[T any]() any { return new(T) }

// mistyped returns the part of a request's parameters that has the wrong type, or "".
func (m method) mistyped(msg *message) string {
	if problem := msg.mistypedMeta(); problem != "" {
		return problem
	}
	if m.params == nil {
		return msg.mistypedCall()
	}
	return undecodable("params", json.Unmarshal(msg.params, m.params()))
}

// mistypedCall is mistyped for tools/call, the hot path. It decodes as little as possible.
func (m *message) mistypedCall() string {
	for _, text := range []struct {
		name  string
		value json.RawMessage
	}{{"name", m.name}, {"requestState", m.state}} {
		if kind := strictjson.KindOf(text.value); kind != strictjson.String && kind != strictjson.Null {
			return fmt.Sprintf("params.%s must be a string, not of type %s", text.name, kind)
		}
	}
	if m.responses == nil {
		return ""
	}
	return undecodable("params.inputResponses", json.Unmarshal(m.responses, new(mcp.InputResponseMap)))
}

// mistypedMeta checks metadata. The SDK decodes all its numbers and repeats the progress token in
// notifications.
func (m *message) mistypedMeta() string {
	switch kind := strictjson.KindOf(m.meta); {
	case kind == strictjson.Null:
		return ""
	case kind != strictjson.Object:
		return fmt.Sprintf("params._meta must be an object, not of type %s", kind)
	case strictjson.HasHugeNumber(m.meta):
		return "params._meta has a number that no float64 holds"
	}
	if kind := strictjson.KindOf(m.progress); kind != strictjson.String && kind != strictjson.Null && !isExact(m.progress) {
		return "params._meta.progressToken must be a string, or an integer between -(2^53-1) and 2^53-1"
	}
	return ""
}

// undecodable words an error of encoding/json without the names of Go types and without the value.
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
