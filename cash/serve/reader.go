package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A reader strictly checks every message of a client before the SDK decodes it, over all transports
// of this package. An accepted message is small enough, is JSON with one meaning, and is JSON-RPC
// with parts of the protocol's types. The arguments of a tool are exempt: the tool reports their
// mistakes to the model.
type reader struct {
	maxBytes int64 // of a message, or of a batch
	// anyNumber accepts every number as an id. False accepts only integers that survive a float64,
	// the SDK's type.
	anyNumber bool
}

// Bounds of a message that do not depend on its size.
const (
	// maxDepth bounds everything but the arguments of a tool. The tool refuses deeper arguments, up
	// to the SDK's own limit.
	maxDepth     = strictjson.MaxDepth
	maxScanDepth = 1_000
	// A decoded value costs some 50 bytes of memory, even an empty object of two bytes.
	minValues     = 100_000
	bytesPerValue = 40
	maxOuter      = 12_000 // values outside of the arguments, all of which are decoded and kept
	maxBatch      = 100    // messages
	maxIDLength   = 8_192  // bytes of the spelling
	maxName       = 64     // characters of an unknown method
)

// maxValues is the most members and elements in a message.
func (r *reader) maxValues() int { return max(minValues, int(r.maxBytes/bytesPerValue)) }

// A message is a JSON-RPC message in its sender's spelling. Its parts are slices of the input.
type message struct {
	raw    json.RawMessage // all of it
	id     json.RawMessage // nil for a notification
	method string          // empty for an answer
	params json.RawMessage // an object; nil for none
	parts
}

// parts are the parts of a request's parameters that this package reads, nil if they are missing.
type parts struct {
	name, uri, cursor, arguments, responses, state, meta json.RawMessage

	version, progress json.RawMessage // members of meta
}

// A refusal is the reason why a message was not accepted, in the terms of JSON-RPC.
type refusal struct {
	id     json.RawMessage // of the message; nil if it has no repeatable id
	notice bool            // the message is a notification, which is never answered
	code   int64
	reason string
	method string // of the message, if it is known
}

func refuse(code int64, format string, args ...any) *refusal {
	return &refusal{code: code, reason: fmt.Sprintf(format, args...)}
}

// answer returns the refusal as a JSON-RPC error.
func (f *refusal) answer() []byte {
	id := f.id
	if id == nil {
		id = json.RawMessage("null")
	}
	reason, _ := json.Marshal(f.reason) // a string always has a JSON form
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, f.code, reason)
}

// read returns the messages in data; a batch may have several. A batch is accepted or refused as a
// whole.
func (r *reader) read(data []byte) (messages []*message, batch bool, refused *refusal) {
	raw, batch, refused := r.split(data)
	if refused != nil {
		return nil, batch, refused
	}
	var ids map[jsonrpc.ID]bool
	if batch {
		ids = make(map[jsonrpc.ID]bool, len(raw))
	}
	for _, one := range raw {
		m, refused := r.readMessage(one)
		if refused != nil {
			return nil, batch, refused
		}
		if batch && m.method != "" && m.id != nil {
			id := exactID(m.id)
			if ids[id] {
				return nil, true, refuse(jsonrpc.CodeInvalidRequest, "two calls of the batch have the same id")
			}
			ids[id] = true
		}
		messages = append(messages, m)
	}
	return messages, batch, nil
}

// split returns the raw messages in data.
func (r *reader) split(data []byte) (messages []json.RawMessage, batch bool, refused *refusal) {
	if int64(len(data)) > r.maxBytes {
		return nil, false, r.tooLarge(data)
	}
	if err := strictjson.Scan(data, maxScanDepth, r.maxValues()); err != nil {
		refused := notStrict(err)
		if refused.code != jsonrpc.CodeParseError {
			refused.id = r.earlyID(data)
		}
		return nil, false, refused
	}
	if strictjson.KindOf(data) != strictjson.Array {
		return []json.RawMessage{strictjson.Trim(data)}, false, nil
	}
	for i, element := range strictjson.Elements(data) {
		if i == maxBatch {
			return nil, true, refuse(jsonrpc.CodeInvalidRequest, "the batch has more than %d messages", maxBatch)
		}
		messages = append(messages, element)
	}
	if len(messages) == 0 {
		return nil, true, refuse(jsonrpc.CodeInvalidRequest, "the batch is empty")
	}
	return messages, true, nil
}

