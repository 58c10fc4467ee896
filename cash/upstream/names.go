package upstream

import "github.com/cash-mcp/go-sdk/registry"

func canonicalPath(path string) string {
	c, _ := registry.CanonicalPath(path)
	return c
}

func key(name string) string {
	k, _ := registry.Canonical(name)
	return k
}
