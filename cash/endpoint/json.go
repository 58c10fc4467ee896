package endpoint

import (
	"bytes"
	"encoding/json"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// maxDepth bounds the levels of answers.
const maxDepth = 1000

// encode returns compact JSON of what surely has such a form. Raw JSON in it keeps
// its order of keys and its spelling of numbers.
func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("endpoint: " + err.Error())
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// isObject reports whether data is one strict JSON document, and that an object.
func isObject(data []byte) bool {
	return strictjson.CheckDepth(data, maxDepth) == nil && strictjson.KindOf(data) == strictjson.Object
}

// withoutBOM drops the mark that some editors and shells put before a text.
func withoutBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

// isBlank reports whether there is nothing but such a mark and white space.
func isBlank(data []byte) bool { return len(strictjson.Trim(withoutBOM(data))) == 0 }

// compact returns a JSON document without the white space between its tokens.
func compact(data []byte) json.RawMessage {
	var buf bytes.Buffer
	if json.Compact(&buf, data) != nil {
		return nil
	}
	return buf.Bytes()
}
