package control

import (
	"fmt"
	"hash"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// writeBinding writes to h what makes two calls the same: who calls, the
// function as it is defined, and the arguments in whatever order.
func writeBinding(h hash.Hash, c *registry.Call) {
	writeParts(h, c.Owner(), c.Function.Definition(), string(strictjson.Canonical(c.Arguments)))
}

// writeParts writes texts such that different lists are different bytes.
func writeParts(h hash.Hash, parts ...string) {
	fmt.Fprintf(h, "%d;", len(parts))
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
}

// recognised returns an owner without the one for whom it says that it calls: a
// server that mounts this one may name as many as it likes.
func recognised(owner string) string {
	own, _, _ := strings.Cut(owner, "\x00")
	return own
}
