package manifest

import (
	"errors"

	"gopkg.in/yaml.v3"

	"github.com/cash-mcp/go-sdk/internal/strictyaml"
)

// maxAliases bounds the aliases of a document. Their targets are bounded fields, so that expansion cannot explode.
const maxAliases = 64

// readYAML returns the top node of the only document in data.
func readYAML(data []byte) (*yaml.Node, error) {
	top, err := strictyaml.Read(data, strictyaml.Limits{Depth: MaxDepth, Aliases: maxAliases})
	var e *strictyaml.Error
	switch {
	case errors.As(err, &e):
		return nil, &Error{Line: e.Line, Column: e.Column, Reason: e.Reason}
	case err != nil:
		return nil, err
	case top == nil:
		return nil, &Error{Reason: "the document is empty"}
	}
	return top, nil
}
