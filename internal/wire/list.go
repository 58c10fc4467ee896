// Package wire parses data from servers: lists of tools, resources and prompts, and results. It parses part by
// part, so that one odd part does not spoil the others.
//
//	list, dropped, err := wire.List("tool", array, parse) // dropped names the entries that were left out
//	answer := wire.NewAnswer(res, raw)                     // numbers and order of keys as sent
//
// Listed things get names ([FunctionPaths], [PrimitiveNames]) and ids ([PrimitiveIDs]) that do not depend on the order
// of the list. [ReadFacts] reads what tools tell beyond MCP. [RemoteFunc] makes functions of odd schemas too.
//
// # Limits
//
// A list has at most 10,000 entries of 256 KiB each. An entry must be strict JSON. A list need only be JSON, so
// that one bad entry does not spoil the others.
package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// Limits of a server's lists.
const (
	MaxEntries   = 10_000
	MaxEntrySize = 256 << 10 // bytes of JSON
)

// Named is a listed thing with a name.
type Named interface{ ListedName() string }

// List parses an array in a result. It leaves out unreadable entries and those over the limits; dropped has a clean
// line for each, with the reason. parse may return a partial value with an error. It is an error if the list is not
// an array.
func List[T Named](what string, array json.RawMessage, parse func(raw []byte) (T, error)) (list []T, dropped []string, err error) {
	if !strictjson.Valid(array) || strictjson.KindOf(array) != strictjson.Array {
		return nil, nil, fmt.Errorf("the list of %ss is not a JSON array", what)
	}
	more := false
	for i, raw := range strictjson.Elements(array) {
		if more = i >= MaxEntries; more {
			break
		}
		if d, err := parse(raw); err == nil {
			list = append(list, d)
		} else {
			dropped = append(dropped, clean.Line(fmt.Sprintf("%s: %v", Place(what, i, d), err), 300))
		}
	}
	if more {
		most := mcpclient.Count(MaxEntries)
		dropped = slices.Insert(dropped, 0, fmt.Sprintf("it lists more than %s %ss: those beyond the first %[1]s are not served; have it list fewer", most, what))
	}
	return list, dropped, nil
}

// Place names a listed thing by its position, counted from 1, and its name if that is readable.
func Place(what string, i int, d Named) string {
	if name := clean.Line(d.ListedName(), 64); name != "" {
		return fmt.Sprintf("%s %d, %q", what, i+1, name)
	}
	return fmt.Sprintf("%s %d", what, i+1)
}

// IsCore reports whether a tool is call, help or skill, the tools of a CaSH server.
func IsCore(tool string) bool { return tool == "call" || tool == "help" || tool == "skill" }

// Entry parses an entry of a list: it calls set for each member. The error is the first one.
func Entry(raw []byte, set func(key string, value []byte) error) error {
	if err := strictjson.Check(raw); err != nil {
		return err
	}
	var first error
	err := strictjson.EachMember(raw, func(key string, value []byte) error {
		first = cmp.Or(first, set(key, value))
		return nil
	})
	if err = cmp.Or(err, first); err == nil && len(raw) > MaxEntrySize {
		return fmt.Errorf("%d bytes of definition, at most %d are read", len(raw), MaxEntrySize)
	}
	return err
}
