package wire

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// Facts are what a tool's definition says beyond MCP, in its _meta, its annotations or beside its name: the version
// (section 1.2 of the gateway surface), tags and the cost of a call (section 2.1).
type Facts struct {
	Version  string   `json:"version,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	CostHint float64  `json:"costHint,omitempty"`
}

// ReadFacts returns the facts in a _meta and in annotations, which have no version. What cannot be used is ignored.
func ReadFacts(meta, annotations json.RawMessage) Facts {
	var f Facts
	for key, value := range strictjson.Members(meta) {
		f.Set(key, value)
	}
	for key, value := range strictjson.Members(annotations) {
		if key != "version" {
			f.Set(key, value)
		}
	}
	return f
}

// JSON returns the facts as an object; nil if there are none.
func (f Facts) JSON() json.RawMessage {
	if f.Version == "" && len(f.Tags) == 0 && f.CostHint == 0 {
		return nil
	}
	return strictjson.MustMarshal(f)
}

// AddTo returns metadata with the facts added. Its own version counts. Without facts it is returned as it is.
func (f Facts) AddTo(meta json.RawMessage) json.RawMessage {
	if f.JSON() == nil {
		return meta
	}
	all := ReadFacts(meta, f.JSON())
	all.Version = cmp.Or(all.Version, f.Version)
	var b strictjson.Builder
	for key, value := range strictjson.Members(meta) {
		if known, _ := new(Facts).Set(key, value); !known {
			b.Add(key, value)
		}
	}
	for key, value := range strictjson.Members(all.JSON()) {
		b.Add(key, value)
	}
	return b.Object()
}

// Set reads one member that is not null. The first version counts, and the tags of all places. known is false for other
// members. ok is false for values of no use.
func (f *Facts) Set(key string, value []byte) (known, ok bool) {
	switch key {
	case "version":
		if f.Version != "" {
			return true, true
		}
		return true, strictjson.Take(&f.Version, value)
	case "tags":
		tags, ok := texts(value)
		f.Tags = append(f.Tags, tags...)
		return true, ok
	case "costHint", "cost_hint":
		cost, err := strconv.ParseFloat(string(strictjson.Trim(value)), 64)
		if ok = strictjson.KindOf(value) == strictjson.Number && err == nil && cost >= 0; ok {
			f.CostHint = cost
		}
		return true, ok
	}
	return false, false
}

// texts returns the texts of an array, and whether it has nothing else.
func texts(value []byte) (list []string, ok bool) {
	ok = strictjson.KindOf(value) == strictjson.Array
	for _, v := range strictjson.Elements(value) {
		var t string
		if ok = ok && strictjson.Take(&t, v); ok {
			list = append(list, t)
		}
	}
	return list, ok
}

// Limits of tags; a tag is in characters.
const (
	maxTags = 20
	maxTag  = 64
)

// Options returns the facts that functions have. Tags that name a safety class are left out: only the hints say whether a
// call is safe.
func (f *Facts) Options() []registry.FuncOption {
	tags := Tags(f.Tags[:min(len(f.Tags), maxTags)])
	return []registry.FuncOption{registry.Tags(tags...), registry.CostHint(f.CostHint)}
}

// Tags returns tags clean, without those that name a safety class.
func Tags(words []string) []string {
	var tags []string
	for _, tag := range words {
		if tag = clean.Line(tag, maxTag); tag != "" && !namesSafety(tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// namesSafety reports whether cards spell a safety class like the tag.
func namesSafety(tag string) bool {
	tag = strings.ReplaceAll(strings.ToLower(tag), "_", "-")
	return tag == "read-only" || tag == "destructive"
}
