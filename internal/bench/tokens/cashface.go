package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

// cashFace has the tools call, help and skill.
type cashFace struct {
	set  *set
	seen map[*registry.Function]bool // functions seen in a list
	read map[*registry.Function]bool // functions whose page was read
}

func newCash(s *set) face {
	return &cashFace{s, make(map[*registry.Function]bool), make(map[*registry.Function]bool)}
}

func (c *cashFace) server() runner { return cash.NewServer(c.set.registry, nil) }

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

func (c *cashFace) do(t *talk, s *step) error {
	f, err := c.set.function(s.tool)
	if err != nil {
		return err
	}
	if err := c.find(t, s, f); err != nil {
		return err
	}
	if !c.read[f] {
		c.read[f] = true
		if _, err := t.must("help", helpArgs{Namespace: f.Namespace(), Function: f.Name()}); err != nil {
			return err
		}
	}
	args := callArgs{Namespace: f.Namespace(), Function: f.Name()}
	if s.args != "{}" {
		args.Kwargs = json.RawMessage(s.args)
	}
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
	if s.narrow != nil {
		return c.do(t, s.narrow)
	}
	if args.SizeLimit, err = proposed(reply); err != nil {
		return err
	}
	_, err = t.must("call", args)
	return err
}

// find searches until the function is in a list.
func (c *cashFace) find(t *talk, s *step, f *registry.Function) error {
	if c.seen[f] {
		return nil
	}
	args := helpArgs{Namespace: f.Namespace()}
	if s.query != "" {
		args = helpArgs{Kwargs: asJSON(map[string]string{"search": s.query})}
	}
	reply, err := t.must("help", args)
	if err != nil {
		return err
	}
	for _, other := range c.set.functions {
		here := other.Namespace() == args.Namespace && strings.Contains(reply, "- **"+other.Name()+"**")
		if here || strings.Contains(reply, "- **"+other.Path()+"**") {
			c.seen[other] = true
		}
	}
	if !c.seen[f] {
		return fmt.Errorf("help %s does not list it", asJSON(args))
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
