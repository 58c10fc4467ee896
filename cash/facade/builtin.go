package facade

import (
	"github.com/cash-mcp/go-sdk/registry"
)

// The labels of the built-in domains, and the command of ToolsExecute that runs functions.
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

// builtins returns the functions of the built-in domains, in one namespace per domain.
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

// builtinDomains returns the domains that the options enable.
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
