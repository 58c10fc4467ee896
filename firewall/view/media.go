package view

import (
	"encoding/json"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// MediaType says what a text is, by the look of it.
func MediaType(text []byte) string {
	switch {
	case IsJSON(text), len(text) > 0 && text[0] == '"' && json.Valid(text):
		return "application/json"
	case looksLikeTable(text, ','):
		return "text/csv; charset=utf-8"
	case looksLikeTable(text, '\t'):
		return "text/tab-separated-values; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}

// IsJSON reports whether text is an object or an array of JSON.
func IsJSON(text []byte) bool {
	kind := strictjson.KindOf(text)
	return (kind == strictjson.Object || kind == strictjson.Array) && json.Valid(text)
}
