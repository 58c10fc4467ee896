package main

import (
	"embed"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/registry"
)

// newRegistry has the same functions, without the types of MCP.
func newRegistry(b *book) *registry.Registry {
	reg := registry.New(nil)
	reg.Namespace("notes", "What people want to remember.").Add(
		registry.Func("add", "Write a note.", b.add),
		registry.Func("find", "Find notes that contain a word.", b.find, registry.ReadOnly),
	)
	return reg
}

// same shows clients the tools that they know.
func same(b *book) *plain.Server {
	return plain.NewServer(newRegistry(b), &plain.Options{Name: "notes", Version: "1.1.0"})
}

// both shows the three tools beside the old ones, for as long as some clients need them.
func both(b *book) *mcp.Server {
	s := before(b)
	cash.NewServer(newRegistry(b), nil).AddTo(s)
	return s
}

// The files are skills/<namespace>/<name>.md or skills/<namespace>/<name>/SKILL.md.
//
//go:embed skills
var skills embed.FS

// after shows three tools, and a skill.
func after(b *book) *cash.Server {
	reg := newRegistry(b)
	reg.AddSkills(skills)
	return cash.NewServer(reg, &cash.Options{Name: "notes", Version: "2.0.0"})
}
