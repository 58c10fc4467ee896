package disclosure

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// object is a JSON object under construction, with members in order.
type object struct{ buf []byte }

func (o *object) add(name string, value json.RawMessage) {
	if o.buf == nil {
		o.buf = []byte{'{'}
	} else {
		o.buf = append(o.buf, ',')
	}
	o.buf = append(append(append(o.buf, asJSON(name)...), ':'), value...)
}

// addText adds a member unless the text is empty.
func (o *object) addText(name, text string) {
	if text != "" {
		o.add(name, asJSON(text))
	}
}

func (o *object) json() json.RawMessage {
	if o.buf == nil {
		return json.RawMessage("{}")
	}
	return append(o.buf, '}')
}

// describe returns the full description of a function (section 4.4): from its file, or else from the function. The
// schema is always the function's own, because calls are validated against it, without invisible characters. grant is
// the caller's grant, if one is needed.
func (s *Server) describe(f *registry.Function, grant string) json.RawMessage {
	var d description
	if s.opts.Descriptions != nil {
		d = s.opts.Descriptions.of(f.FlatName())
	}
	var o object
	o.add("name", asJSON(f.FlatName()))
	if d.text == nil {
		d.text = asJSON(cmp.Or(strings.TrimSpace(clean.Text(f.Description())), minimal(f)))
	}
	o.add("description", d.text)
	o.add("inputSchema", clean.JSON(f.InputSchema()))
	if d.examples == nil {
		d.examples = examples(f)
	}
	o.add("examples", d.examples)
	if d.usage == nil {
		d.usage = usage(f)
	}
	if u := granted(d.usage, grant); u != nil {
		o.add("usage_guidance", u)
	}
	if d.errors == nil {
		d.errors = errorGuidance(f)
	}
	o.add("error_guidance", d.errors)
	if d.version != nil {
		o.add("version", d.version)
	}
	return o.json()
}

// examples returns calls that the function accepts, nil if none can be made.
func examples(f *registry.Function) json.RawMessage {
	short, long := f.Example(false), f.Example(true)
	var list []byte
	add := func(title string, arguments json.RawMessage) {
		var compact bytes.Buffer
		if arguments == nil || json.Compact(&compact, arguments) != nil {
			return
		}
		var o object
		o.addText("description", title)
		o.add("input", clean.JSON(compact.Bytes()))
		if list != nil {
			list = append(list, ',')
		}
		list = append(list, o.json()...)
	}
	add("A usual call", short)
	if !bytes.Equal(short, long) {
		add("With further parameters", long)
	}
	return append(append([]byte{'['}, list...), ']')
}

// usage returns notes to read before a call, or nil.
func usage(f *registry.Function) json.RawMessage {
	var o object
	o.addText("returns", clean.Text(f.Returns()))
	switch {
	case f.Destructive():
		o.addText("effects", "May delete or overwrite.")
	case f.ReadOnly():
		o.addText("effects", "Changes nothing.")
	case f.Idempotent():
		o.addText("effects", "The same call twice has the effect of once.")
	}
	if o.buf == nil {
		return nil
	}
	return o.json()
}

// grantHint is for models that have not fetched anything yet.
const grantHint = "If usage_guidance has a " + grantArgument + ", pass it in each call."

const grantUse = "Pass _grant with this value as one more argument in each call of this tool. If it is refused with " +
	string(ToolDescriptionRequired) + ", it has expired: fetch this again."

// granted adds a grant to the usage notes, which may be any JSON.
func granted(usage json.RawMessage, grant string) json.RawMessage {
	if grant == "" {
		return usage
	}
	var o object
	if strictjson.KindOf(usage) == strictjson.Object {
		for key, value := range strictjson.Members(usage) {
			o.add(key, value)
		}
	} else if usage != nil {
		o.add("notes", usage)
	}
	o.addText(grantArgument, grant)
	o.addText(grantArgument+"_use", grantUse)
	return o.json()
}

// errorGuidance explains the error codes that tell whether to repeat a call.
func errorGuidance(f *registry.Function) json.RawMessage {
	var o object
	o.addText(string(registry.InvalidArguments), "Nothing was run. Correct the arguments by the schema and call again.")
	if f.ReadOnly() {
		o.addText(string(registry.TimedOut), "Call again, or ask for less.")
	} else if !f.Idempotent() {
		o.addText(string(registry.TimedOut), "It may have run. Look before you call again.")
	}
	return o.json()
}