// tooLarge refuses a message of which only the beginning was read.
func (r *reader) tooLarge(head []byte) *refusal {
	f := refuse(jsonrpc.CodeInvalidRequest, "the message is larger than %d bytes. Send less, for example a reference instead of the content", r.maxBytes)
	f.id = r.earlyID(head)
	return f
}

// maxHead is the most bytes kept of a message that is too large.
const maxHead = 4 << 10

// earlyID returns the id of an incomplete or broken message, or nil. Most clients send it first.
func (r *reader) earlyID(head []byte) json.RawMessage {
	for key, value := range strictjson.RawMembers(head) {
		last := len(value) == 0 || &value[len(value)-1] == &head[len(head)-1]
		if last || strictjson.Check(key) != nil {
			return nil
		}
		if strictjson.Text(key) != "id" {
			continue
		}
		if strictjson.Check(value) != nil || !r.repeatable(value) {
			return nil
		}
		return value
	}
	return nil
}

// notStrict returns the refusal for an error of Scan or Check.
func notStrict(err error) *refusal {
	var e *strictjson.Error
	if errors.As(err, &e) && e.Bound {
		return refuse(jsonrpc.CodeInvalidRequest, "the message is too large: %v", err)
	}
	return refuse(jsonrpc.CodeParseError, "the message is not valid JSON: %v", err)
}

// envelope holds the raw members of a JSON-RPC message. Nil is missing.
type envelope struct{ version, id, method, params, result, err json.RawMessage }

// member returns a pointer to the field for a member's name, or nil for other names.
func (e *envelope) member(key []byte) *json.RawMessage {
	switch string(strictjson.Unquote(key)) { // allocates nothing
	case "jsonrpc":
		return &e.version
	case "id":
		return &e.id
	case "method":
		return &e.method
	case "params":
		return &e.params
	case "result":
		return &e.result
	case "error":
		return &e.err
	}
	return nil
}

// readMessage reads one of the messages from split.
func (r *reader) readMessage(data json.RawMessage) (*message, *refusal) {
	if strictjson.KindOf(data) != strictjson.Object {
		return nil, refuse(jsonrpc.CodeInvalidRequest, "a JSON-RPC message is an object")
	}
	var e envelope
	var twice string
	for key, value := range strictjson.RawMembers(data) {
		place := e.member(key)
		switch {
		case place == nil: // JSON-RPC has no other members, and nothing reads them
		case *place != nil:
			twice = strictjson.Text(key)
		default:
			*place = value
		}
	}
	m := &message{raw: data}
	if r.repeatable(e.id) {
		m.id = e.id
	}
	refused := e.check(twice)
	switch {
	case refused != nil:
	case e.method == nil:
		refused = e.checkAnswer(m.id != nil)
	default:
		if refused = m.request(&e); refused == nil && m.method == cancelled && !r.namesRequest(m.params) {
			refused = refuse(jsonrpc.CodeInvalidParams, "params.requestId must be the id of a request")
		}
	}
	if refused != nil {
		if e.method != nil {
			refused.id, refused.notice = m.id, e.id == nil
			if _, known := methods[m.method]; known {
				refused.method = m.method
			}
		}
		return nil, refused
	}
	return m, nil
}

// repeatable reports whether an id can be repeated exactly.
func (r *reader) repeatable(id json.RawMessage) bool {
	if len(id) > maxIDLength {
		return false
	}
	switch strictjson.KindOf(id) {
	case strictjson.String:
		return strictjson.Check(id) == nil
	case strictjson.Number:
		return r.anyNumber || isExact(id)
	}
	return false
}

// namesRequest reports whether the parameters of a cancellation name a request exactly. The SDK
// would round a number that it does not keep and cancel another request.
func (r *reader) namesRequest(params []byte) bool {
	id := strictjson.Member(params, "requestId")
	return id == nil || r.repeatable(id) // without an id it cancels nothing
}

// isExact reports whether a number is an integer in the usual spelling that survives a float64.
func isExact(number []byte) bool {
	const most = 1<<53 - 1
	n, err := strconv.ParseInt(string(number), 10, 64)
	return err == nil && -most <= n && n <= most && string(strconv.AppendInt(nil, n, 10)) == string(number)
}

