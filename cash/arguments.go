package cash

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// toolArguments are the arguments of any of the three tools. Their names are
// matched in canonical form like all others (R8), null means omitted (X15).
type toolArguments struct {
	namespace, function, skillname string
	kwargs                         json.RawMessage // nil if omitted
	sizelimit                      json.RawMessage
	replay                         string
	direct                         []member // members that the tools do not name
}

type member struct {
	key   string
	value []byte
}

func readToolArguments(data json.RawMessage) (*toolArguments, error) {
	a := new(toolArguments)
	if len(data) == 0 {
		return a, nil
	}
	// One level more than for kwargs, which are inside.
	if err := strictjson.CheckDepth(data, strictjson.MaxDepth+1); err != nil {
		return nil, invalid("The arguments are not valid JSON: %v.", err)
	}
	switch kind := strictjson.KindOf(data); kind {
	case strictjson.Null:
		return a, nil
	case strictjson.Object:
	default:
		return nil, invalid("The arguments must be a JSON object, not of type %s.", kind)
	}
	var first [numSlots]string // spelling by slot, to name both of a pair
	for raw, value := range strictjson.RawMembers(data) {
		slot, key := slotOf(raw)
		if slot == slotNone {
			a.direct = append(a.direct, member{key, value})
			continue
		}
		if first[slot] != "" {
			return nil, invalid("The arguments `%s` and `%s` are the same: case and underscores carry no meaning. Pass one of them.", first[slot], key)
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

type slot int

const (
	slotNone slot = iota
	slotNamespace
	slotFunction
	slotSkillname
	slotKwargs
	slotSizelimit
	slotReplay
	numSlots
)

var slots = map[string]slot{
	"namespace": slotNamespace,
	"function":  slotFunction,
	"skillname": slotSkillname,
	"name":      slotSkillname, // R9
	"kwargs":    slotKwargs,
	"sizelimit": slotSizelimit,
	"replay":    slotReplay,
}

// spellings are the names as models mostly write them, so that reading one
// costs nothing.
var spellings = map[slot]string{
	slotNamespace: "namespace", slotFunction: "function", slotSkillname: "skillname",
	slotKwargs: "kwargs", slotSizelimit: "sizelimit", slotReplay: "replay",
}

// maxKey bounds the keys of tool arguments, which errors show.
const maxKey = 64

// slotOf returns which argument a key in quotes names, and the key.
func slotOf(raw []byte) (slot, string) {
	if s, ok := slots[string(raw[1:len(raw)-1])]; ok && len(raw)-2 == len(spellings[s]) {
		return s, spellings[s]
	}
	key := strictjson.Text(raw)
	if len(key) > maxKey {
		return slotNone, key
	}
	c, _ := registry.Canonical(key)
	return slots[c], key
}

func (a *toolArguments) set(slot slot, key string, value []byte) error {
	kind := strictjson.KindOf(value)
	switch slot {
	case slotKwargs:
		a.kwargs = value
		return nil
	case slotSizelimit:
		a.sizelimit = value
		return nil
	}
	if kind != strictjson.String {
		return invalid("The argument `%s` must be a string, not of type %s.", key, kind)
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
	}
	return nil
}

// mergedKwargs returns kwargs with the members given beside them, which some
// models do because the specification's examples read like it (R7). Those in
// kwargs win. Anything that is not an object is dropped: help answers all the
// same (R46).
func (a *toolArguments) mergedKwargs() json.RawMessage {
	if len(a.direct) == 0 {
		return a.kwargs
	}
	merged := make(map[string]json.RawMessage, len(a.direct))
	for _, m := range a.direct {
		merged[m.key] = m.value
	}
	for key, value := range strictjson.Members(a.kwargs) {
		for other := range merged {
			if sameName(other, key) {
				delete(merged, other)
			}
		}
		merged[key] = value
	}
	data, err := json.Marshal(merged)
	if err != nil {
		return a.kwargs
	}
	return data
}

func sameName(a, b string) bool {
	ca, ok := registry.Canonical(a)
	cb, _ := registry.Canonical(b)
	return a == b || ok && ca == cb
}

func (a *toolArguments) sizeLimit() (*int, error) { return parseSizeLimit(a.sizelimit) }

// parseSizeLimit reads a size limit (R98): an integer that is not negative,
// however spelt, also in a string. What does not fit an int is cut to the
// largest one.
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
