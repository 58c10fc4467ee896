package serve

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// forOlder returns the list for clients up to version [objectsOnly], which refuse a list for one schema:
//
//   - An output schema is of an object, or left out. They get no other structured content.
//   - A property is described by an object. {} is the same as true, and {"not":{}} the same as false.
func (l ToolList) forOlder() ToolList {
	return ToolList{l.Names, func(i int) *mcp.Tool {
		t := l.Tool(i)
		if t == nil {
			return nil
		}
		whole := *t
		if schema, ok := t.InputSchema.(json.RawMessage); ok {
			whole.InputSchema = withObjects(schema)
		}
		if schema, ok := t.OutputSchema.(json.RawMessage); ok {
			whole.OutputSchema = withObjects(schema)
			if strictjson.Text(strictjson.Member(schema, "type")) != "object" {
				whole.OutputSchema = nil
			}
		}
		return &whole
	}}
}

// withObjects returns a schema whose properties are described by objects.
func withObjects(schema json.RawMessage) json.RawMessage {
	return edited(schema, func(key string, value []byte) ([]byte, bool) {
		if key != "properties" {
			return value, true
		}
		return edited(value, func(_ string, property []byte) ([]byte, bool) {
			switch string(property) {
			case "true":
				property = []byte("{}")
			case "false":
				property = []byte(`{"not":{}}`)
			}
			return property, true
		}), true
	})
}
