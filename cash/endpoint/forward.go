package endpoint

import (
	"cmp"
	"encoding/json"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// Limits of a descriptor that is passed on.
const (
	maxCommand = 2000     // characters
	maxOther   = 16 << 10 // bytes of the members that the protocol does not name
)

// cleaned returns a descriptor without characters that steer or deceive a reader, with bounded texts. Everything else
// keeps its spelling. It reports whether the other members were dropped: they are too large, or not strict JSON once
// they are clean.
func (d *Descriptor) cleaned() (out *Descriptor, dropped bool) {
	c := *d
	c.Description = clean.Cut(clean.Content(d.Description), maxDescription)
	c.Command = clean.Cut(clean.Content(d.Command), maxCommand)
	c.Safety = clean.Cut(clean.Content(d.Safety), maxDescription)
	for _, schema := range []*json.RawMessage{&c.InputSchema, &c.ResultSchema} {
		if *schema = clean.ContentJSON(*schema); !isObject(*schema) { // two keys may now be the same
			*schema = nil
		}
	}
	if d.Other == nil {
		return &c, false
	}
	c.Other = clean.ContentJSON(d.Other)
	if len(c.Other) > maxOther || !isObject(strictjson.MustMarshal(c)) {
		c.Other = nil
	}
	return &c, c.Other == nil
}

// forwarded returns the descriptor that the function's own endpoint gave, with the name and origin that it has here.
// own is the descriptor made from the function's facts; it fills in what is missing.
func forwarded(f *registry.Function, own Descriptor) Descriptor {
	if !isObject(f.Native()) {
		return own
	}
	d, err := readDescriptor(f.Native())
	if err != nil {
		return own
	}
	if f.Description() != about(d) { // a wrapper describes it in other words
		d.Description = ""
	}
	d.Name, d.Origin = own.Name, own.Origin
	d.Description = cmp.Or(d.Description, own.Description)
	d.Command = cmp.Or(d.Command, own.Command)
	d.Safety = cmp.Or(d.Safety, own.Safety)
	if d.InputSchema == nil {
		d.InputSchema = own.InputSchema
	}
	if d.ResultSchema == nil {
		d.ResultSchema = own.ResultSchema
	}
	return *d
}

// MarshalJSON writes the seven members, followed by the others.
func (d Descriptor) MarshalJSON() ([]byte, error) {
	type seven Descriptor
	data, err := strictjson.Marshal(seven(d))
	if err != nil || strictjson.KindOf(d.Other) != strictjson.Object {
		return data, err
	}
	others := strictjson.Compact(d.Other)
	if len(others) <= len("{}") {
		return data, nil
	}
	return append(append(data[:len(data)-1], ','), others[1:]...), nil
}
