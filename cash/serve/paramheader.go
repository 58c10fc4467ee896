package serve

import (
	"bytes"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// paramHeader is the annotation of a property by which a schema asks clients to
// repeat an argument in an HTTP header (SEP-2243). Who asks must compare the two,
// and the SDK does so for the tools that it knows only. The functions of upstream
// servers may have it, who compare for themselves.
const paramHeader = "x-mcp-header"

// unannotated is a tool that asks for no headers.
func unannotated(t *mcp.Tool) *mcp.Tool {
	schema, ok := t.InputSchema.(json.RawMessage)
	if !ok || !bytes.Contains(schema, []byte(paramHeader)) && bytes.IndexByte(schema, '\\') < 0 {
		return t
	}
	whole := *t
	whole.InputSchema = json.RawMessage(withoutHeaders(schema, 0))
	return &whole
}

// maxProperties is how deep properties are looked into: far deeper than schemas
// that are served go.
const maxProperties = 64

// withoutHeaders returns a schema without the annotations of its properties, which
// may stand nowhere else, and the schema itself if it has none.
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

// edited returns an object with what edit makes of its members, and values of
// other types as they are. What does not change keeps its bytes.
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
