package endpoint

import (
	"encoding/json"
	"fmt"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// The actions of a request.
const (
	listTools    = "list_tools"
	describeTool = "describe_tool"
	callTool     = "call_tool"
)

const actions = "Use `list_tools`, `describe_tool` or `call_tool`."

// request is a parsed request.
type request struct {
	action    string
	tool      string          // empty for listTools
	arguments json.RawMessage // an object; for callTool only
}

// readRequest parses a request: one strict JSON object, optionally after a byte order mark. Unknown members are
// ignored. The error is for the client.
func readRequest(data []byte) (*request, error) {
	data = withoutBOM(data)
	// The request adds one level to those of its arguments.
	if err := strictjson.CheckDepth(data, strictjson.MaxDepth+1); err != nil {
		return nil, badRequest("The request is not one JSON document: %s.", clean.Line(err.Error(), maxReason))
	}
	if kind := strictjson.KindOf(data); kind != strictjson.Object {
		return nil, badRequest("The request must be a JSON object, not of type %s.", kind)
	}
	r := &request{arguments: json.RawMessage("{}")}
	var err error
	if r.action, err = textMember(data, "action"); err != nil {
		return nil, err
	}
	switch r.action {
	case listTools:
		return r, nil
	case describeTool, callTool:
	default:
		return nil, badRequest("There is no action %s. "+actions, quote(r.action))
	}
	if r.tool, err = textMember(data, "tool"); err != nil {
		return nil, err
	}
	if args := strictjson.Member(data, "arguments"); args != nil && r.action == callTool {
		if kind := strictjson.KindOf(args); kind != strictjson.Object {
			return nil, badRequest("The member `arguments` must be a JSON object, not of type %s.", kind)
		}
		r.arguments = args
	}
	return r, nil
}

// textMember returns a member that must be a text with something in it.
func textMember(request []byte, name string) (string, error) {
	value := strictjson.Member(request, name)
	next := actions
	if name == "tool" {
		next = "Use `list_tools` for the names."
	}
	if value == nil {
		return "", badRequest("The request has no member `%s`. %s", name, next)
	}
	text := strictjson.Text(value)
	if text == "" {
		return "", badRequest("The member `%s` must be a text that is not empty. %s", name, next)
	}
	return text, nil
}

func badRequest(format string, args ...any) error {
	return &registry.Error{Kind: registry.InvalidArguments, NotRun: true, Message: fmt.Sprintf(format, args...)}
}
