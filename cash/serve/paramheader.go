package serve

import (
	"bytes"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// paramHeader is the annotation of a property that makes clients repeat an argument in an HTTP
// header (SEP-2243). The server must then compare the two. The SDK does so only for tools that it
// knows. Upstream servers compare for themselves, and their schemas may have it.
const paramHeader = "x-mcp-header"

// unannotated returns a tool without these annotations.
func unannotated(t *mcp.Tool) *mcp.Tool {
	schema, ok := t.InputSchema.(json.RawMessage)
	if !ok || !bytes.Contains(schema, []byte(paramHeader)) && bytes.IndexByte(schema, '\\') < 0 {
		return t
	}
	whole := *t
	whole.InputSchema = json.RawMessage(withoutHeaders(schema, 0))
	return &whole
}

// maxProperties is the most levels of properties searched: far more than served schemas have.
const maxProperties = 64

// withoutHeaders returns a schema without the annotations of its properties. They may stand nowhere
// else. A schema without any is returned as it is.
func withoutHeaders(schema []byte, depth int) []byte {
	if depth > maxProperties {
		return schema
	}
	return edited(schema, func(key string, value []byte) ([]byte, bool) {
		switch {
		case key == paramHeader:
			return nil, false
		case key == "properties":
			return edited(value, func(_ string, property []byte) ([]byte, bool) {
				return withoutHeaders(property, depth+1), true
			}), true
		}
		return value, true
	})
}

// edited returns an object with its members changed by edit. Other types are returned as they are.
// Unchanged parts keep their bytes.
func edited(object []byte, edit func(key string, value []byte) ([]byte, bool)) []byte {
	var out strictjson.Builder
	same := true
	for key, value := range strictjson.RawMembers(object) {
		now, keep := edit(strictjson.Text(key), value)
		same = same && keep && bytes.Equal(now, value)
		if keep {
			out.AddRaw(key, now)
		}
	}
	if same {
		return object
	}
	return out.Object()
}
