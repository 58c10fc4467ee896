package upstream

import (
	"encoding/json"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/toolid"
)

var Fingerprint = fingerprint

// ReadPrimitives reads a list of resources or prompts, and makes functions of
// them at label: it returns their schemas by their ids, what was left out, and
// whether it was a list.
func ReadPrimitives(kind toolid.Kind, label string, list json.RawMessage) (schemas map[toolid.Primitive]json.RawMessage, dropped []string, ok bool) {
	read, dropped, err := wire.ParsePrimitives(kind, list)
	if err != nil {
		return nil, nil, false
	}
	names := wire.PrimitiveNames(kind, read, nil)
	ids := wire.PrimitiveIDs(kind, label, read, names)
	schemas = make(map[toolid.Primitive]json.RawMessage)
	notes, b := new(primitives), &branch{inventory: &inventory{calls: &calls{settings: new(settings)}}, kind: kind}
	for _, d := range read {
		f := b.function(notes, d, names[d.Key], ids[d.Key])
		schemas[f.Primitive()] = f.InputSchema()
	}
	return schemas, dropped, true
}

// Catalog returns what lets the definitions be what the server at label has, as
// if it had been asked. It may be called any number of times.
func Catalog(a *Aggregator, label string, defs ...*pin.Definition) (adopt func(), err error) {
	u, err := a.find(label)
	if err != nil {
		return nil, err
	}
	in, c := u.inventory, &catalog{kind: Plain}
	in.name(c, defs)
	if err := in.plant(c, in.functions(c, defs)); err != nil {
		return nil, err
	}
	return func() { in.adopt(c) }, nil
}

// Limits that tests would take their time to meet.
const (
	MaxUnanswered = 50_000
	MaxListBytes  = 16 << 20
)

func init() { maxUnanswered, maxBytes = MaxUnanswered, MaxListBytes }
