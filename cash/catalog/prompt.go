package catalog

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/blocks"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// maxPrompt bounds a prompt with its arguments filled in, in bytes.
const maxPrompt = 16 << 20

// readPrompt reads a prompt of prompts/list, and its messages.
func readPrompt(d *definition, limits *Limits) error {
	var arguments, messages []byte
	d.members(func(key string, value []byte) bool {
		switch key {
		case "arguments":
			arguments = value
		case "messages":
			messages = value
		default:
			return d.common(key, value)
		}
		return true
	})
	if err := d.named(); err != nil {
		return err
	}
	if err := d.readArguments(arguments); err != nil {
		return err
	}
	d.check(limits, "the schema of the arguments", d.input)
	d.hints = wire.ReadOnly()
	p, known := new(prompt), make(map[string]bool, len(d.arguments))
	for _, a := range d.arguments {
		known[a] = true
	}
	if len(messages) > 0 && strictjson.KindOf(messages) != strictjson.Array {
		d.flag("messages: want an array, got type %s", strictjson.KindOf(messages))
	}
	for i, m := range strictjson.Elements(messages) {
		if !p.add(m, known) {
			d.flag("messages: number %d has no content", i+1)
		}
	}
	d.handler = p.get
	return nil
}

// readArguments builds the schema of the arguments, which are all strings.
func (d *definition) readArguments(list []byte) error {
	if len(list) > 0 && strictjson.KindOf(list) != strictjson.Array {
		d.flag("arguments: want an array, got type %s", strictjson.KindOf(list))
	}
	var properties []schema.Property
	seen := make(map[string]bool)
	for i, one := range strictjson.Elements(list) {
		name, about := strictjson.Text(strictjson.Member(one, "name")), strictjson.Text(strictjson.Member(one, "description"))
		must := false
		strictjson.Take(&must, strictjson.Member(one, "required"))
		switch {
		case name == "":
			d.flag("arguments: number %d has no name", i+1)
			continue
		case seen[name]:
			return fmt.Errorf("arguments: %q is there more than once", clean.Line(name, maxFindingName))
		}
		seen[name] = true
		d.arguments = append(d.arguments, name)
		properties = append(properties, schema.Property{Name: name, Type: "string", Description: clean.Text(about), Required: must})
	}
	d.input = schema.Object(properties, true)
	return nil
}

// A prompt is the handler of a prompt's function: it returns the messages.
type prompt struct{ messages []message }

// A message is a text with placeholders, or other content after its role.
type message struct {
	parts []part
	block mcp.Content // nil if it is only text
}

// A part is a literal text, or the name of an argument to insert.
type part struct {
	text     string
	argument bool
}

// add reads a message. Its text may have placeholders for the arguments.
func (p *prompt) add(raw []byte, arguments map[string]bool) bool {
	role, content := "user", strictjson.Member(raw, "content")
	if strictjson.KindOf(content) == strictjson.Null {
		return false
	}
	strictjson.Take(&role, strictjson.Member(raw, "role"))
	m := message{parts: []part{{text: clean.Line(role, maxFindingName) + ": "}}}
	said := ""
	if !strictjson.Take(&said, content) {
		block := contentBlock(content)
		if t, ok := block.(*mcp.TextContent); ok {
			said = t.Text
		} else {
			blocks.Clean([]mcp.Content{block})
			m.block = block
		}
	}
	m.parts = append(m.parts, split(clean.Content(said), arguments)...)
	p.messages = append(p.messages, m)
	return true
}

// split splits a text at its placeholders.
func split(text string, arguments map[string]bool) []part {
	var parts []part
	for from := 0; ; {
		end := strings.Index(text[from:], "}}")
		if end < 0 {
			return append(parts, part{text: text})
		}
		end += from
		open := strings.LastIndex(text[from:end], "{{")
		if open < 0 || !arguments[text[from+open+2:end]] {
			from = end + 2
			continue
		}
		open += from
		parts = append(parts, part{text: text[:open]}, part{text[open+2 : end], true})
		text, from = text[end+2:], 0
	}
}

// get is the [registry.Handler] of the prompt.
func (p *prompt) get(_ context.Context, c *registry.Call) (*registry.Result, error) {
	if len(p.messages) == 0 {
		return nil, noContent(c)
	}
	values := make(map[string]string)
	for name, value := range strictjson.Members(c.Arguments) {
		values[name] = jsonText(value)
	}
	r := new(registry.Result)
	room := maxPrompt
	for _, m := range p.messages {
		said, ok := m.with(values, &room)
		if !ok {
			return nil, &registry.Error{
				Kind: registry.InvalidArguments, Namespace: c.Function.Namespace(), Name: c.Function.Name(),
				Message: fmt.Sprintf("With these arguments the prompt has more than %d bytes.", maxPrompt), NotRun: true,
			}
		}
		r.Content = append(r.Content, &mcp.TextContent{Text: said})
		if m.block != nil {
			r.Content = append(r.Content, m.block)
		}
	}
	return r, nil
}

// with returns the text with the arguments filled in, within room bytes.
func (m *message) with(values map[string]string, room *int) (string, bool) {
	var b strings.Builder
	for _, p := range m.parts {
		text := p.text
		if p.argument {
			text = values[text]
		}
		if *room -= len(text); *room < 0 {
			return "", false
		}
		b.WriteString(text)
	}
	if m.block != nil {
		return strings.TrimSuffix(b.String(), " "), true
	}
	return b.String(), true
}
