package registry

import (
	"encoding/json"
	"errors"

	"github.com/cash-mcp/go-sdk/internal/search"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// SearchTexts returns what r's index was made of, by the paths of functions.
func SearchTexts(r *Registry) map[string]*search.Text {
	texts := make(map[string]*search.Text)
	_, f := r.searchable()
	c := &f.catalog
	for i, f := range c.functions {
		texts[f.Path()] = c.texts[i]
	}
	return texts
}

// RepairArguments does to arguments what a pipeline with Repair does, and
// returns an error if they are no object.
func RepairArguments(schema, args []byte) (json.RawMessage, []Repair, error) {
	object, repairs := repairObject(args)
	if strictjson.KindOf(object) != strictjson.Object {
		return nil, nil, errors.New("no object")
	}
	object, more := repairValues(schema, object)
	return object, append(repairs, more...), nil
}
