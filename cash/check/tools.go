package check

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolChecks check tools/list (RFC 4).
var toolChecks = []criterion{
	{"R1", "tools are named call, help and skill", none, toolNames},
	{"R2", "there are no further tools", none, onlyThreeTools},
	{"R3", "call declares its parameters", none, callSchema},
	{"R4", "help needs no argument", none, helpSchema},
	{"R5", "skill needs no argument", none, skillSchema},
	{"R6", "unknown arguments are tolerated", none, openSchemas},
	{"R12", "functions are not MCP tools", needFunction, functionsAreNoTools},
}

func (p *probe) toolNamed(name string) *mcp.Tool {
	for _, t := range p.tools {
		if t.Name == name {
			return t
		}
	}
	return nil
}

func toolNames(p *probe) {
	for _, name := range []string{"call", "help", "skill"} {
		p.must(p.toolNamed(name) != nil, "tools/list has no tool %q", name)
	}
}

func onlyThreeTools(p *probe) {
	p.should(len(p.tools) <= 3, "tools/list has %d tools, want 3", len(p.tools))
	p.should(p.pages == 1, "tools/list has %d pages, want 1", p.pages)
	again, _, err := p.connect(p.Transport()).Tools()
	if err != nil {
		p.stop("tools/list on another connection: %v", err)
	}
	p.should(toJSON(again) == toJSON(p.tools), "tools/list differs between two connections")
}

// A toolSchema has the relevant parts of an input schema.
type toolSchema struct {
	Properties           map[string]any
	Required             []string
	AdditionalProperties any
}

// typ returns the type of a property; "" if there is none.
func (s *toolSchema) typ(name string) string {
	property, _ := s.Properties[name].(map[string]any)
	return typeOf(property["type"])
}

func (p *probe) schema(tool string) *toolSchema {
	t := p.toolNamed(tool)
	if t == nil {
		p.stop("tools/list has no tool %q", tool)
	}
	s := new(toolSchema)
	_ = json.Unmarshal([]byte(toJSON(t.InputSchema)), s) // another form counts as empty
	return s
}

// typeOf returns the type that a schema names, besides null.
func typeOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		for _, t := range v {
			if name, ok := t.(string); ok && name != "null" {
				return name
			}
		}
	}
	return ""
}

func (p *probe) property(s *toolSchema, tool, name, want string) {
	if p.must(s.Properties[name] != nil, "%s declares no parameter %q", tool, name) {
		p.must(s.typ(name) == want, "%s declares %q of type %q, want %q", tool, name, s.typ(name), want)
	}
}

// properties checks the properties that all three tools share, besides the tool's own name.
func (p *probe) properties(tool, own string) *toolSchema {
	s := p.schema(tool)
	p.property(s, tool, "namespace", "string")
	p.property(s, tool, own, "string")
	p.property(s, tool, "kwargs", "object")
	return s
}

func callSchema(p *probe) {
	s := p.properties("call", "function")
	p.must(slices.Equal(s.Required, []string{"function"}), "call requires %q, want only function", s.Required)
	// Accepting sizelimit is a SHOULD (RFC 7.3). Its type is a MUST.
	if p.should(s.Properties["sizelimit"] != nil, "call declares no parameter %q", "sizelimit") {
		t := s.typ("sizelimit")
		p.must(t == "integer" || t == "number", "call declares sizelimit of type %q, want integer", t)
	}
}

func helpSchema(p *probe) {
	s := p.properties("help", "function")
	p.must(len(s.Required) == 0, "help requires %q, want nothing", s.Required)
	reply := p.tool("help", nil)
	p.must(!reply.IsError && reply.Text != "", "help() fails: %s", excerpt(reply.Text))
}

func skillSchema(p *probe) {
	s := p.properties("skill", "skillname")
	// RFC 4.3 requires it, but appendix A calls skill() without.
	p.should(len(s.Required) == 0, "skill requires %q, so that skill() cannot be called", s.Required)
}

func openSchemas(p *probe) {
	for _, tool := range []string{"help", "call", "skill"} {
		l := should
		if tool == "help" {
			l = must
		}
		l(p, p.schema(tool).AdditionalProperties != false, "the schema of %s has additionalProperties false", tool)
	}
	reply := p.tool("help", object{"zzz": 1})
	p.must(!reply.IsError, "help fails on an argument that it does not know: %s", excerpt(reply.Text))
}

func functionsAreNoTools(p *probe) {
	var names []string
	for _, t := range p.tools {
		names = append(names, t.Name)
	}
	for _, l := range p.tree.leaves {
		if l.namespace != "" {
			p.must(!slices.Contains(names, l.path()), "the function %s is a tool as well", l.path())
		}
	}
	if p.Read == nil {
		p.note("not checked: whether a function answers to tools/call (Target.Read is nil)")
		return
	}
	for _, name := range []string{p.Read.path(), strings.ReplaceAll(p.Read.path(), ".", "_")} {
		if slices.Contains(names, name) {
			continue
		}
		reply, err := p.conn.Tool(name, p.Read.Kwargs)
		p.must(err != nil || reply.IsError, "tools/call runs the function %q", name)
		p.should(err != nil, "tools/call of %q is a result, want a protocol error: there is no such tool", name)
	}
}
