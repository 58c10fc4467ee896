package endpoint

import (
	"bytes"
	"encoding/json"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// maxDepth bounds the nesting of answers.
const maxDepth = 1000

// encode returns v as compact JSON. v must be encodable. Raw JSON in it keeps its order of keys and spelling of
// numbers.
func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("endpoint: " + err.Error())
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// isObject reports whether data is exactly one strict JSON object.
func isObject(data []byte) bool {
	return strictjson.CheckDepth(data, maxDepth) == nil && strictjson.KindOf(data) == strictjson.Object
}

// withoutBOM removes a byte order mark.
func withoutBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

// isBlank reports whether data is only a byte order mark and white space.
func isBlank(data []byte) bool { return len(strictjson.Trim(withoutBOM(data))) == 0 }

// compact returns JSON without the white space between tokens.
func compact(data []byte) json.RawMessage {
	var buf bytes.Buffer
	if json.Compact(&buf, data) != nil {
		return nil
	}
	return buf.Bytes()
}
