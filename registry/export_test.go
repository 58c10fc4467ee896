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

// Locked calls read while r is changed by somebody else, as far as locks go.
func Locked(r *Registry, read func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.indexMu.Lock()
	defer r.indexMu.Unlock()
	read()
}

// Snapshots returns the snapshot that searches keep, and the one that is read.
func Snapshots(r *Registry) (kept, read any) { return r.indexed.Load(), r.snap.Load() }

// KeepsIndex reports whether the index of ids keeps an index of searches.
func KeepsIndex(r *Registry) bool { return r.identified.Load().finder.Load() != nil }

// IDParts returns the number of parts of the index of ids.
func IDParts(r *Registry) int { return len(r.idsOf(r.snapshot()).parts) }

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
