package control

import (
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// parseToolKey parses the operator's name of a function: an id, or a dotted path in any spelling. The result is
// comparable with [toolKeys].
func parseToolKey(key string) (string, error) {
	if strings.Contains(key, ":") {
		id, err := toolid.ParsePrimitive(key)
		if err != nil {
			return "", err
		}
		return id.String(), nil
	}
	path, ok := registry.CanonicalPath(key)
	if !ok || path == "" {
		return "", fmt.Errorf("%.80q is neither an id nor a dotted path", key)
	}
	return path, nil
}

// toolKeys returns all keys of a function: its id, the id without hash or version, and its path.
func toolKeys(f *registry.Function) [4]string {
	id := f.Primitive()
	noHash, noVersion := id, id
	noHash.Hash, noVersion.Version = "", ""
	path, _ := registry.CanonicalPath(f.Path())
	return [...]string{id.String(), noHash.String(), noVersion.String(), path}
}
