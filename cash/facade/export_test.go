package facade

import "encoding/json"

// ReadRequest reads the arguments of a tool, for fuzzing: the cmd, its echo, and
// the error, empty if there is none.
func ReadRequest(data json.RawMessage) (cmd string, echo, params json.RawMessage, err string) {
	r := readRequest(data, false)
	if r.err != nil {
		err = r.err.Error()
	}
	return r.Cmd, r.echo, r.Params, err
}

// ToolName is the name of a domain's tool.
func ToolName(label string) string { return toolName(label) }
