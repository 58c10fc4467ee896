package cash

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// toolArguments are the arguments of one of the three tools. Their names are matched in canonical
// form (R8). null means omitted (X15).
type toolArguments struct {
	namespace, function, skillname string
	kwargs                         json.RawMessage // nil if omitted
	sizelimit                      json.RawMessage
	replay                         string
	dryRun                         bool
	planToken                      string
	direct                         []member // members with a name that the tool does not have
}

// member is a raw member of a JSON object.
type member struct {
	key   string
	value []byte
}

// slot names a field of toolArguments.
type slot int

const (
	slotNone slot = iota
	slotNamespace
	slotFunction
	slotSkillname
	slotKwargs
	slotSizelimit
	slotReplay
	slotDryRun
	slotPlanToken
	numSlots
)

// slots maps the canonical names of a tool's arguments to their fields.
type slots map[string]slot

var (
	callSlots = slots{"namespace": slotNamespace, "function": slotFunction, "kwargs": slotKwargs,
		"sizelimit": slotSizelimit, "replay": slotReplay}
	// planSlots are the arguments of call on a server with plans.
	planSlots = slots{"namespace": slotNamespace, "function": slotFunction, "kwargs": slotKwargs,
		"sizelimit": slotSizelimit, "replay": slotReplay, "dryrun": slotDryRun, "plantoken": slotPlanToken}
	helpSlots  = slots{"namespace": slotNamespace, "function": slotFunction, "kwargs": slotKwargs}
	skillSlots = slots{"namespace": slotNamespace, "skillname": slotSkillname, "name": slotSkillname, "skill": slotSkillname, "kwargs": slotKwargs} // R9
)

// maxKey bounds the keys of tool arguments. A longer key names nothing.
const maxKey = 64

// find returns the slot for a key, which is a JSON string in its quotes.
func (s slots) find(raw []byte) slot {
	if n, ok := s[string(raw[1:len(raw)-1])]; ok {
		return n
	}
	key := strictjson.Text(raw)
	if len(key) > maxKey {
		return slotNone
	}
	c, _ := registry.Canonical(key)
	return s[c]
}

// readToolArguments reads arguments strictly. limit is the most bytes; zero or less is no limit.
func readToolArguments(data json.RawMessage, known slots, limit int) (*toolArguments, error) {
	a := new(toolArguments)
	if len(data) == 0 {
		return a, nil
	}
	if limit > 0 && len(data) > limit {
		return nil, invalid("The arguments have %d bytes; at most %d are taken. Pass less, for example a reference instead of the content.", len(data), limit)
	}
	// kwargs are one level inside the arguments and have the full depth themselves.
	var over *strictjson.Error
	if err := strictjson.CheckDepth(data, strictjson.MaxDepth+1); errors.As(err, &over) && over.Bound {
		return nil, invalid("The arguments are too much JSON to read: %s. Pass less, or flatter.", over.Reason)
	} else if err != nil {
		return nil, invalid("The arguments are not valid JSON: %v.", err)
	}
	switch kind := strictjson.KindOf(data); kind {
	case strictjson.Null:
		return a, nil
	case strictjson.Object:
	default:
		return nil, invalid("The arguments must be a JSON object, not of type %s.", kind)
	}
	var first [numSlots][]byte // key by slot, for an error that names both
	for key, value := range strictjson.RawMembers(data) {
		slot := known.find(key)
		if slot == slotNone {
			a.direct = append(a.direct, member{strictjson.Text(key), value})
			continue
		}
		if first[slot] != nil {
			return nil, invalid("`%s` and `%s` are the same argument. Pass one of them.", strictjson.Text(first[slot]), strictjson.Text(key))
		}
		first[slot] = key
		if strictjson.KindOf(value) == strictjson.Null {
			continue
		}
		if err := a.set(slot, key, value); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *toolArguments) set(slot slot, key, value []byte) error {
	kind := strictjson.KindOf(value)
	switch slot {
	case slotKwargs:
		a.kwargs = value
		return nil
	case slotSizelimit:
		a.sizelimit = value
		return nil
	case slotDryRun:
		if kind != strictjson.Bool {
			return invalid("The argument `%s` must be true or false, not of type %s.", strictjson.Text(key), kind)
		}
		a.dryRun = string(value) == "true"
		return nil
	}
	if kind != strictjson.String {
		return invalid("The argument `%s` must be a string, not of type %s.", strictjson.Text(key), kind)
	}
	text := strictjson.Text(value)
	switch slot {
	case slotNamespace:
		a.namespace = text
	case slotFunction:
		a.function = text
	case slotSkillname:
		a.skillname = text
	case slotReplay:
		a.replay = text
	case slotPlanToken:
		a.planToken = text
	}
	return nil
}

// mergedKwargs returns kwargs together with the members beside them. Some models write arguments
// there, as in the specification's examples (R7). Members inside kwargs win. Kwargs that are not an
// object are dropped if there are members beside them: help always answers (R46).
func (a *toolArguments) mergedKwargs() json.RawMessage {
	if len(a.direct) == 0 {
		return a.kwargs
	}
	given := make(map[string]bool)
	for key := range strictjson.Members(a.kwargs) {
		given[canonicalKey(key)] = true
	}
	var b strictjson.Builder
	for key, value := range strictjson.Members(a.kwargs) {
		b.Add(key, value)
	}
	for _, m := range a.direct {
		if !given[canonicalKey(m.key)] {
			b.Add(m.key, m.value)
		}
	}
	return b.Object()
}

// canonicalKey returns the canonical form of a key, or the key if it has none. A hyphen counts as an underscore, as in the
// names of parameters.
func canonicalKey(key string) string {
	if c, ok := registry.Canonical(withoutHyphens(key)); ok {
		return c
	}
	return key
}

func withoutHyphens(key string) string { return strings.ReplaceAll(key, "-", "_") }

// orNone returns nil for the JSON null, which means an omitted argument (X15).
func orNone(data json.RawMessage) json.RawMessage {
	if string(strictjson.Trim(data)) == "null" {
		return nil
	}
	return data
}

func (a *toolArguments) sizeLimit() (*int, error) { return parseSizeLimit(a.sizelimit) }

// parseSizeLimit reads a size limit (R98): an integer, zero or more, in any spelling, also in a
// string. A value beyond the largest int becomes the largest int.
func parseSizeLimit(value json.RawMessage) (*int, error) {
	text := string(value)
	switch strictjson.KindOf(value) {
	case strictjson.Null:
		return nil, nil
	case strictjson.Number:
		text = strings.TrimSpace(text)
	case strictjson.String:
		text = strings.TrimSpace(strictjson.Text(value))
		if strings.Trim(text, "0123456789") != "" {
			return nil, errSizeLimit
		}
	default:
		return nil, errSizeLimit
	}
	if n, err := strconv.Atoi(text); err == nil {
		if n < 0 {
			return nil, errSizeLimit
		}
		return &n, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case math.IsInf(f, 1):
	case err != nil, f < 0, f != math.Trunc(f):
		return nil, errSizeLimit
	}
	n := math.MaxInt
	if f < math.MaxInt {
		n = int(f)
	}
	return &n, nil
}

var errSizeLimit = invalid("`sizelimit` must be a whole number of characters, zero or more.")

func invalid(format string, args ...any) error {
	return &registry.Error{Kind: registry.InvalidArguments, Message: fmt.Sprintf(format, args...)}
}
