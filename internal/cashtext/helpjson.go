package cashtext

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// helpJSON reads a page of help in JSON.
func helpJSON(text string) (*Page, error) {
	object, err := readObject(text)
	if err != nil {
		return nil, err
	}
	below := object["namespaces"]
	if below == nil {
		below = object["subnamespaces"]
	}
	if below == nil && object["functions"] == nil {
		return nil, errors.New("the JSON has neither namespaces nor functions")
	}
	p := &Page{Arguments: clean.Text(string(object["arguments"]))}
	if ns := strictjson.Text(object["namespace"]); ns != "" {
		if _, ok := canonicalPath(ns); ok {
			p.Namespace = ns
		}
	}
	p.SizeLimit = wholeNumber(object["sizelimit"])
	return p, p.take(jsonItems(below), jsonItems(object["functions"]))
}

// readObject returns the members of a JSON object by canonical key.
func readObject(text string) (map[string][]byte, error) {
	data := []byte(text)
	if err := strictjson.Check(data); err != nil {
		return nil, err
	}
	if strictjson.KindOf(data) != strictjson.Object {
		return nil, errors.New("the text is no JSON object")
	}
	return members(data), nil
}

// jsonItems reads a list of names or of objects with names, or an object with
// names for keys.
func jsonItems(value []byte) []item {
	var list []item
	for _, v := range strictjson.Elements(value) {
		e := jsonItem(v)
		if e.name == "" {
			e.name = strictjson.Text(members(v)["name"])
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

// jsonItem reads an entry other than its name, or the name that it consists of.
func jsonItem(value []byte) item {
	e := item{name: strictjson.Text(value)}
	m := members(value)
	e.add(strictjson.Text(m["description"]))
	e.unavailable = string(m["available"]) == "false"
	return e
}

// wholeNumber reads a number of characters; 0 is anything else.
func wholeNumber(value []byte) int {
	n, err := strconv.ParseFloat(strings.TrimSpace(string(value)), 64)
	if err != nil || n < 0 || n > math.MaxInt32 || n != math.Trunc(n) {
		return 0
	}
	return int(n)
}
