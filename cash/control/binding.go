package control

import (
	"fmt"
	"hash"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// binding is the identity of a call: the owner, the function's definition, and the arguments in canonical order.
func binding(c *registry.Call) []string {
	return []string{c.Owner(), c.Function.Definition(), string(strictjson.Canonical(c.Arguments))}
}

// writeBinding writes the identity of a call to h.
func writeBinding(h hash.Hash, c *registry.Call) { writeParts(h, binding(c)...) }

// writeParts writes texts so that different lists give different bytes.
func writeParts(h hash.Hash, parts ...string) {
	fmt.Fprintf(h, "%d;", len(parts))
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
}

// recognised returns the owner without the caller that a mounting server names: such a server may name any number.
func recognised(owner string) string {
	own, _, _ := strings.Cut(owner, "\x00")
	return own
}
