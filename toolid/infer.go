package toolid

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
)

// fallback is the namespace of tools whose name has none.
const fallback = "mcp"

// FromTool returns the id of a tool from the name, input schema and version that its source declares. The version may
// be empty. The id has the version if there is one, else a hash (sections 1.2 to 1.4). The namespace is the text before
// the first dot, else before the first slash, else before the first run of underscores, else "mcp".
//
// FromTool is strict: a name or version outside the grammar is an error. So is a schema that [Hash] cannot read, if a
// hash is needed. Use [FromTools] for a whole catalog and for arbitrary names.
func FromTool(name string, inputSchema json.RawMessage, version string) (ID, error) {
	id := split(name, "")
	id.Version = version
	err := id.check()
	if err == nil && version == "" {
		id.Hash, err = Hash(name, inputSchema)
	}
	if err != nil {
		return ID{}, fmt.Errorf("tool %s: %w", quote(name), err)
	}
	return id, nil
}

// split infers the namespace and the name within it. A dot or slash is dropped; underscores stay, because they may be
// part of the name. Without a dot or slash, the namespace is the server's, if its name is known.
func split(name, server string) ID {
	for _, sep := range []string{".", "/"} {
		namespace, rest, found := strings.Cut(name, sep)
		switch {
		case !found || namespace == "":
			continue
		case rest == "":
			rest = name
		}
		return ID{Namespace: namespace, Name: rest}
	}
	if server != "" {
		return below(server, name)
	}
	if i := strings.IndexByte(name, '_'); i > 0 && strings.IndexByte(name[i+1:], '_') >= 0 {
		return ID{Namespace: name[:i], Name: name}
	}
	return ID{Namespace: fallback, Name: name}
}

// below returns the namespace of a server and the name of its tool there. Of a server with a dotted path, the first
// label is the namespace.
func below(server, name string) ID {
	first, rest, deep := strings.Cut(server, ".")
	if deep {
		name = rest + "." + name
	}
	return ID{Namespace: label.Lower(first), Name: name}
}
