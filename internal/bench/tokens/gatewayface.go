package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/registry"
)

// gatewayFace has the tools tool_browse, tool_execute and tool_view.
type gatewayFace struct {
	set  *set
	seen map[*registry.Function]bool // functions whose card was seen
	read map[*registry.Function]bool // functions whose schema was read
}

func newGateway(s *set) face {
	return &gatewayFace{s, make(map[*registry.Function]bool), make(map[*registry.Function]bool)}
}

func (g *gatewayFace) server() runner { return gateway.NewServer(g.set.registry, nil) }

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

func (g *gatewayFace) do(t *talk, s *step) error {
	f, err := g.set.function(s.tool)
	if err != nil {
		return err
	}
	if err := g.find(t, s, f); err != nil {
		return err
	}
	if err := g.learn(t, f); err != nil {
		return err
	}
	reply, err := t.must("tool_execute", execution(f, s))
	if err != nil {
		return err
	}
	var envelope struct{ Artifacts []struct{ Handle string } }
	if err := json.Unmarshal([]byte(firstLine(reply)), &envelope); err != nil {
		return fmt.Errorf("reading an envelope: %w", err)
	}
	if s.look == "" || len(envelope.Artifacts) == 0 {
		return nil
	}
	_, err = t.must("tool_view", viewArgs{envelope.Artifacts[0].Handle, asJSON(map[string]string{"type": "search", "query": s.look})})
	return err
}

func execution(f *registry.Function, s *step) executeArgs {
	args := executeArgs{ID: f.ID().String()}
	if s.args != "{}" {
		args.Args = json.RawMessage(s.args)
	}
	return args
}

// find searches until there is a card of the function.
func (g *gatewayFace) find(t *talk, s *step, f *registry.Function) error {
	if g.seen[f] {
		return nil
	}
	args := browseArgs{Query: s.query}
	if s.query == "" {
		args.Path = "/" + f.Namespace()
	}
	reply, err := t.must("tool_browse", args)
	if err != nil {
		return err
	}
	for _, other := range g.set.functions {
		if strings.Contains(reply, "] "+other.ID().String()+" ") {
			g.seen[other] = true
		}
	}
	if !g.seen[f] {
		return fmt.Errorf("tool_browse %s has no card of it", asJSON(args))
	}
	return nil
}

// learn gets the schema of a function from the error of a call without arguments. If nothing is required, that call
// would run the function, so the model is taken to know better.
func (g *gatewayFace) learn(t *talk, f *registry.Function) error {
	var schema struct{ Required []string }
	if err := json.Unmarshal(f.InputSchema(), &schema); err != nil {
		return err
	}
	if g.read[f] || len(schema.Required) == 0 {
		return nil
	}
	g.read[f] = true
	reply, refused, err := t.call("tool_execute", executeArgs{ID: f.ID().String()})
	if err == nil && !(refused && strings.Contains(reply, `"schema":`)) {
		err = fmt.Errorf("no schema after a call without arguments: %.300s", reply)
	}
	return err
}

// firstLine returns the envelope, which comes before blocks that pass whole.
func firstLine(reply string) string {
	line, _, _ := strings.Cut(reply, "\n")
	return line
}