// check checks the members common to requests and answers.
func (e *envelope) check(twice string) *refusal {
	switch {
	case twice != "":
		return refuse(jsonrpc.CodeInvalidRequest, "the message has %q twice", twice)
	case string(e.version) != `"2.0"`:
		return refuse(jsonrpc.CodeInvalidRequest, `"jsonrpc" must be "2.0"`)
	case e.method != nil && (e.result != nil || e.err != nil):
		return refuse(jsonrpc.CodeInvalidRequest, "the message has a method and a result")
	}
	return nil
}

// checkAnswer checks an answer to a request of this server.
func (e *envelope) checkAnswer(named bool) *refusal {
	switch {
	case (e.result == nil) == (e.err == nil):
		return refuse(jsonrpc.CodeInvalidRequest, "the message has no method, and not one of result and error")
	case !named:
		return refuse(jsonrpc.CodeInvalidRequest, "an answer has the id of its request")
	}
	for _, part := range []json.RawMessage{e.id, e.result, e.err} {
		if part == nil {
			continue
		}
		if err := strictjson.CheckDepth(part, maxDepth); err != nil {
			return notStrict(err)
		}
	}
	if e.err != nil && json.Unmarshal(e.err, new(jsonrpc.Error)) != nil {
		return refuse(jsonrpc.CodeInvalidRequest, "an error has a code, which is an integer, and a message, which is a string")
	}
	return nil
}

// request reads a request or a notification.
func (m *message) request(e *envelope) *refusal {
	switch {
	case e.id != nil && m.id == nil:
		return refuse(jsonrpc.CodeInvalidRequest, "the id must be a string of at most %d bytes, or an integer between -(2^53-1) and 2^53-1", maxIDLength)
	case strictjson.KindOf(e.method) != strictjson.String:
		return refuse(jsonrpc.CodeInvalidRequest, "the method must be a string")
	}
	if err := strictjson.Check(e.method); err != nil {
		return notStrict(err)
	}
	m.method = strictjson.Text(e.method)
	known, ok := methods[m.method]
	switch {
	case !ok:
		return refuse(jsonrpc.CodeMethodNotFound, "method not found: %q", clean.Line(m.method, maxName))
	case known.notification && e.id != nil:
		return refuse(jsonrpc.CodeInvalidRequest, "%s is a notification, which has no id", m.method)
	case !known.notification && e.id == nil:
		return refuse(jsonrpc.CodeInvalidRequest, "%s needs an id", m.method)
	}
	return m.requestParams(e.params, known)
}

func (m *message) requestParams(params json.RawMessage, known method) *refusal {
	switch kind := strictjson.KindOf(params); {
	case kind == strictjson.Null && !known.required:
		return nil
	case kind == strictjson.Null:
		return refuse(jsonrpc.CodeInvalidParams, "%s needs params", m.method)
	case kind != strictjson.Object:
		return refuse(jsonrpc.CodeInvalidParams, "params must be an object, not of type %s", kind)
	}
	m.params = params
	if err := m.checkParams(); err != nil {
		return notStrict(err)
	}
	m.readParts()
	if problem := known.mistyped(m); problem != "" {
		return refuse(jsonrpc.CodeInvalidParams, "%s", problem)
	}
	return nil
}

// readParts reads the parts of the parameters.
func (m *message) readParts() {
	for key, value := range strictjson.RawMembers(m.params) {
		switch string(strictjson.Unquote(key)) {
		case "_meta":
			m.meta = value
		case "name":
			m.name = value
		case "arguments":
			m.arguments = value
		case "uri":
			m.uri = value
		case "cursor":
			m.cursor = value
		case "inputResponses":
			m.responses = value
		case "requestState":
			m.state = value
		}
	}
	for key, value := range strictjson.RawMembers(m.meta) {
		switch string(strictjson.Unquote(key)) {
		case mcp.MetaKeyProtocolVersion:
			m.version = value
		case "progressToken":
			m.progress = value
		}
	}
}

func (m *message) checkParams() error {
	arguments := "" // only the arguments of a tool are raw
	if m.method == callTool {
		arguments = "arguments"
	}
	return strictjson.CheckExcept(m.params, maxDepth, maxOuter, arguments)
}
