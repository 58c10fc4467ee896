package cost

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// plainModel calls at once, because everything is known from the list.
type plainModel struct{}

func (plainModel) do(t *talk, s *Step, f *registry.Function) error {
	tool, err := t.named(f.FlatName())
	if err != nil { // a server of its own lists the tool under its own name
		_, own, _ := strings.Cut(f.Tool(), ".")
		if tool, err = t.named(own); err != nil {
			return err
		}
	}
	args := s.Args
	if args == nil {
		args = json.RawMessage("{}")
	}
	_, err = t.must(tool, args)
	return err
}

// cashModel uses call and help.
type cashModel struct {
	seen known // in a list
	read known // by its page
}

// Arguments of the tools.
type (
	helpArgs struct {
		Namespace string          `json:"namespace,omitempty"`
		Function  string          `json:"function,omitempty"`
		Kwargs    json.RawMessage `json:"kwargs,omitempty"`
	}
	callArgs struct {
		Namespace string          `json:"namespace"`
		Function  string          `json:"function"`
		Kwargs    json.RawMessage `json:"kwargs,omitempty"`
		SizeLimit int             `json:"sizelimit,omitempty"`
	}
)

func (m *cashModel) do(t *talk, s *Step, f *registry.Function) error {
	if err := m.find(t, s, f); err != nil {
		return err
	}
	if m.read.first(f) {
		if _, err := t.must("help", helpArgs{Namespace: f.Namespace(), Function: f.Name()}); err != nil {
			return err
		}
	}
	args := callArgs{Namespace: f.Namespace(), Function: f.Name(), Kwargs: s.args()}
	reply, failed, err := t.call("call", args)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(reply, "**Gated:**") {
		if failed {
			err = failure("call", args, reply)
		}
		return err
	}
	if s.Narrow != nil {
		narrow, err := (&theatre{functions: t.functions}).function(s.Narrow.Function)
		if err != nil {
			return err
		}
		return m.do(t, s.Narrow, narrow)
	}
	if args.SizeLimit, err = proposed(reply); err != nil {
		return err
	}
	_, err = t.must("call", args)
	return err
}

// find searches until the function is in a list.
func (m *cashModel) find(t *talk, s *Step, f *registry.Function) error {
	if m.seen[f] {
		return nil
	}
	args := helpArgs{Namespace: f.Namespace()}
	if s.Query != "" {
		args = helpArgs{Kwargs: strictjson.MustMarshal(map[string]string{"search": s.Query})}
	}
	reply, err := t.must("help", args)
	if err != nil {
		return err
	}
	for _, other := range t.functions {
		here := other.Namespace() == args.Namespace && strings.Contains(reply, "- **"+other.Name()+"**")
		if here || strings.Contains(reply, "- **"+other.Path()+"**") {
			m.seen[other] = true
		}
	}
	if !m.seen[f] {
		return fmt.Errorf("help %s does not list it", strictjson.MustMarshal(args))
	}
	return nil
}

var limit = regexp.MustCompile("`sizelimit=([0-9]+)`")

// proposed returns the size limit that the notice of a gated result proposes.
func proposed(notice string) (int, error) {
	found := limit.FindStringSubmatch(notice)
	if found == nil {
		return 0, fmt.Errorf("no size limit is proposed: %.300s", notice)
	}
	return strconv.Atoi(found[1])
}

// gatewayModel uses tool_browse, tool_execute and tool_view.
type gatewayModel struct {
	seen known // its card
	read known // its schema
}

// Arguments of the tools.
type (
	browseArgs struct {
		Query string `json:"query,omitempty"`
		Path  string `json:"path,omitempty"`
	}
	executeArgs struct {
		ID   string          `json:"tool_id"`
		Args json.RawMessage `json:"args,omitempty"`
	}
	viewArgs struct {
		Handle   string          `json:"handle"`
		Selector json.RawMessage `json:"selector"`
	}
)

