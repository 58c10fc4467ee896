package check

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
)

// A DisclosureTarget is a server of two-stage disclosure to check, with samples that a black box cannot guess. Only
// Transport is required. A row without its sample is not checked. Only tools named here are called; the
// descriptions of the first 50 tools are read.
type DisclosureTarget struct {
	// Transport returns a new transport to the server for each session.
	Transport func() mcp.Transport
	// Strict turns notes about recommended and inferred rules into failures.
	Strict bool
	// Version is the protocol version to ask for. Empty is the newest.
	Version string
	// Timeout is the deadline of each request. Zero is 30 seconds.
	Timeout time.Duration
	// URI is the URI of the resource. Empty is the one in resources/list that ends with tool_descriptions.
	URI string

	// Call is a call that succeeds after its description was fetched.
	Call *ToolCall
	// Other is a call of another tool, likewise.
	Other *ToolCall
	// Runs returns how often the tool of Call has run so far. Nil is not checked.
	Runs func() int
	// Invalid are arguments that the tool of Call refuses. Nil is not checked.
	Invalid any
	// Hidden is the name of a tool that exists but that this caller may not see.
	Hidden string
	// Denied is a call of a tool that this caller may see but not run.
	Denied *ToolCall
}

// A ToolCall is a call of a tool.
type ToolCall struct {
	Tool      string
	Arguments any // marshals to a JSON object; nil is an empty one
}

// Disclosure checks a server against the specification of progressive disclosure as a black box. The rows are the
// eight criteria of its section 9, such as C1, and further ones, such as P19. It works for servers of other makers,
// with sessions, and with grants: a member _grant in a fetched usage_guidance is passed on by calls. The error is
// as for [Compliance].
func Disclosure(ctx context.Context, target DisclosureTarget) (*Report, error) {
	base := Target{Transport: target.Transport, Strict: target.Strict, Version: target.Version, Timeout: target.Timeout}
	s := &suite{Target: base, d: target, uri: target.URI}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	s.findResource()
	return s.end(s.run(disclosureChecks))
}

// disclosureChecks are ordered: rows that need nothing fetched come before rows that fetch. A server that mixes up
// sessions then fails in the row about sessions.
var disclosureChecks = []criterion{
	{"C1", "tools/list has minimal descriptions", none, minimalDescriptions},
	{"C2", "resources/list has the tool descriptions", none, descriptionsListed},
	{"P5", "the resource explains the workflow", needResource, workflowExplained},
	{"C5", "fetching without tools is MISSING_TOOL_SELECTION", needResource, missingSelection},
	{"C7", "calling without fetching is TOOL_DESCRIPTION_REQUIRED", needCall, descriptionRequired},
	{"C6", "a fetch authorises its tools and no others", needOther, authorisationEnforced},
	{"C8", "authorisation is isolated per session", needCall, authorisationIsolated},
	{"C3", "the resource takes the parameter tools", needTools, toolsParameter},
	{"C4", "the resource returns full descriptions", needTools, fullDescriptions},
	{"P2", "minimal descriptions tell nothing of parameters", needTools, nothingOfParameters},
	{"P18", "what is hidden or denied stays so", needHiddenTool, authorisationAdds},
	{"P19", "unknown tools have an entry of their own", needTools, unknownTools},
	{"P25", "arguments are held to the full schema", needInvalid, argumentsChecked},
	{"P26", "queries are read as URIs are", needTools, queryForms},
	{"PX3", "fetches are kept out of shared caches", needTools, fetchesUncached},
}

// findResource looks for the resource. C2 reports a missing one.
func (s *suite) findResource() {
	found, err := client.Do(s.conn, func(ctx context.Context) (*mcp.Resource, error) {
		for r, err := range s.conn.Session.Resources(ctx, nil) { // all pages, within the deadline
			if err != nil {
				return nil, err
			}
			if r != nil && (s.uri != "" && r.URI == s.uri || s.uri == "" && strings.HasSuffix(r.URI, "tool_descriptions")) {
				return r, nil
			}
		}
		return nil, nil
	})
	if err == nil && found != nil {
		s.resource, s.uri = found, found.URI
	}
}

// A disclosureSession is a session of its own, with the grants it has received.
type disclosureSession struct {
	p      *probe
	conn   *client.Conn
	grants map[string]string // by tool name
}

// session opens a session that is closed after the check.
func (p *probe) session() *disclosureSession {
	return &disclosureSession{p, p.connect(p.Transport()), map[string]string{}}
}

// read reads the resource with a query, including its question mark.
func (s *disclosureSession) read(query string) (*mcp.ReadResourceResult, error) {
	return client.Do(s.conn, func(ctx context.Context) (*mcp.ReadResourceResult, error) {
		return s.conn.Session.ReadResource(ctx, &mcp.ReadResourceParams{URI: s.p.uri + query})
	})
}

// text returns the text of the resource for a query. If there is not exactly one, it reports that, and ok is false.
func (s *disclosureSession) text(l level, query string) (text string, ok bool) {
	res, err := s.read(query)
	if err != nil {
		return "", l(s.p, false, "reading %q: %v: want a result, whose text a model sees", query, err)
	}
	if len(res.Contents) != 1 || res.Contents[0] == nil {
		return "", l(s.p, false, "reading %q: %d contents, want 1", query, len(res.Contents))
	}
	return res.Contents[0].Text, true
}

// A toolEntry is a fetched description of a tool, or the note that it does not exist.
type toolEntry struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	InputSchema json.RawMessage   `json:"inputSchema"`
	Examples    []json.RawMessage `json:"examples"`
	Usage       json.RawMessage   `json:"usage_guidance"`
	Errors      json.RawMessage   `json:"error_guidance"`
	Error       json.RawMessage   `json:"error"`
	Available   []string          `json:"available_tools"`
}

// fetch reads the descriptions for a query, and keeps their grants.
func (s *disclosureSession) fetch(l level, query string) map[string]toolEntry {
	text, ok := s.text(l, query)
	if !ok {
		return nil
	}
	var m map[string]toolEntry
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		l(s.p, false, "reading %q: not an object of descriptions: %v: %s", query, err, excerpt(text))
		return nil
	}
	for name, e := range m {
		var usage struct {
			Grant string `json:"_grant"`
		}
		if json.Unmarshal(e.Usage, &usage) == nil && usage.Grant != "" {
			s.grants[name] = usage.Grant
		}
	}
	return m
}

// call calls a tool. A protocol error counts as an error without text.
func (s *disclosureSession) call(c *ToolCall) *client.Reply {
	args := object{}
	if c.Arguments != nil {
		if err := json.Unmarshal([]byte(toJSON(c.Arguments)), &args); err != nil {
			s.p.stop("the arguments of %s are no object: %v", c.Tool, err)
		}
	}
	if g := s.grants[c.Tool]; g != "" {
		args = args.and("_grant", g)
	}
	reply, err := s.conn.Tool(c.Tool, json.RawMessage(args.String()))
	if err != nil {
		return &client.Reply{IsError: true, Raw: &mcp.CallToolResult{IsError: true}}
	}
	return reply
}

// errorIn returns the error in a text; empty if there is none.
func errorIn(text string) (e struct {
	Code        string   `json:"code"`
	Message     string   `json:"message"`
	ResourceURI string   `json:"resource_uri"`
	Examples    []string `json:"examples"`
}) {
	var body map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &body) == nil {
		_ = json.Unmarshal(body["error"], &e) // another form counts as none
	}
	return e
}

// only returns the query for some tools.
func only(tools ...string) string { return fmt.Sprintf("?tools=%s", strings.Join(tools, ",")) }
