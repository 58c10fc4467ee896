package check

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxFetched bounds the tools whose descriptions are read at a time.
const maxFetched = 50

// names are those of the first tools of the list.
func (p *probe) names() []string {
	var list []string
	for _, t := range p.tools[:min(len(p.tools), maxFetched)] {
		list = append(list, t.Name)
	}
	return list
}

// minimalDescriptions is P1 and P3.
func minimalDescriptions(p *probe) {
	p.must(len(p.tools) > 0, "tools/list is empty")
	open := map[string]any{"type": "object", "additionalProperties": true}
	for _, t := range p.tools {
		p.must(strings.TrimSpace(t.Description) != "", "%s has no description", t.Name)
		p.should(utf8.RuneCountInString(t.Description) <= 300, "%s: the description has %d characters", t.Name, utf8.RuneCountInString(t.Description))
		var schema map[string]any
		if !p.must(json.Unmarshal([]byte(toJSON(t.InputSchema)), &schema) == nil && schema["type"] == "object", "%s: the schema is not of an object", t.Name) {
			continue
		}
		properties, _ := schema["properties"].(map[string]any)
		p.must(len(properties) == 0, "%s: the schema in tools/list has parameters", t.Name)
		p.should(reflect.DeepEqual(schema, open), "%s: the schema is not the simplified form", t.Name)
		p.should(t.OutputSchema == nil, "%s has an output schema", t.Name)
	}
	for _, c := range []*ToolCall{p.d.Call, p.d.Other, p.d.Denied} {
		p.must(c == nil || p.toolNamed(c.Tool) != nil, "tools/list does not have all tools that can be called")
	}
}

// descriptionsListed is P4 and P28.
func descriptionsListed(p *probe) {
	caps := p.conn.Session.InitializeResult().Capabilities
	p.must(caps != nil && caps.Tools != nil && caps.Resources != nil, "the server does not say that it has tools and resources")
	r := p.resource
	if !p.must(r != nil, "resources/list has no resource whose URI ends with tool_descriptions") {
		return
	}
	p.must(mentions(r.Name, "description") && mentions(r.Name, "tool"), "the name does not say what it is: %q", r.Name)
	p.must(r.Description != "", "the resource has no description")
	p.should(r.MIMEType == "application/json", "the MIME type is %q", r.MIMEType)
}

func workflowExplained(p *probe) {
	text := p.resource.Description
	p.must(mentions(text, "tools/list"), "nothing of tools/list")
	p.must(mentions(text, "?tools="), "nothing of the syntax ?tools=")
	p.must(says(text, "before", "first", "must", "required"), "nothing of when to fetch")
	p.should(says(text, "fail", "reject", "refuse", "TOOL_DESCRIPTION_REQUIRED"), "nothing of what happens to calls without a fetch")
	p.should(mentions(text, "step 1"), "no steps")
	p.should(strings.Contains(text, p.uri+"?tools="), "no URI as an example")
	p.should(mentions(text, "session"), "nothing of the session that a fetch is for")
}

var identifier = regexp.MustCompile(`[_0-9]|[a-z][A-Z]`)

// nothingOfParameters is P2.
func nothingOfParameters(p *probe) {
	s := p.session()
	entries := s.fetch(must, only(p.names()...))
	for _, t := range p.tools {
		p.must(!strings.Contains(t.Description, `{"`) && !strings.Contains(t.Description, "```"), "%s: the description has code in it", t.Name)
		p.should(!says(t.Description, "example", "e.g.", "usage:"), "%s: the description has examples", t.Name)
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if json.Unmarshal(entries[t.Name].InputSchema, &schema) != nil {
			continue
		}
		words := strings.FieldsFunc(t.Description+" "+toJSON(t), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		for name := range schema.Properties {
			p.must(!identifier.MatchString(name) || !slices.Contains(words, name), "%s: tools/list names the parameter %s", t.Name, name)
		}
	}
}
