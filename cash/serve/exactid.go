package serve

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// Ids on lines are given back exactly as they came. The SDK reads a number as a
// float64 and keeps it as an int64, so 2^53+1 would come back as 2^53, and 1.5 as
// 1, which may be another call. What it would not keep travels through it as a
// string of this prefix and the id as spelt.
const spelled = "\x00id:"

const cancelled = "notifications/cancelled"

// exactID returns the SDK's form of an id; nil is that of a notification.
func exactID(raw json.RawMessage) jsonrpc.ID {
	var id any
	switch {
	case raw == nil:
	case keeps(raw):
		_ = json.Unmarshal(raw, &id) // it is a string or an integer
	default:
		id = spelled + string(raw)
	}
	made, _ := jsonrpc.MakeID(id)
	return made
}

// keeps reports whether the SDK gives an id back as it came.
func keeps(raw json.RawMessage) bool {
	if strictjson.KindOf(raw) == strictjson.String {
		return !strings.HasPrefix(strictjson.Text(raw), spelled)
	}
	return isExact(raw)
}

// spelling returns an id as it was spelt on the wire.
func spelling(id jsonrpc.ID) json.RawMessage {
	text, ok := id.Raw().(string)
	if own, found := strings.CutPrefix(text, spelled); ok && found {
		return json.RawMessage(own)
	}
	data, _ := json.Marshal(id.Raw()) // a string or an integer
	return data
}

// encode returns the wire form of a message.
func encode(msg jsonrpc.Message) ([]byte, error) {
	if answer, ok := msg.(*jsonrpc.Response); ok {
		if id, ok := answer.ID.Raw().(string); ok && strings.HasPrefix(id, spelled) {
			return encodeSpelled(answer, id[len(spelled):])
		}
	}
	return jsonrpc.EncodeMessage(msg)
}

// encodeSpelled encodes an answer with an id that the SDK does not know.
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

// withExactID returns the parameters of a cancellation with the id in the SDK's
// form, so that it cancels the request that it names and no other.
func withExactID(params json.RawMessage) json.RawMessage {
	return edited(params, func(key string, value []byte) ([]byte, bool) {
		kind := strictjson.KindOf(value)
		if key != "requestId" || kind != strictjson.String && kind != strictjson.Number || keeps(value) {
			return value, true
		}
		text, _ := json.Marshal(spelled + string(value)) // a string has a JSON form
		return text, true
	})
}
