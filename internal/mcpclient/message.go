package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A message is one that has been checked, and its JSON. A response that cannot be
// used is one whose Error is an *[Error].
type message struct {
	jsonrpc.Message
	raw []byte
}

var errNotJSON = malformed("the answer is not proper JSON, or nested too deeply")

// parse reads a message, or an array of them. What is none, but can be seen to be
// the answer to a call, is a response that fails it; the rest of what is none is
// an error, or left out of the array.
func parse(data []byte) ([]message, *Error) {
	data = strictjson.Trim(data)
	if err := strictjson.CheckDepth(data, maxDepth); err != nil {
		if id, ok := sniff(data, data); ok {
			return []message{unusable(id, errNotJSON)}, nil
		}
		return nil, errNotJSON
	}
	if strictjson.KindOf(data) != strictjson.Array {
		m, err := parseOne(data)
		if err != nil {
			return nil, err
		}
		return []message{m}, nil
	}
	var batch []message
	for i, raw := range strictjson.Elements(data) {
		if i == maxBatch {
			return nil, malformed("the answer is an array of too many messages")
		}
		if m, err := parseOne(raw); err == nil {
			batch = append(batch, m)
		}
	}
	if len(batch) == 0 {
		return nil, errNotRPC
	}
	return batch, nil
}

var (
	errNotRPC   = malformed("the answer is not a JSON-RPC message")
	errNoResult = malformed("the answer has no result")
)

// parseOne reads a message that is known to be proper JSON.
func parseOne(raw []byte) (message, *Error) {
	if strictjson.KindOf(raw) != strictjson.Object {
		return message{}, errNotRPC
	}
	if n := notification(raw); n != nil {
		return message{n, raw}, nil
	}
	m, err := jsonrpc.DecodeMessage(raw)
	if err != nil {
		if id, ok := sniff(raw, raw); ok {
			return unusable(id, errNotRPC), nil
		}
		return message{}, errNotRPC
	}
	if r, ok := m.(*jsonrpc.Response); ok && r.Error == nil && strictjson.KindOf(r.Result) != strictjson.Object {
		return unusable(r.ID, errNoResult), nil
	}
	return message{m, raw}, nil
}

// notification reads a message that has nothing but what makes a notification, and
// returns nil for any other. The SDK's decoder takes 64 KiB of buffers for each, and
// servers send many.
func notification(raw []byte) *jsonrpc.Request {
	var version, method, params []byte
	for key, value := range strictjson.RawMembers(raw) {
		kind := strictjson.KindOf(value)
		switch {
		case string(key) == `"jsonrpc"`:
			version = strictjson.Trim(value)
		case string(key) == `"method"` && kind == strictjson.String:
			method = value
		case string(key) == `"params"` && kind == strictjson.Object:
			params = strictjson.Trim(value)
		default:
			return nil
		}
	}
	if string(version) != `"2.0"` || method == nil || strictjson.Text(method) == "" {
		return nil
	}
	return &jsonrpc.Request{Method: strictjson.Text(method), Params: params}
}

// unusable is a response that fails its call.
func unusable(id jsonrpc.ID, e *Error) message {
	r := &jsonrpc.Response{ID: id, Error: e}
	return message{r, encodeError(id, e)}
}

// encodeError words e as a JSON-RPC error, for where types do not get through.
func encodeError(id jsonrpc.ID, e *Error) []byte {
	data, err := jsonrpc.EncodeMessage(&jsonrpc.Response{
		ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: e.Error()},
	})
	if err != nil { // an id and two short texts always encode
		panic(err)
	}
	return data
}

// unusableError returns the *Error of a response that cannot be used.
func unusableError(r *jsonrpc.Response) *Error {
	var e *Error
	if errors.As(r.Error, &e) {
		return e
	}
	return nil
}

// adopt gives the id of a call to an error that the server could not match to
// one (JSON-RPC 2.0, section 5: null) but sends in its place. It returns nil if
// data is none.
func adopt(data []byte, id jsonrpc.ID) []byte {
	if strictjson.CheckDepth(data, maxDepth) != nil {
		return nil
	}
	problem := strictjson.Member(data, "error")
	if strictjson.KindOf(problem) != strictjson.Object || strictjson.KindOf(strictjson.Member(data, "id")) != strictjson.Null || strictjson.Member(data, "method") != nil {
		return nil
	}
	text, err := json.Marshal(id.Raw())
	if err != nil {
		return nil
	}
	return bytes.Join([][]byte{[]byte(`{"jsonrpc":"2.0","id":`), text, []byte(`,"error":`), problem, []byte(`}`)}, nil)
}

// sniffed is how much of the beginning and the end of a message is looked at for
// its id, in bytes.
const sniffed = 256

// The ways in which the known implementations write the ids of responses. The
// SDK's own, which come back there, are integers.
var (
	idFirst     = regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"\s*:`)
	resultFirst = regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"\s*:`)
	idLast      = regexp.MustCompile(`,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
)

// sniff returns the id of a response of which only the beginning and the end are
// known, or which is not proper JSON.
func sniff(head, tail []byte) (jsonrpc.ID, bool) {
	head, tail = head[:min(len(head), sniffed)], tail[max(0, len(tail)-sniffed):]
	m := idFirst.FindSubmatch(head)
	if m == nil && resultFirst.Match(head) {
		m = idLast.FindSubmatch(tail)
	}
	if m == nil {
		return jsonrpc.ID{}, false
	}
	n, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(float64(n)) // exact: below 2^53
	return id, err == nil
}
