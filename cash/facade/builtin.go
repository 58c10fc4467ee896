package facade

import (
	"github.com/cash-mcp/go-sdk/registry"
)

// The labels of the built-in domains, and the one of their commands that runs
// others.
const (
	toolsLabel  = "tools"
	searchLabel = "search"
	executeName = "execute"
	executePath = toolsLabel + "." + executeName
)

const (
	toolsAbout  = "All tools of this server by their dotted names: find, read, check and run them."
	searchAbout = "Search by words."
)

// builtins are the functions of the built-in domains, in namespaces of their
// labels.
func (s *Server) builtins() *registry.Registry {
	reg := registry.New(nil)
	if s.opts.Tools {
		reg.Namespace(toolsLabel, toolsAbout).Add(s.toolCommands()...)
	}
	if s.opts.Search != nil {
		reg.Namespace(searchLabel, searchAbout).Add(s.searchCommands()...)
	}
	return reg
}

// builtinDomains are the domains that the options ask for.
func (s *Server) builtinDomains() []*domain {
	var list []*domain
	if s.opts.Tools {
		list = append(list, s.builtinDomain(toolsLabel, toolsAbout))
	}
	if s.opts.Search != nil {
		list = append(list, s.builtinDomain(searchLabel, searchAbout))
	}
	return list
}

func (s *Server) builtinDomain(label, about string) *domain {
	d := s.namespace(label, label, about, false)
	d.source, d.builtin = s.builtin, true
	return d
}
