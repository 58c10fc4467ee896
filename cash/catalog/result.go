package catalog

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/blocks"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// results are the canned results of a tool. Its handler is answer.
type results struct {
	byArguments map[[sha256.Size]byte]*registry.Result // keyed by key
	other       *registry.Result                       // for all other arguments; nil if there is none
}

// key hashes arguments in canonical form. It is small, however large they are with defaults.
func key(arguments []byte) [sha256.Size]byte { return sha256.Sum256(strictjson.Canonical(arguments)) }

// maxFilled bounds the arguments of all results of a tool with defaults filled in, in bytes, in addition to four
// times the size of the definition.
const maxFilled = 256 << 10

// newResults reads the members result and results of a tool. Either may be empty.
func newResults(d *definition, result, list []byte) *results {
	r := new(results)
	if len(list) > 0 && strictjson.KindOf(list) != strictjson.Array {
		d.flag("results: want an array, got type %s", strictjson.KindOf(list))
	}
	var input *schema.Schema // for its defaults
	room := maxFilled + 4*len(d.raw)
	for i, one := range strictjson.Elements(list) {
		arguments, result := readCase(one)
		switch kind := strictjson.KindOf(arguments); {
		case len(result) == 0:
			d.flag("results: number %d has no result", i+1)
		case len(arguments) == 0:
			r.setOther(result)
		case kind != strictjson.Object || strictjson.Check(arguments) != nil:
			d.flag("results: number %d has arguments that no call can have", i+1)
		case room < 0: // reported already
		default:
			if input == nil {
				input = inputOf(d)
			}
			filled := input.WithDefaults(arguments)
			if room -= len(filled); room < 0 {
				d.flag("results: those with arguments are not used from number %d on, because with their defaults they are too large", i+1)
				continue
			}
			r.set(filled, result)
		}
	}
	if len(result) > 0 {
		r.setOther(result)
	}
	return r
}

// readCase splits an element of results. A missing part is empty.
func readCase(one []byte) (arguments, result []byte) {
	if arguments = strictjson.Member(one, "arguments"); strictjson.KindOf(arguments) == strictjson.Null {
		arguments = nil
	}
	return arguments, strictjson.Member(one, "result")
}

// inputOf returns the input schema of d, or one without defaults.
func inputOf(d *definition) *schema.Schema {
	if s, err := schema.Parse(d.input); err == nil {
		return s
	}
	s, err := schema.Parse([]byte(`{}`))
	if err != nil {
		panic("catalog: " + err.Error())
	}
	return s
}

func (r *results) set(arguments, result []byte) {
	if r.byArguments == nil {
		r.byArguments = make(map[[sha256.Size]byte]*registry.Result)
	}
	if k := key(arguments); r.byArguments[k] == nil {
		r.byArguments[k] = toolResult(result)
	}
}

func (r *results) setOther(result []byte) {
	if r.other == nil {
		r.other = toolResult(result)
	}
}

// answer is the [registry.Handler] of the tool.
func (r *results) answer(_ context.Context, c *registry.Call) (*registry.Result, error) {
	result := r.other
	if len(r.byArguments) > 0 {
		if is := r.byArguments[key(c.Arguments)]; is != nil {
			result = is
		}
	}
	if result == nil {
		return nil, noContent(c)
	}
	copied := *result // because middleware may change it
	copied.Content = slices.Clip(copied.Content)
	return &copied, nil
}

// noContent returns the error for a definition without content.
func noContent(c *registry.Call) error {
	return &registry.Error{
		Kind: registry.Failed, Namespace: c.Function.Namespace(), Name: c.Function.Name(), NotRun: true,
		Message: "`" + c.Function.Name() + "` is part of a recorded catalog, which has no answer to this call.",
		Hint:    "The same call has none later either; call something else.",
	}
}

// toolResult reads a result: that of a tools/call, or any JSON as text. It is cleaned, because a document may be
// hostile.
func toolResult(data []byte) *registry.Result {
	r := readResult(data)
	blocks.Clean(r.Content)
	r.Structured = clean.ContentJSON(r.Structured)
	return r
}

func readResult(data []byte) *registry.Result {
	r := new(registry.Result)
	content, structured := strictjson.Member(data, "content"), strictjson.Member(data, "structuredContent")
	for _, block := range strictjson.Elements(content) {
		r.Content = append(r.Content, contentBlock(block))
	}
	if strictjson.KindOf(structured) == strictjson.Object {
		r.Structured = strictjson.Compact(structured)
	}
	strictjson.Take(&r.IsError, strictjson.Member(data, "isError"))
	switch {
	case r.Structured == nil && strictjson.KindOf(content) != strictjson.Array:
		return registry.TextResult(jsonText(data))
	case r.Content == nil && r.Structured != nil:
		r.Content = []mcp.Content{&mcp.TextContent{Text: string(r.Structured)}}
	}
	return r
}

// contentBlock reads one block of content. A block of an unknown kind becomes a text with its JSON.
func contentBlock(data []byte) mcp.Content {
	var r mcp.CallToolResult
	if r.UnmarshalJSON(slices.Concat([]byte(`{"content":[`), data, []byte(`]}`))) == nil && len(r.Content) == 1 {
		switch c := r.Content[0].(type) {
		case *mcp.TextContent, *mcp.ImageContent, *mcp.AudioContent, *mcp.ResourceLink:
			return c
		case *mcp.EmbeddedResource:
			if c.Resource != nil {
				return c
			}
		}
	}
	return &mcp.TextContent{Text: jsonText(data)}
}

// jsonText returns a string as its text, and anything else as compact JSON.
func jsonText(data []byte) string {
	if strictjson.KindOf(data) == strictjson.String {
		return strictjson.Text(data)
	}
	return string(strictjson.Compact(data))
}
