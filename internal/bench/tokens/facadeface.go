package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/registry"
)

// facadeFace has one tool with commands per namespace, and ToolsExecute.
type facadeFace struct {
	set  *set
	read map[*registry.Function]bool // functions whose parameters were read
}

func newFacade(s *set) face { return &facadeFace{s, make(map[*registry.Function]bool)} }

func (c *facadeFace) server() runner {
	return facade.NewServer(c.set.registry, &facade.Options{Tools: true})
}

// commandArgs are the arguments of every tool.
type commandArgs struct {
	Cmd    string          `json:"cmd"`
	Params json.RawMessage `json:"params,omitempty"`
}

func (c *facadeFace) do(t *talk, s *step) error {
	f, err := c.set.function(s.tool)
	if err != nil {
		return err
	}
	domain, cmd, _ := strings.Cut(f.Path(), ".")
	tool, err := t.named(strings.ReplaceAll(domain, "_", "") + "Execute")
	if err != nil {
		return err
	}
	if err := c.learn(t, f); err != nil {
		return err
	}
	args := commandArgs{Cmd: cmd}
	if s.args != "{}" {
		args.Params = json.RawMessage(s.args)
	}
	_, err = t.must(tool, args)
	return err
}

// toolRef refers to a function by its path.
type toolRef struct {
	Name string `json:"name"`
}

// learn reads the definition of a function. The description of a domain has only the names of its parameters.
func (c *facadeFace) learn(t *talk, f *registry.Function) error {
	if c.read[f] {
		return nil
	}
	c.read[f] = true
	reply, err := t.must("ToolsExecute", commandArgs{"get", asJSON(toolRef{f.Path()})})
	if err == nil && !strings.Contains(reply, `"inputSchema":{`) {
		err = fmt.Errorf("the definition of %s has no schema: %.300s", f.Path(), reply)
	}
	return err
}
