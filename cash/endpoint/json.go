package endpoint

import (
	"bytes"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// isObject reports whether data is one strict JSON document, and that an object.
func isObject(data []byte) bool {
	return strictjson.CheckDepth(data, maxDepth) == nil && strictjson.KindOf(data) == strictjson.Object
}

// withoutBOM removes a byte order mark.
func withoutBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

// isBlank reports whether data is only a byte order mark and white space.
func isBlank(data []byte) bool { return len(strictjson.Trim(withoutBOM(data))) == 0 }
