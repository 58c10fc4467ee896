package view

import (
	"encoding/json"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// MediaType guesses the media type of a text from its form.
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

// IsJSON reports whether text is a JSON object or array.
func IsJSON(text []byte) bool {
	kind := strictjson.KindOf(text)
	return (kind == strictjson.Object || kind == strictjson.Array) && json.Valid(text)
}
