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

// A message is a checked message with its JSON. An unusable response has an *[Error] as its Error.
type message struct {
	jsonrpc.Message
	raw []byte
}

var errNotJSON = malformed("the answer is not proper JSON, or nested too deeply")

// parse parses a message or an array of messages. An invalid message that is recognisable as an answer becomes a
// response that fails its call. Any other invalid one is an error, or is left out of the array.
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

// parseOne parses a message that is valid JSON.
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

// notification parses a plain notification, and returns nil for any other message. The SDK's decoder would allocate
// 64 KiB of buffers for each, and servers send many.
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

// unusable returns a response that fails its call.
func unusable(id jsonrpc.ID, e *Error) message {
	r := &jsonrpc.Response{ID: id, Error: e}
	return message{r, encodeError(id, e)}
}

// encodeError encodes e as a JSON-RPC error, for paths that cannot carry types.
func encodeError(id jsonrpc.ID, e *Error) []byte {
	data, err := jsonrpc.EncodeMessage(&jsonrpc.Response{
		ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: e.Error()},
	})
	if err != nil { // an id and two short texts always encode
		panic(err)
	}
	return data
}

// unusableError returns the *Error of an unusable response.
func unusableError(r *jsonrpc.Response) *Error {
	var e *Error
	if errors.As(r.Error, &e) {
		return e
	}
	return nil
}

// adopt gives the id of a call to a JSON-RPC error with id null, which a server sends if it cannot match the
// request (JSON-RPC 2.0, section 5). It returns nil if data is no such error.
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

// sniffed is how many bytes at the beginning and the end of a message are searched for its id.
const sniffed = 256

// The ways in which known implementations write ids of responses. Here they are integers, since the SDK made them.
var (
	idFirst     = regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"\s*:`)
	resultFirst = regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"\s*:`)
	idLast      = regexp.MustCompile(`,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
)

// sniff finds the id of a response from its beginning and end. It is for oversized and invalid messages.
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
	id, err := jsonrpc.MakeID(float64(n)) // exact, since it is below 2^53
	return id, err == nil
}
