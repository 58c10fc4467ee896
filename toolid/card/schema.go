package card

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A SchemaForm is a provider's form of the selection schema.
type SchemaForm string

// The forms of section 2.6.
const (
	// JSONSchema is the bare schema.
	JSONSchema SchemaForm = "json_schema"
	// OpenAI is the value of response_format, in strict mode. OpenAI accepts at most 1,000 ids, and at most 15,000
	// characters of ids if there are more than 250.
	OpenAI SchemaForm = "openai"
	// Anthropic is a tool definition, forced with tool_choice.
	Anthropic SchemaForm = "anthropic"
)

// ErrNoCandidates is the error of a selection without candidates.
var ErrNoCandidates = errors.New("there are no candidates to select from")

// Structs, because the members of the schema have a fixed order.
type (
	object struct {
		Type       string     `json:"type"`
		Properties properties `json:"properties"`
		Required   []string   `json:"required"`
		Additional bool       `json:"additionalProperties"`
	}
	properties struct {
		Selection enum `json:"selection"`
	}
	enum struct {
		Type        string   `json:"type"`
		Description string   `json:"description"`
		Enum        []string `json:"enum"`
	}
	openAI struct {
		Type       string    `json:"type"`
		JSONSchema openAIRef `json:"json_schema"`
	}
	openAIRef struct {
		Name   string `json:"name"`
		Strict bool   `json:"strict"`
		Schema object `json:"schema"`
	}
	anthropic struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		InputSchema object `json:"input_schema"`
	}
)

// selectionName is a valid name for both providers: [a-zA-Z0-9_-]{1,64}.
const selectionName = "tool_selection"

// SelectionSchema returns the schema of an object with one member, selection, which is one of the ids (section 2.6). A
// provider's constrained output then cannot name anything else. Duplicate and empty ids are dropped.
//
// It returns [ErrNoCandidates] if there are no ids, and an error for an unknown form. Equal arguments give equal bytes.
func SelectionSchema(form SchemaForm, ids []string) (json.RawMessage, error) {
	ids = candidates(ids)
	if len(ids) == 0 {
		return nil, fmt.Errorf("building a selection schema: %w", ErrNoCandidates)
	}
	schema := object{
		Type:       "object",
		Properties: properties{enum{"string", "The id of the chosen card, exactly as offered.", ids}},
		Required:   []string{"selection"},
	}
	switch form {
	case JSONSchema:
		return strictjson.Marshal(schema)
	case OpenAI:
		return strictjson.Marshal(openAI{"json_schema", openAIRef{selectionName, true, schema}})
	case Anthropic:
		return strictjson.Marshal(anthropic{selectionName, "Select one of the offered cards.", schema})
	}
	return nil, fmt.Errorf("building a selection schema: there is no form %.20q", form)
}

// candidates returns the ids without empty ones and duplicates.
func candidates(ids []string) []string {
	var list []string
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if id != "" && !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	}
	return list
}
