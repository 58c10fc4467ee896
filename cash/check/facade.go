package check

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// Facade checks a server against the specification of domain facades as a black box. The rows are F1 and so on. Domains
// are the tools whose names end with Execute. No command is run but the one of Read, whose namespace is the tool and
// whose function is the command. Of the target, only Transport, Strict, Version, Timeout and Read count. The error is
// as for [Compliance].
func Facade(ctx context.Context, target Target) (*Report, error) {
	s := &suite{Target: target}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	return s.end(s.run(facadeChecks))
}

var needDomain = need{"no tool is named <Domain>Execute", func(s *suite) bool { return len(s.domains()) > 0 }}

var facadeChecks = []criterion{
	{"F1", "there are domains, each one tool", none, domainsListed},
	{"F2", "a domain takes cmd and params, and should take detail", needDomain, domainSchema},
	{"F3", "the description of a domain names its commands", needDomain, domainDescribed},
	{"F4", "an unknown command is ok: false, with the command and an error", needDomain, unknownCommand},
	{"F5", "a request without a command is an error", needDomain, missingCommand},
	{"F6", "a command succeeds at each level of detail, with the command and data", needRead, commandRuns},
}

// domains returns the tools that are domains.
func (s *suite) domains() []*mcp.Tool {
	var list []*mcp.Tool
	for _, t := range s.tools {
		if name, ok := strings.CutSuffix(t.Name, "Execute"); ok && name != "" {
			list = append(list, t)
		}
	}
	return list
}

func domainsListed(p *probe) {
	p.must(len(p.domains()) > 0, "none of %d tools is named <Domain>Execute", len(p.tools))
	for _, t := range p.tools {
		p.should(strings.HasSuffix(t.Name, "Execute"), "%q is not a domain", t.Name)
	}
}

func domainSchema(p *probe) {
	for _, t := range p.domains() {
		schema, _ := strictjson.Marshal(t.InputSchema)
		properties := strictjson.Member(schema, "properties")
		p.must(strictjson.Strings(strictjson.Member(schema, "required"))["cmd"], "%s does not require cmd", t.Name)
		for _, name := range []string{"cmd", "params"} {
			p.must(strictjson.Member(properties, name) != nil, "%s has no parameter %s", t.Name, name)
		}
		if !p.should(strictjson.Member(properties, "detail") != nil, "%s has no parameter detail", t.Name) {
			continue
		}
		levels := strictjson.Strings(strictjson.Member(strictjson.Member(properties, "detail"), "enum"))
		for _, level := range []string{"minimal", "standard", "full"} {
			p.should(levels[level], "detail of %s does not list %s", t.Name, level)
		}
	}
}

func domainDescribed(p *probe) {
	for _, t := range p.domains() {
		p.must(strings.TrimSpace(t.Description) != "", "%s has no description", t.Name)
		p.should(says(t.Description, "command", "cmd"), "the description of %s does not mention commands", t.Name)
	}
}

// A response is the answer of a domain.
type response struct {
	OK    *bool           `json:"ok"`
	Cmd   *string         `json:"cmd"`
	Data  json.RawMessage `json:"data"`
	Error string          `json:"error"`
}

// response reads the response in a reply.
func (p *probe) response(reply *client.Reply) *response {
	data := []byte(reply.Text)
	if reply.Raw.StructuredContent != nil {
		data, _ = json.Marshal(reply.Raw.StructuredContent)
	}
	e := new(response)
	if err := json.Unmarshal(data, e); err != nil || e.OK == nil {
		p.stop("the response is no envelope with ok: %s", excerpt(reply.Text))
	}
	return e
}

// strange is a command that no domain has.
const strange = "no_such_command_7f3a"

func unknownCommand(p *probe) {
	for _, t := range p.domains() {
		e := p.response(p.tool(t.Name, object{"cmd": strange}))
		p.must(!*e.OK, "%s: ok is true", t.Name)
		p.must(e.Cmd != nil && *e.Cmd == strange, "%s does not echo the command", t.Name)
		p.must(strings.TrimSpace(e.Error) != "", "%s: there is no error", t.Name)
		p.must(len(e.Data) == 0 || string(e.Data) == "null", "%s: an error has data", t.Name)
	}
}

func missingCommand(p *probe) {
	for _, t := range p.domains() {
		reply, err := p.try(t.Name, object{})
		if err != nil {
			p.row.hold() // the protocol's own error
			continue
		}
		var e response
		_ = json.Unmarshal([]byte(reply.Text), &e) // any other text leaves it empty
		p.must(reply.IsError || e.OK != nil && !*e.OK, "%s without cmd is no error: %s", t.Name, excerpt(reply.Text))
	}
}

func commandRuns(p *probe) {
	for _, level := range []string{"minimal", "standard", "full"} {
		args := object{"cmd": p.Read.Function, "detail": level}
		if p.Read.Kwargs != nil {
			args["params"] = p.Read.Kwargs
		}
		e := p.response(p.tool(p.Read.Namespace, args))
		p.must(*e.OK, "%s fails: %s", level, excerpt(e.Error))
		p.must(e.Cmd != nil && *e.Cmd == p.Read.Function, "%s does not echo the command", level)
		p.must(len(e.Data) > 0, "%s has no data", level)
	}
}
