package upstream

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/toolid"
)

var (
	FunctionNames = functionNames
	Fingerprint   = fingerprint
)

// ReadPrimitives reads a list of resources or prompts, and makes functions of
// them at label: it returns their schemas by their ids, what was left out, and
// whether it was a list.
func ReadPrimitives(kind toolid.Kind, label string, list json.RawMessage) (schemas map[toolid.Primitive]json.RawMessage, dropped []string, ok bool) {
	parse := parseResource
	if kind == toolid.Prompt {
		parse = parsePrompt
	}
	read, dropped, err := parseList(string(kind), list, parse)
	if err != nil {
		return nil, nil, false
	}
	names := primitiveNames(kind, read, nil)
	ids := primitiveIDs(kind, label, read, names)
	schemas = make(map[toolid.Primitive]json.RawMessage)
	notes := new(primitives)
	for _, d := range read {
		f := new(upstream).primitiveFunction(&branch{kind: kind}, notes, d, names[d.key], ids[d.key])
		schemas[f.Primitive()] = f.InputSchema()
	}
	return schemas, dropped, true
}

// ResourceContents and PromptMessages read the results of a server; nil is one
// that cannot be read.
func ResourceContents(raw json.RawMessage, uri string) *mcp.CallToolResult {
	return resourceContents(raw, uri)
}

func PromptMessages(raw json.RawMessage) *mcp.CallToolResult { return promptMessages(raw) }

// Catalog returns what lets the definitions be what the server at label has, as
// if it had been asked. It may be called any number of times.
func Catalog(a *Aggregator, label string, defs ...*Definition) (adopt func(), err error) {
	u, err := a.find(label)
	if err != nil {
		return nil, err
	}
	c := &catalog{kind: Plain}
	u.name(c, defs)
	if err := u.plant(c, u.functions(c, defs)); err != nil {
		return nil, err
	}
	return func() { u.adopt(c) }, nil
}

// Limits that tests would take their time to meet.
const (
	MaxUnanswered = 250_000
	MaxListBytes  = 16 << 20
)

func init() { maxUnanswered, maxBytes = MaxUnanswered, MaxListBytes }
