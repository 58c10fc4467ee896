package wire

import (
	"encoding/json"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/schema"
)

// Bounds of an elicitation: its text in characters, its form in bytes.
const (
	maxQuestion = 2000
	maxForm     = 16 << 10
)

// Presentable returns an elicitation with cleaned texts, for a person.
func Presentable(p *mcp.ElicitParams) *mcp.ElicitParams {
	shown := mcp.ElicitParams{Mode: p.Mode, Message: clean.Cut(clean.Text(p.Message), maxQuestion)}
	if data, err := json.Marshal(p.RequestedSchema); err == nil && p.RequestedSchema != nil {
		shown.RequestedSchema = json.RawMessage(CleanJSON(data))
	}
	return &shown
}

// Harmless reports whether the form of an elicitation may be shown and used as a schema. The SDK validates the
// answer with it, and it comes from the server.
func Harmless(p *mcp.ElicitParams) bool {
	if p == nil || p.Mode != "" && p.Mode != "form" || p.URL != "" {
		return false
	}
	if p.RequestedSchema == nil {
		return true
	}
	data, err := json.Marshal(p.RequestedSchema)
	if err != nil || len(data) > maxForm || refers.Match(data) { // a form needs no references
		return false
	}
	_, err = schema.Parse(data)
	return err == nil
}

var refers = regexp.MustCompile(`"\$(ref|dynamicRef|recursiveRef)"`)
