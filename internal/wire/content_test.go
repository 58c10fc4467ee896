package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
)

// FuzzReadResults reads the results of resources/read and prompts/get: what is
// read can be sent.
func FuzzReadResults(f *testing.F) {
	for _, seed := range []string{
		`{"contents":[{"uri":"a:b","text":"x"},{"blob":"AAE="},{"blob":"?"},7,null]}`,
		`{"messages":[{"role":"user","content":{"type":"text","text":"x"}},{"role":7,"content":[]},{"content":{"type":"resource","resource":{"uri":"a:b","blob":"AA=="}}}]}`,
		`{"contents":null,"messages":{}}`, `{}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strictjson.Check([]byte(text)) != nil {
			return // it comes from a message that has been checked
		}
		for _, r := range []*mcp.CallToolResult{
			wire.ResourceContents(json.RawMessage(text), "a:b"), wire.PromptMessages(json.RawMessage(text)),
		} {
			if r == nil {
				continue
			}
			if _, err := json.Marshal(r); err != nil {
				t.Errorf("it cannot be sent: %v", err)
			}
		}
	})
}
