package check

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxFetched bounds the descriptions that one query reads.
const maxFetched = 50

// described returns the tools in the list, without the one that describes them.
func (s *suite) described() []*mcp.Tool {
	return slices.DeleteFunc(slices.Clone(s.tools), func(t *mcp.Tool) bool { return t.Name == descriptionsTool && takesTools(t) })
}

// descriptionsTool is the name of a tool that answers like the resource, for clients that cannot read one. A server may
// have it.
const descriptionsTool = "tool_descriptions"

// takesTools reports whether a tool declares the parameter tools.
func takesTools(t *mcp.Tool) bool {
	schema, _ := t.InputSchema.(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	return properties["tools"] != nil
}

// names returns the names of the first tools in the list.
func (p *probe) names() []string {
	var list []string
	tools := p.described()
	for _, t := range tools[:min(len(tools), maxFetched)] {
		list = append(list, t.Name)
	}
	return list
}

// minimalDescriptions is P1 and P3.
func minimalDescriptions(p *probe) {
	p.must(len(p.described()) > 0, "tools/list is empty")
	open := map[string]any{"type": "object", "additionalProperties": true}
	for _, t := range p.described() {
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
	for _, t := range p.described() {
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

// missingSelection is P7.
func missingSelection(p *probe) {
	s := p.session()
	for query, l := range map[string]level{"": must, "?x=1": should, "?tools=": should, "?tools=,,": should} {
		text, ok := s.text(l, query)
		if !ok {
			continue
		}
		e := errorIn(text)
		l(p, e.Code == "MISSING_TOOL_SELECTION", "reading %q: want the error MISSING_TOOL_SELECTION, got %s", query, excerpt(text))
		if e.Code == "" {
			continue
		}
		l(p, e.Message == "You must specify one or more tool names in the 'tools' parameter.", "reading %q: the message is %q", query, e.Message)
		l(p, len(e.Examples) > 0 && strings.HasPrefix(e.Examples[0], p.uri+"?tools="), "reading %q: the examples are %q", query, e.Examples)
	}
}

// wantKeys checks that the fetched descriptions are the requested ones (P9).
func (p *probe) wantKeys(l level, query string, m map[string]toolEntry, want ...string) bool {
	slices.Sort(want)
	got := slices.Sorted(maps.Keys(m))
	return l(p, slices.Equal(got, want), "reading %q: descriptions of %q, want %q", query, got, want)
}

// toolsParameter is P6 and P9.
func toolsParameter(p *probe) {
	s := p.session()
	names := p.names()
	p.wantKeys(must, only(names[0]), s.fetch(must, only(names[0])), names[0])
	if len(names) > 1 {
		p.wantKeys(must, only(names[:2]...), s.fetch(must, only(names[:2]...)), names[0], names[1])
	}
	other := strings.ToUpper(names[0])
	if other == names[0] || p.toolNamed(other) != nil {
		return
	}
	p.must(len(s.fetch(should, only(other))[other].InputSchema) == 0, "%s is taken for %s: names are to match exactly", other, names[0])
}

// fullDescriptions is P8 and P10.
func fullDescriptions(p *probe) {
	s := p.session()
	names := p.names()
	entries := s.fetch(must, only(names...))
	guided := false // what is the same for all tools may be in one entry
	for name, e := range entries {
		p.must(e.Name == name, "the entry of %s has the name %q", name, e.Name)
		p.must(strings.TrimSpace(e.Description) != "", "%s has no description", name)
		var schema map[string]any
		p.must(json.Unmarshal(e.InputSchema, &schema) == nil && schema["type"] == "object", "%s: the schema is %s", name, excerpt(string(e.InputSchema)))
		p.should(e.Examples != nil, "%s has no examples", name)
		guided = guided || len(e.Errors) > 0
	}
	p.should(guided || entries == nil, "no description has error guidance")
	if len(p.described()) < len(p.tools) {
		p.sameByTool(s, names[0], entries[names[0]])
	}
	if c := p.d.Call; c != nil && c.Arguments != nil {
		p.declares(s, c)
	}
}

// sameByTool checks that the tool with the descriptions answers as the resource does.
func (p *probe) sameByTool(s *disclosureSession, name string, e toolEntry) {
	r := s.call(&ToolCall{Tool: descriptionsTool, Arguments: map[string]any{"tools": []string{name}}})
	var m map[string]toolEntry
	p.must(!r.IsError && json.Unmarshal([]byte(r.Text), &m) == nil && len(m) == 1 && m[name].Description == e.Description &&
		bytes.Equal(m[name].InputSchema, e.InputSchema), "the tool %s does not answer as the resource does: %s", descriptionsTool, excerpt(r.Text))
}

// declares checks that a schema declares the arguments of a valid call.
func (p *probe) declares(s *disclosureSession, c *ToolCall) {
	var args map[string]json.RawMessage
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	e := s.fetch(must, only(c.Tool))[c.Tool]
	if json.Unmarshal([]byte(toJSON(c.Arguments)), &args) != nil || json.Unmarshal(e.InputSchema, &schema) != nil {
		return
	}
	for name := range args {
		p.must(schema.Properties[name] != nil, "the schema of %s does not have its parameter %s", c.Tool, name)
	}
}

func unknownTools(p *probe) {
	s := p.session()
	name := p.names()[0]
	m := s.fetch(must, only(name, absent))
	p.must(len(m[name].InputSchema) > 0, "next to a name that is unknown, %s is not returned", name)
	e := m[absent]
	var text string
	p.should(json.Unmarshal(e.Error, &text) == nil && text == "Tool '"+absent+"' not found", "the entry of an unknown tool is %s", e.Error)
	p.should(slices.Contains(e.Available, name), "available_tools of an unknown tool are %q", e.Available)
	p.must(len(e.InputSchema) == 0, "an unknown tool has a schema")
}

// queryForms checks the forms of P26. An SDK may send any of them.
func queryForms(p *probe) {
	s := p.session()
	names := p.names()
	a, b := names[0], names[len(names)-1]
	both := []string{a, b}
	if a == b {
		both = both[:1]
	}
	for _, query := range []string{
		"?tools=" + url.QueryEscape(a+","+b), "?tools=" + a + ",%20" + b, "?tools=" + a + ",," + b + ",",
		"?tools=" + a + "&tools=" + b, "?v=1&tools=" + a + "," + b + "&w=2", "?tools=" + a + "," + b + "," + a,
	} {
		p.wantKeys(should, query, s.fetch(should, query), slices.Clone(both)...)
	}
}

func fetchesUncached(p *probe) {
	s := p.session()
	res, err := s.read(only(p.names()[0]))
	if err != nil {
		p.stop("reading: %v", err)
	}
	if s.conn.Session.InitializeResult().ProtocolVersion >= "2026-07-28" {
		p.should(res.CacheScope == "private", "the scope of caches is %q, and a fetch has an effect on its session", res.CacheScope)
	}
	p.should(res.TTLMs == 0, "the result may be cached for %d ms, and a fetch has an effect", res.TTLMs)
}
