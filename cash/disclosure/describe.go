package disclosure

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// describe is the full description of a function (section 4.4): what a file says,
// or else what is known of it. The schema is always the function's own, because
// calls are held to it; only characters that nobody sees are left out. Guidance that
// is the same for all tools is in the first description of an answer that needs it.
func (t *target) describe(ctx context.Context, f *registry.Function) json.RawMessage {
	d := t.compare(f)
	var o strictjson.Builder
	o.Add("name", asJSON(f.FlatName()))
	o.AddText("title", f.Title())
	if d.text == nil {
		d.text = asJSON(cmp.Or(clean.WithoutHeading(clean.Text(f.Description())), minimal(f)))
	}
	o.Add("description", d.text)
	o.Add("inputSchema", clean.JSON(f.InputSchema()))
	if d.examples == nil {
		d.examples = examples(f)
	}
	o.Add("examples", d.examples)
	if d.usage == nil {
		d.usage = usage(f)
	}
	if u := granted(d.usage, t.grant(ctx, f), !t.granted); u != nil {
		o.Add("usage_guidance", u)
		t.granted = t.session == nil
	}
	switch {
	case d.errors != nil:
	case t.single:
		d.errors = errorGuidance(f)
	case !t.guided:
		d.errors, t.guided = commonGuidance, true
	}
	if d.errors != nil {
		o.Add("error_guidance", d.errors)
	}
	if d.version != nil {
		o.Add("version", d.version)
	}
	if icons := linkedIcons(f); len(icons) > 0 {
		o.Add("icons", asJSON(icons))
	}
	if meta := f.Meta(); meta != nil {
		o.Add("_meta", clean.JSON(meta))
	}
	return o.Object()
}

// linkedIcons returns the icons that are links. A model would pay for the bytes of the others; tools/list has them.
func linkedIcons(f *registry.Function) []mcp.Icon {
	return slices.DeleteFunc(slices.Clone(f.Icons()), func(i mcp.Icon) bool { return strings.HasPrefix(strings.ToLower(i.Source), "data:") })
}

// examples returns calls that the function accepts, nil if none can be made.
func examples(f *registry.Function) json.RawMessage {
	short, long := f.Example(false), f.Example(true)
	var list []byte
	add := func(title string, arguments json.RawMessage) {
		compact := strictjson.Compact(arguments)
		if compact == nil {
			return
		}
		var o strictjson.Builder
		o.AddText("description", title)
		o.Add("input", clean.JSON(compact))
		if list != nil {
			list = append(list, ',')
		}
		list = append(list, o.Object()...)
	}
	add("A usual call", short)
	if !bytes.Equal(short, long) {
		add("With further parameters", long)
	}
	return append(append([]byte{'['}, list...), ']')
}

// usage returns notes to read before a call, or nil.
func usage(f *registry.Function) json.RawMessage {
	var o strictjson.Builder
	o.AddText("returns", clean.Text(f.Returns()))
	switch {
	case f.Destructive():
		o.AddText("effects", "May delete or overwrite.")
	case f.ReadOnly():
		o.AddText("effects", "Changes nothing.")
	case f.Idempotent():
		o.AddText("effects", "The same call twice has the effect of once.")
	}
	if o.Len() == 0 {
		return nil
	}
	return o.Object()
}

// grantHint is for models that have not fetched anything yet.
const grantHint = "If usage_guidance has a " + grantArgument + ", pass it in each call."

const grantUse = "Pass each tool's _grant as one more argument in each call of that tool. If it is refused with " +
	string(ToolDescriptionRequired) + ", it has expired: fetch the description again."

// granted adds a grant to the usage notes, which may be any JSON. explain adds how to use it.
func granted(usage json.RawMessage, grant string, explain bool) json.RawMessage {
	if grant == "" {
		return usage
	}
	var o strictjson.Builder
	if strictjson.KindOf(usage) == strictjson.Object {
		for key, value := range strictjson.Members(usage) {
			o.Add(key, value)
		}
	} else if usage != nil {
		o.Add("notes", usage)
	}
	o.AddText(grantArgument, grant)
	if explain {
		o.AddText(grantArgument+"_use", grantUse)
	}
	return o.Object()
}

const (
	notRun    = "Nothing was run. Correct the arguments by the schema and call again."
	repeat    = "Call again, or ask for less."
	lookFirst = "It may have run. Look before you call again."
)

// errorGuidance explains the error codes that tell whether to repeat a call.
func errorGuidance(f *registry.Function) json.RawMessage {
	var o strictjson.Builder
	o.AddText(string(registry.InvalidArguments), notRun)
	if f.ReadOnly() {
		o.AddText(string(registry.TimedOut), repeat)
	} else if !f.Idempotent() {
		o.AddText(string(registry.TimedOut), lookFirst)
	}
	return o.Object()
}

// commonGuidance is errorGuidance for several tools.
var commonGuidance = func() json.RawMessage {
	var o strictjson.Builder
	o.AddText("for", "all tools")
	o.AddText(string(registry.InvalidArguments), notRun)
	o.AddText(string(registry.TimedOut), lookFirst+" Of a tool that changes nothing: "+repeat)
	return o.Object()
}()
