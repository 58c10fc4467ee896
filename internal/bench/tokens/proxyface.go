package main

import (
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/registry"
)

// proxyFace lists all tools without their schemas, and has tool_hydrate and
// tool_execute.
type proxyFace struct {
	set  *set
	read map[*registry.Function]bool // functions whose definition was read
}

func newProxy(s *set) face { return &proxyFace{s, make(map[*registry.Function]bool)} }

func (p *proxyFace) server() runner {
	return gateway.NewServer(p.set.registry, &gateway.Options{Mode: gateway.Proxy})
}

func (p *proxyFace) do(t *talk, s *step) error {
	f, err := p.set.function(s.tool)
	if err != nil {
		return err
	}
	if !p.read[f] {
		p.read[f] = true
		if _, err := t.must("tool_hydrate", executeArgs{ID: f.ID().String()}); err != nil {
			return err
		}
	}
	_, err = t.must("tool_execute", execution(f, s))
	return err
}
