package serve

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// exactPrefix marks an id in its exact spelling. Ids on lines are repeated exactly as they came.
// The SDK reads a number as a float64 and keeps an int64: 2^53+1 would come back as 2^53, and 1.5
// as 1, which may be another call. An id that the SDK would change therefore passes through it as a
// string of this prefix and the spelling.
const exactPrefix = "\x00id:"

const cancelled = "notifications/cancelled"

// exactID returns the SDK's form of an id. nil is the id of a notification.
func exactID(raw json.RawMessage) jsonrpc.ID {
	var id any
	switch {
	case raw == nil:
	case sdkKeeps(raw):
		_ = json.Unmarshal(raw, &id) // it is a string or an integer
	default:
		id = exactPrefix + string(raw)
	}
	made, _ := jsonrpc.MakeID(id)
	return made
}

// sdkKeeps reports whether the SDK repeats an id unchanged.
func sdkKeeps(raw json.RawMessage) bool {
	if strictjson.KindOf(raw) == strictjson.String {
		return !strings.HasPrefix(strictjson.Text(raw), exactPrefix)
	}
	return isExact(raw)
}

// spelling returns an id in its spelling on the wire.
func spelling(id jsonrpc.ID) json.RawMessage {
	text, ok := id.Raw().(string)
	if own, found := strings.CutPrefix(text, exactPrefix); ok && found {
		return json.RawMessage(own)
	}
	data, _ := json.Marshal(id.Raw()) // a string or an integer always has a JSON form
	return data
}

// encode returns the wire form of a message.
func encode(msg jsonrpc.Message) ([]byte, error) {
	if answer, ok := msg.(*jsonrpc.Response); ok {
		if id, ok := answer.ID.Raw().(string); ok && strings.HasPrefix(id, exactPrefix) {
			return encodeSpelled(answer, id[len(exactPrefix):])
		}
	}
	return jsonrpc.EncodeMessage(msg)
}

// encodeSpelled encodes an answer with an id that the SDK would change.
func encodeSpelled(answer *jsonrpc.Response, id string) ([]byte, error) {
	const stand = `{"jsonrpc":"2.0","id":0`
	zero, err := jsonrpc.MakeID(0.0)
	if err != nil {
		return nil, err
	}
	copied := *answer
	copied.ID = zero
	data, err := jsonrpc.EncodeMessage(&copied)
	if rest, ok := bytes.CutPrefix(data, []byte(stand)); ok && err == nil {
		return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`+id), rest), nil
	}
	return data, err
}

// withExactID returns the parameters of a cancellation with the id in the SDK's form, so that it
// cancels exactly the request that it names.
func withExactID(params json.RawMessage) json.RawMessage {
	return edited(params, func(key string, value []byte) ([]byte, bool) {
		kind := strictjson.KindOf(value)
		if key != "requestId" || kind != strictjson.String && kind != strictjson.Number || sdkKeeps(value) {
			return value, true
		}
		text, _ := json.Marshal(exactPrefix + string(value)) // a string always has a JSON form
		return text, true
	})
}
