package wire

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// Display has what a tool's definition shows to users and programs, as its server sent it. Empty is none.
type Display struct {
	Title                     string
	Icons, OutputSchema, Meta json.RawMessage
}

// Options returns the options of a function that shows the same. Texts are cleaned ([clean.ContentJSON]);
// schemas stay as they are. What is of no use is left out, and noted.
func (d Display) Options(note func(format string, args ...any)) []registry.FuncOption {
	var facts []registry.FuncOption
	if title := clean.Line(d.Title, registry.MaxTitle); title != "" && title == clean.Line(title, registry.MaxTitle) {
		facts = append(facts, registry.Title(title))
	}
	if icons := d.icons(note); icons != nil {
		facts = append(facts, registry.Icons(icons...))
	}
	if meta := d.meta(note); meta != nil {
		facts = append(facts, registry.Meta(meta))
	}
	if isNone(d.OutputSchema) {
		return facts
	}
	s, err := outputSchema(d.OutputSchema)
	if err != nil {
		note("the output schema is not used: %v", err)
		return facts
	}
	return append(facts, registry.OutputSchema(s))
}

// isNone reports whether a member is missing or null.
func isNone(value json.RawMessage) bool {
	return len(value) == 0 || strictjson.KindOf(value) == strictjson.Null
}

func outputSchema(text json.RawMessage) (*schema.Schema, error) {
	if kind := strictjson.KindOf(text); kind != strictjson.Object {
		return nil, fmt.Errorf("want an object, got type %s", kind)
	}
	return schema.Parse(text)
}

// icons returns the first icons of use.
func (d Display) icons(note func(format string, args ...any)) (list []mcp.Icon) {
	if isNone(d.Icons) {
		return nil
	}
	if kind := strictjson.KindOf(d.Icons); kind != strictjson.Array {
		note("the icons are not used: want an array, got type %s", kind)
		return nil
	}
	for i, raw := range strictjson.Elements(d.Icons) {
		if len(list) == registry.MaxIcons {
			note("icons are not used from number %d on", i+1)
			break
		}
		icon := readIcon(raw)
		if err := registry.CheckIcon(&icon); err != nil {
			note("icon number %d is not used: %v", i+1, err)
			continue
		}
		list = append(list, icon)
	}
	return list
}

// readIcon reads the members of an icon. Sizes were one text in an earlier draft.
func readIcon(raw []byte) (icon mcp.Icon) {
	for key, value := range strictjson.Members(raw) {
		switch key {
		case "src":
			strictjson.Take(&icon.Source, value)
		case "mimeType":
			strictjson.Take(&icon.MIMEType, value)
		case "theme":
			icon.Theme = mcp.IconTheme(strictjson.Text(value))
		case "sizes":
			icon.Sizes, _ = texts(value)
			if one := strictjson.Text(value); one != "" {
				icon.Sizes = strings.Fields(one)
			}
		}
	}
	return icon
}

// meta returns the metadata without the members that only a server and its direct client understand, and
// those of this module; nil if there is none.
func (d Display) meta(note func(format string, args ...any)) json.RawMessage {
	if isNone(d.Meta) {
		return nil
	}
	var b strictjson.Builder
	for key, value := range strictjson.Members(clean.ContentJSON(d.Meta)) {
		if !strings.HasPrefix(key, reserved) && !strings.HasPrefix(key, ownMeta) {
			b.Add(key, strictjson.Compact(value))
		}
	}
	switch {
	case b.Len() == 0:
		return nil
	case b.Len() >= registry.MaxMeta:
		note("the metadata is not used: it has %d bytes; at most %d are taken", b.Len(), registry.MaxMeta)
		return nil
	}
	meta := b.Object()
	if err := strictjson.Check(meta); err != nil { // too deep, or keys that are the same once cleaned
		note("the metadata is not used: %v", err)
		return nil
	}
	return meta
}
