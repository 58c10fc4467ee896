package catalog

import (
	"bytes"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// readTool reads a tool of tools/list, and its results.
func readTool(d *definition, limits *Limits) error {
	var result, results []byte
	d.members(func(key string, value []byte) bool {
		switch key {
		case "inputSchema":
			d.input = bytes.Clone(value)
		case "outputSchema":
			d.display.OutputSchema = bytes.Clone(value)
		case "icons":
			d.display.Icons = bytes.Clone(value)
		case "annotations":
			return object(value, d.annotation)
		case "result":
			result = value
		case "results":
			results = value
		default:
			return d.common(key, value)
		}
		return true
	})
	if err := d.named(); err != nil {
		return err
	}
	d.check(limits, "inputSchema", d.input)
	if !d.check(limits, "outputSchema", d.display.OutputSchema) {
		d.display.OutputSchema = nil
	}
	d.display.Title = d.title
	d.shown = d.display.Options(d.flag)
	d.handler = newResults(d, result, results).answer
	return nil
}

// annotation reads an unverified hint on a tool's effects.
func (d *definition) annotation(key string, value []byte) {
	known, ok := d.hints.Set(key, value)
	switch key {
	case "title":
		known, ok = true, d.title != "" || strictjson.Take(&d.title, value)
	case "tags", "costHint", "cost_hint":
		known, ok = d.facts.Set(key, value)
	}
	if known && !ok {
		d.flag("annotations: %s: a value of type %s is of no use", key, strictjson.KindOf(value))
	}
}
