package wire

import "github.com/cash-mcp/go-sdk/registry"

// RemoteFunc builds a function. If its schema is unusable, the server checks the arguments itself. The error, which is
// also the function's Problem, says why, or why only a part of the schema is used.
func RemoteFunc(name, about string, r registry.Remote, facts []registry.FuncOption) (*registry.Function, error) {
	f, problem := registry.RemoteFunc(name, about, r, facts...)
	if problem == nil {
		return f, f.Problem()
	}
	r.InputSchema, r.Problem = nil, problem
	f, err := registry.RemoteFunc(name, about, r, facts...)
	if err != nil {
		panic("wire: " + err.Error()) // our own schema is always valid
	}
	return f, problem
}
