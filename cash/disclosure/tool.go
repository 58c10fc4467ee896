package disclosure

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// ToolName is the name of the tool that [Options.Tool] adds.
const ToolName = "tool_descriptions"

// toolHint is for models that cannot read resources.
const toolHint = "If you cannot read resources, call the tool " + ToolName + ` instead, as in {"tools":["TOOL1","TOOL2"]}: the answer is the same.`

// toolSchema is the input schema of the tool.
var toolSchema = json.RawMessage(`{"type":"object","properties":{"tools":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":1000,` +
	`"description":"Names exactly as in tools/list."}},"required":["tools"],"additionalProperties":false}`)

// descriptionsTool returns the definition of the tool. It reads; that it authorises is a step on the way, and no effect.
func (s *Server) descriptionsTool() *mcp.Tool {
	closed := false
	return &mcp.Tool{
		Name: ToolName, InputSchema: toolSchema,
		Description: "Full descriptions of tools of this server, with their parameters. Fetch that of a tool before its first call, " +
			"or the call fails with " + string(ToolDescriptionRequired) + ". The answer is that of the resource " + s.uriOf("TOOL1,TOOL2") + ".",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed},
	}
}

// withTool adds the tool to a list.
func (s *Server) withTool(l serve.ToolList) serve.ToolList {
	if !s.opts.Tool {
		return l
	}
	at, found := slices.BinarySearch(l.Names, ToolName)
	if found {
		return l // serves leaves such a function out
	}
	return serve.ToolList{Names: slices.Insert(slices.Clone(l.Names), at, ToolName), Tool: func(i int) *mcp.Tool {
		switch {
		case i < at:
			return l.Tool(i)
		case i == at:
			return s.descriptionsTool()
		}
		return l.Tool(i - 1)
	}}
}

// describeTools answers a call of the tool. It has the limits of a fetch.
func (f face) describeTools(ctx context.Context, req *serve.Request) (*registry.Result, error) {
	names, err := f.namesIn(req.Arguments)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	body, err := serve.Apart(ctx, f.opts.Serve.Logger, ToolName, func() (json.RawMessage, error) { return f.fetch(ctx, req.Session, names) })
	if err != nil {
		return nil, err
	}
	return registry.TextResult(string(body)), nil
}

// namesIn returns the names in the arguments of the tool. Like the query of the resource, a text may have several,
// separated by commas. A model that sends one text in place of an array is understood.
func (s *Server) namesIn(arguments json.RawMessage) ([]string, error) {
	if len(arguments) > maxQuery {
		return nil, tooMany()
	}
	if err := strictjson.Check(arguments); len(arguments) > 0 && err != nil {
		return nil, &registry.Error{Kind: registry.InvalidArguments, NotRun: true, Message: "The arguments are not valid JSON: " + err.Error() + "."}
	}
	var names nameList
	for key, value := range strictjson.Members(arguments) {
		if key != "tools" {
			return nil, &registry.Error{Kind: registry.InvalidArguments, NotRun: true, Message: "The only parameter is \"tools\"."}
		}
		if strictjson.KindOf(value) == strictjson.String {
			names.add(strictjson.Text(value))
		}
		for _, one := range strictjson.Elements(value) {
			if strictjson.KindOf(one) != strictjson.String {
				return nil, &registry.Error{Kind: registry.InvalidArguments, NotRun: true, Message: "\"tools\" is an array of names."}
			}
			names.add(strictjson.Text(one))
		}
	}
	return names.list, nil
}

// A nameList collects names, without duplicates, in order.
type nameList struct {
	list []string
	seen map[string]bool
}

// add adds the names in a text, which commas separate. Surrounding blanks are dropped.
func (l *nameList) add(text string) {
	if l.seen == nil {
		l.seen = make(map[string]bool)
	}
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" && !l.seen[name] {
			l.seen[name] = true
			l.list = append(l.list, name)
		}
	}
}
