package cashtext

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// helpJSON reads a page of help in JSON.
func helpJSON(text string) (*Page, error) {
	object, err := readObject(text, "namespaces")
	if err != nil {
		return nil, err
	}
	if !hasLists(object) {
		for _, key := range slices.Sorted(maps.Keys(object)) { // the page may be wrapped in one member
			if m := members(object[key]); hasLists(m) {
				object = m
				break
			}
		}
	}
	if !hasLists(object) {
		return nil, errors.New("the JSON has neither namespaces nor functions")
	}
	below := object["namespaces"]
	if below == nil {
		below = object["subnamespaces"]
	}
	p := &Page{Guessed: isArray(text), Arguments: clean.Text(string(object["arguments"]))}
	if ns := strictjson.Text(object["namespace"]); ns != "" {
		if _, ok := registry.CanonicalPath(ns); ok {
			p.Namespace = ns
		}
	}
	p.SizeLimit, p.Next = wholeNumber(object["sizelimit"]), wholeNumber(object["next"])
	return p, p.take(jsonItems(below), jsonItems(object["functions"]))
}

func hasLists(page map[string][]byte) bool {
	return page["namespaces"] != nil || page["subnamespaces"] != nil || page["functions"] != nil
}

// isJSON reports whether a page is written in JSON.
func isJSON(text string) bool {
	text = Unfenced(text)
	return strings.HasPrefix(text, "{") || isArray(text)
}

// isArray reports whether a page is only a JSON list.
func isArray(text string) bool {
	text = Unfenced(text)
	return strings.HasPrefix(text, "[") && strictjson.Check([]byte(text)) == nil
}

// Unfenced returns the content of a page that is one code block, as some servers wrap JSON. Any other page is
// returned without surrounding white space.
func Unfenced(text string) string {
	text = strings.TrimSpace(text)
	inner, opened := strings.CutPrefix(text, "```")
	inner, closed := strings.CutSuffix(inner, "```")
	language, code, lines := strings.Cut(inner, "\n")
	if language = strings.TrimSpace(language); !opened || !closed || !lines || language != "" && language != "json" {
		return text
	}
	return strings.TrimSpace(code)
}

// readObject returns the members of a JSON object by canonical key. A bare array counts as the member named list.
func readObject(text, list string) (map[string][]byte, error) {
	data := []byte(Unfenced(text))
	if err := strictjson.CheckDepth(data, maxLevels); err != nil {
		return nil, err
	}
	switch strictjson.KindOf(data) {
	case strictjson.Object:
		return members(data), nil
	case strictjson.Array:
		if list != "" {
			return map[string][]byte{list: data}, nil
		}
	}
	return nil, errors.New("the text is no JSON object")
}

// jsonItems reads a list of names, a list of objects with names, or an object keyed by names.
func jsonItems(value []byte) []item {
	var list []item
	for _, v := range strictjson.Elements(value) {
		e := jsonItem(v)
		m := members(v)
		for _, key := range []string{"name", "namespace", "function", "skillname", "skill", "label"} {
			if e.name == "" {
				e.name = strictjson.Text(m[key])
			}
		}
		list = append(list, e)
	}
	for key, v := range strictjson.Members(value) {
		e := jsonItem(v)
		if strictjson.KindOf(v) == strictjson.String {
			e.lines = []string{e.name}
		}
		e.name = key
		list = append(list, e)
	}
	return list
}

// jsonItem reads the members of an entry other than its name, or a bare name.
func jsonItem(value []byte) item {
	e := item{name: strictjson.Text(value), fromJSON: true}
	m := members(value)
	e.add(strictjson.Text(m["description"]))
	e.unavailable = string(m["available"]) == "false"
	return e
}

// wholeNumber reads a number of characters; 0 for anything else.
func wholeNumber(value []byte) int {
	var n int
	if !strictjson.Take(&n, value) || n < 0 || n > math.MaxInt32 {
		return 0
	}
	return n
}