func (m *gatewayModel) do(t *talk, s *Step, f *registry.Function) error {
	if err := m.find(t, s, f); err != nil {
		return err
	}
	if err := m.learn(t, f); err != nil {
		return err
	}
	reply, err := t.must("tool_execute", executeArgs{f.ID().String(), s.args()})
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(reply, "\n") // the envelope comes before blocks that pass whole
	var envelope struct{ Artifacts []struct{ Handle string } }
	if err := json.Unmarshal([]byte(first), &envelope); err != nil {
		return fmt.Errorf("reading an envelope: %w", err)
	}
	if s.Look == "" || len(envelope.Artifacts) == 0 {
		return nil
	}
	selector := strictjson.MustMarshal(map[string]string{"type": "search", "query": s.Look})
	_, err = t.must("tool_view", viewArgs{envelope.Artifacts[0].Handle, selector})
	return err
}

// find searches until there is a card of the function.
func (m *gatewayModel) find(t *talk, s *Step, f *registry.Function) error {
	if m.seen[f] {
		return nil
	}
	args := browseArgs{Query: s.Query}
	if s.Query == "" {
		args.Path = "/" + strings.ReplaceAll(f.Namespace(), ".", "/")
	}
	reply, err := t.must("tool_browse", args)
	if err != nil {
		return err
	}
	for _, other := range t.functions {
		if strings.Contains(reply, "] "+other.ID().String()+" ") {
			m.seen[other] = true
		}
	}
	if !m.seen[f] {
		return fmt.Errorf("tool_browse %s has no card of it", strictjson.MustMarshal(args))
	}
	return nil
}

// learn gets the schema of a function from the error of a call without arguments. If nothing is required, that call
// would run the function, so the model is taken to know better.
func (m *gatewayModel) learn(t *talk, f *registry.Function) error {
	var schema struct{ Required []string }
	if err := json.Unmarshal(f.InputSchema(), &schema); err != nil {
		return err
	}
	if len(schema.Required) == 0 || !m.read.first(f) {
		return nil
	}
	reply, refused, err := t.call("tool_execute", executeArgs{ID: f.ID().String()})
	if err == nil && !(refused && strings.Contains(reply, `"error":"ARGS_INVALID"`)) {
		err = fmt.Errorf("no schema after a call without arguments: %.300s", reply)
	}
	return err
}

// proxyModel sees all tools without their schemas, and uses tool_hydrate and tool_execute.
type proxyModel struct{ read known }

func (m *proxyModel) do(t *talk, s *Step, f *registry.Function) error {
	id := f.ID().String()
	name, _ := toolid.NewWireNames([]string{id}).Name(id)
	tool, err := t.named(name)
	if err != nil {
		return err
	}
	if m.read.first(f) {
		if _, err := t.must("tool_hydrate", executeArgs{ID: tool}); err != nil {
			return err
		}
	}
	_, err = t.must("tool_execute", executeArgs{tool, s.args()})
	return err
}

// disclosureModel sees all tools with one line each. A resource has the full descriptions.
type disclosureModel struct{ read known }

func (m *disclosureModel) do(t *talk, s *Step, f *registry.Function) error {
	if m.read.first(f) { // a tool cannot be called before
		uri := disclosure.DefaultURI + "?tools=" + f.FlatName()
		text, err := t.fetch(uri)
		if err != nil {
			return err
		}
		var described map[string]struct{ InputSchema json.RawMessage }
		if err := json.Unmarshal([]byte(text), &described); err != nil || described[f.FlatName()].InputSchema == nil {
			return fmt.Errorf("%s has no schema of it: %.300s", uri, text)
		}
	}
	return plainModel{}.do(t, s, f)
}

// facadeModel uses one tool with commands per top-level namespace.
type facadeModel struct{ read known }

// commandArgs are the arguments of every tool.
type commandArgs struct {
	Cmd    string          `json:"cmd"`
	Params json.RawMessage `json:"params,omitempty"`
}

func (m *facadeModel) do(t *talk, s *Step, f *registry.Function) error {
	domain, cmd, below := strings.Cut(f.Path(), ".")
	if !below {
		domain, cmd = "mcp", domain
	}
	tool, err := t.named(strings.ReplaceAll(domain, "_", "") + "Execute")
	if err != nil {
		return err
	}
	if m.read.first(f) { // the description of a domain has only the names of parameters
		reply, err := t.must(tool, commandArgs{"help", strictjson.MustMarshal(map[string]string{"command": cmd})})
		if err == nil && !strings.Contains(reply, `"params":[`) {
			err = fmt.Errorf("the help about %s has no params: %.300s", f.Path(), reply)
		}
		if err != nil {
			return err
		}
	}
	_, err = t.must(tool, commandArgs{cmd, s.args()})
	return err
}
