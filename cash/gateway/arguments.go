package gateway

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// arguments are those of one of the gateway's own tools. JSON null means omitted.
type arguments map[string]json.RawMessage

// readArguments reads an object strictly. An unknown member is an error, because it would be
// ignored silently.
func readArguments(data json.RawMessage, known ...string) (arguments, error) {
	if len(data) == 0 {
		return nil, nil
	}
	// Arguments of functions are one level inside and have the full depth themselves.
	if err := strictjson.CheckDepth(data, strictjson.MaxDepth+1); err != nil {
		return nil, argsInvalid(fmt.Sprintf("The arguments are not valid JSON: %v.", err))
	}
	switch kind := strictjson.KindOf(data); kind {
	case strictjson.Null:
		return nil, nil
	case strictjson.Object:
	default:
		return nil, argsInvalid(fmt.Sprintf("The arguments must be a JSON object, not of type %s.", kind))
	}
	args := make(arguments)
	for key, value := range strictjson.Members(data) {
		if !slices.Contains(known, key) {
			message := fmt.Sprintf("Unknown argument %q. There are: %s.", clean.Line(key, 40), strings.Join(known, ", "))
			if slices.Contains(known, "args") {
				message += " What the tool itself takes goes into args."
			}
			return nil, argsInvalid(message)
		}
		if strictjson.KindOf(value) != strictjson.Null {
			args[key] = strictjson.Trim(value)
		}
	}
	return args, nil
}

// text returns a string, empty if there is none.
func (a arguments) text(name string) (text string, err error) {
	err = take(a, name, &text, "a string")
	return text, err
}

// given returns a string argument. A missing or empty one is an error.
func (a arguments) given(name, hint string) (string, error) {
	text, err := a.text(name)
	if err == nil && strings.TrimSpace(text) == "" {
		err = argsInvalid(fmt.Sprintf("%s is missing. %s", name, hint))
	}
	return text, err
}

// flag returns a boolean, false if there is none.
func (a arguments) flag(name string) (set bool, err error) {
	err = take(a, name, &set, "true or false")
	return set, err
}

// whole returns an integer argument. ok is false if it is missing.
func (a arguments) whole(name string) (n int, ok bool, err error) {
	value, ok := a[name]
	if !ok {
		return 0, false, nil
	}
	if strictjson.KindOf(value) != strictjson.Number {
		return 0, false, take(a, name, &n, "a whole number")
	}
	if !strictjson.Take(&n, value) || n < -math.MaxInt32 || n > math.MaxInt32 {
		return 0, false, argsInvalid(name + " must be a whole number of a sensible size.")
	}
	return n, true, nil
}

// take sets a field to the argument of that name, if there is one.
func take[T strictjson.Field](a arguments, name string, field *T, want string) error {
	if value, ok := a[name]; ok && !strictjson.Take(field, value) {
		return argsInvalid(fmt.Sprintf("%s must be %s, not of type %s.", name, want, strictjson.KindOf(value)))
	}
	return nil
}

// browseRequest reads the arguments of tool_browse, resource_browse and prompt_browse.
func browseRequest(data json.RawMessage) (*BrowseRequest, error) {
	args, err := readArguments(data, "query", "path", "top_k", "offset")
	if err != nil {
		return nil, err
	}
	r := new(BrowseRequest)
	if r.Query, err = args.text("query"); err != nil {
		return nil, err
	}
	if r.Path, err = args.text("path"); err != nil {
		return nil, err
	}
	if _, ok := args["path"]; ok && r.Path == "" && args["query"] == nil {
		return nil, &Error{Code: PathInvalid, Message: `The path is empty. The top is path="/".`}
	}
	k, given, err := args.whole("top_k")
	if err == nil && given && k == 0 {
		err = argsInvalid(fmt.Sprintf("top_k must be from 1 to %d.", MaxTopK))
	}
	if err != nil {
		return nil, err
	}
	r.TopK = k
	r.Offset, _, err = args.whole("offset")
	return r, err
}

// executeRequest reads the arguments of tool_execute. It reads plan_token only if plans is set.
// whereIDs is the hint that says where ids come from.
func executeRequest(data json.RawMessage, plans bool, whereIDs string) (*ExecuteRequest, error) {
	known := []string{"tool_id", "args", "dry_run"}
	if plans {
		known = append(known, "plan_token")
	}
	args, err := readArguments(data, known...)
	if err != nil {
		return nil, err
	}
	r := &ExecuteRequest{Args: args["args"]}
	if r.ID, err = args.given("tool_id", whereIDs); err != nil {
		return nil, err
	}
	if r.DryRun, err = args.flag("dry_run"); err != nil {
		return nil, err
	}
	r.PlanToken, err = args.text("plan_token")
	return r, err
}

// viewRequest reads the arguments of tool_view. A selector sent as text becomes the object in it.
func viewRequest(data json.RawMessage) (*ViewRequest, error) {
	args, err := readArguments(data, "handle", "selector")
	if err != nil {
		return nil, err
	}
	r := &ViewRequest{Selector: args["selector"]}
	if r.Handle, err = args.given("handle", "It stands in the artifacts of an envelope that tool_execute returned."); err != nil {
		return nil, err
	}
	if text := []byte(strictjson.Text(r.Selector)); len(text) > 0 && strictjson.Check(text) == nil && strictjson.KindOf(text) == strictjson.Object {
		r.Selector = text
	}
	return r, nil
}
