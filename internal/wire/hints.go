package wire

import (
	"encoding/json"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// Hints are what a definition says of the effects of a call, unverified, in the members of MCP's annotations. Nil is
// not said.
type Hints struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// ReadHints returns the hints in annotations. What cannot be used is ignored.
func ReadHints(annotations json.RawMessage) Hints {
	var h Hints
	for key, value := range strictjson.Members(annotations) {
		h.Set(key, value)
	}
	return h
}

// HintsOf returns the declared effects of a function.
func HintsOf(f *registry.Function) Hints {
	own := f.Hints()
	h := Hints{Destructive: own.Destructive, Idempotent: own.Idempotent, OpenWorld: own.OpenWorld}
	if own.ReadOnly {
		h.ReadOnly = ReadOnly().ReadOnly
	}
	return h
}

// ReadOnly returns the hints of a read.
func ReadOnly() Hints {
	yes := true
	return Hints{ReadOnly: &yes}
}

// Set reads one member. known is false for other members. ok is false for values of no use.
func (h *Hints) Set(key string, value []byte) (known, ok bool) {
	fields := map[string]**bool{
		"readOnlyHint": &h.ReadOnly, "idempotentHint": &h.Idempotent, "destructiveHint": &h.Destructive, "openWorldHint": &h.OpenWorld,
	}
	field := fields[key]
	if field == nil {
		return false, false
	}
	yes := new(bool)
	if ok = strictjson.Take(yes, value); ok {
		*field = yes
	}
	return true, ok
}

// JSON returns the hints as an object; nil if nothing is said.
func (h Hints) JSON() json.RawMessage {
	if h == (Hints{}) {
		return nil
	}
	return strictjson.MustMarshal(h)
}

// Resolved returns the hints without contradictions. vouched is the operator's word that a call changes nothing, which
// outweighs the hints. Otherwise destructive outweighs read-only, as in section 2.1 of the gateway surface. That a
// read-only call is not idempotent has no meaning.
func (h Hints) Resolved(vouched bool) Hints {
	if says(h.Destructive) {
		h.ReadOnly = nil
	}
	if vouched {
		h.ReadOnly = &vouched
	}
	if !says(h.ReadOnly) {
		h.ReadOnly = nil // the same as not said
		return h
	}
	if says(h.Destructive) {
		h.Destructive = nil
	}
	if !says(h.Idempotent) {
		h.Idempotent = nil
	}
	return h
}

// Options returns the effects of a function with these hints, without contradictions; see [Hints.Resolved].
func (h Hints) Options(vouched bool) []registry.FuncOption {
	var facts []registry.FuncOption
	if h = h.Resolved(vouched); h.ReadOnly != nil {
		facts = append(facts, registry.ReadOnly)
	}
	if h.Destructive != nil {
		facts = append(facts, registry.Destructive(*h.Destructive))
	}
	if h.Idempotent != nil {
		facts = append(facts, registry.Idempotent(*h.Idempotent))
	}
	if h.OpenWorld != nil {
		facts = append(facts, registry.OpenWorld(*h.OpenWorld))
	}
	return facts
}

func says(hint *bool) bool { return hint != nil && *hint }
