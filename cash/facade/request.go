package facade

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/search"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// request is a parsed [Request].
type request struct {
	Request
	echo   json.RawMessage // cmd as sent; nil if absent
	plans  bool            // dry_run and plan_token are accepted
	beside []string        // unknown members
	err    error           // why it cannot be answered
}

// newRequest converts the request of a Go program.
func newRequest(req *Request) *request {
	r := new(request)
	if req != nil {
		r.Request = *req
	}
	if r.Cmd != "" {
		r.echo = echoText(r.Cmd)
	}
	if len(r.Params) > 0 {
		if err := strictjson.Check(r.Params); err != nil {
			r.err = invalid(fmt.Sprintf("params is not valid JSON: %v.", err))
			return r
		}
	}
	r.err = r.check()
	return r
}

const (
	maxEcho   = 1024 // bytes of an echoed cmd
	maxBeside = 64   // unknown members that are examined
)

// readRequest parses the arguments of a tool. plans says that dry_run and plan_token are accepted. JSON null counts as
// absent.
func readRequest(data json.RawMessage, plans bool) *request {
	r := &request{plans: plans}
	if len(data) == 0 {
		r.err = cmdRequired()
		return r
	}
	// One more level than the arguments of functions, which are nested inside.
	if err := strictjson.CheckDepth(data, strictjson.MaxDepth+1); err != nil {
		r.echo = onlyCmd(data)
		r.err = invalid(fmt.Sprintf("The arguments are not valid JSON: %v.", err))
		return r
	}
	if kind := strictjson.KindOf(data); kind != strictjson.Object && kind != strictjson.Null {
		r.err = invalid(fmt.Sprintf("The arguments must be a JSON object, not of type %s.", kind))
		return r
	}
	members := make(map[string]json.RawMessage)
	for key, value := range strictjson.Members(data) {
		switch {
		case key == "cmd" || key == "detail" || key == "params" || plans && (key == "dry_run" || key == "plan_token"):
			members[key] = value
		case strictjson.KindOf(value) == strictjson.Null || isDryRun(key) && string(value) == "false":
		case len(r.beside) < maxBeside:
			r.beside = append(r.beside, key)
		}
	}
	r.echo = echoOf(members["cmd"])
	r.err = r.fill(members)
	return r
}

func (r *request) fill(members map[string]json.RawMessage) error {
	r.Cmd = strictjson.Text(members["cmd"])
	r.Detail = registry.Detail(strictjson.Text(members["detail"]))
	r.Params = members["params"]
	r.PlanToken = strictjson.Text(members["plan_token"])
	r.DryRun = string(members["dry_run"]) == "true"
	if err := r.check(); err != nil {
		if i := slices.IndexFunc(r.beside, isCmd); i >= 0 && members["cmd"] == nil {
			return invalid(cmdRequired().Message + ": " + shown(r.beside[i]) + " is not known here, it is spelt cmd.")
		}
		return err
	}
	for _, m := range []struct {
		name string
		want strictjson.Kind
	}{{"detail", strictjson.String}, {"dry_run", strictjson.Bool}, {"plan_token", strictjson.String}} {
		switch kind := strictjson.KindOf(members[m.name]); {
		case kind == m.want || kind == strictjson.Null:
		case m.name == "detail":
			return unknownDetail()
		default:
			return invalid(fmt.Sprintf("%s must be of type %s, not %s.", m.name, m.want, kind))
		}
	}
	return nil
}

// check completes and validates a request (F20).
func (r *request) check() error {
	if r.Cmd == "" {
		return cmdRequired()
	}
	switch {
	case r.Detail == "":
		r.Detail = registry.Standard
	case !r.Detail.Known():
		return unknownDetail()
	}
	params, err := asObject(r.Params)
	r.Params = params
	return err
}

// asObject returns params as an object. A string that spells an object is accepted; null is an empty object.
func asObject(value json.RawMessage) (json.RawMessage, error) {
	kind := strictjson.KindOf(value)
	if text := []byte(strictjson.Text(value)); kind == strictjson.String && strictjson.KindOf(text) == strictjson.Object {
		if err := strictjson.Check(text); err != nil {
			return nil, invalid(fmt.Sprintf("params must be a JSON object; the text in it is not valid JSON: %v.", err))
		}
		return text, nil
	}
	switch kind {
	case strictjson.Object:
		return value, nil
	case strictjson.Null:
		return nil, nil
	}
	return nil, invalid(fmt.Sprintf("params must be a JSON object, not of type %s.", kind))
}

// misplaced rejects mistakes that would otherwise be ignored while the command runs: parameters beside params or under
// another name, misspelt members, and a dry run where dry runs are not supported.
func (r *request) misplaced(f *registry.Function) error {
	if len(r.beside) == 0 {
		return nil
	}
	var names []string
	for _, p := range f.Params()[:min(len(f.Params()), maxCompared)] {
		names = append(names, p.Name)
	}
	for _, key := range r.beside {
		switch {
		case slices.Contains(names, key):
			return invalid(fmt.Sprintf("The parameter %s belongs in params.", shown(key)))
		case isParams(key):
			return invalid(fmt.Sprintf("%s is not known here: the parameters of a command belong in params. The command was not run.", shown(key)))
		case isDryRun(key) && r.plans:
			return invalid(fmt.Sprintf("%s is not known here: it is spelt dry_run. The command was not run.", shown(key)))
		case isDryRun(key):
			return invalid(fmt.Sprintf("%s is not known here, where no dry runs are made. The command was not run.", shown(key)))
		}
		if meant := search.Similar(key, []string{"detail", "params"}, 1); meant != nil {
			return invalid(fmt.Sprintf("%s is not known here. Did you mean %s? The command was not run.", shown(key), meant[0]))
		}
		if meant := search.Similar(key, names, 1); meant != nil {
			return invalid(fmt.Sprintf("%s is not known here. Did you mean the parameter %s? It belongs in params. The command was not run.", shown(key), shown(meant[0])))
		}
	}
	return nil
}

// maxCompared bounds the parameters with which unknown members are compared.
const maxCompared = 500

// isParams reports whether a member has a name that other faces and protocols use for params.
func isParams(key string) bool {
	switch canonical(key) {
	case "params", "parameters", "param", "arguments", "args", "kwargs", "input":
		return true
	}
	return false
}

// isCmd reports whether a member has a name that models use for cmd.
func isCmd(key string) bool {
	switch canonical(key) {
	case "cmd", "command", "function", "action", "operation", "method":
		return true
	}
	return false
}

func isDryRun(key string) bool { return canonical(key) == "dryrun" }

// echoOf returns the echo of a cmd (F4), or nil if it is no text.
func echoOf(value json.RawMessage) json.RawMessage {
	if strictjson.KindOf(value) != strictjson.String {
		return nil
	}
	return echoText(strictjson.Text(value))
}

// echoText returns the echo of a text. A long one is cut. Invisible characters are escaped.
func echoText(cmd string) json.RawMessage {
	if len(cmd) > maxEcho {
		cmd = clean.Beginning(cmd, maxEcho) + "…"
	}
	return wire.EscapeHidden(strictjson.MustMarshal(cmd))
}

// onlyCmd returns the cmd of arguments that are valid JSON but rejected here, if cmd is unambiguous.
func onlyCmd(data []byte) (echo json.RawMessage) {
	if !json.Valid(data) {
		return nil
	}
	for key, value := range strictjson.Members(data) {
		if key != "cmd" {
			continue
		}
		if echo != nil || strictjson.Check(value) != nil {
			return nil
		}
		echo = echoOf(value)
	}
	return echo
}
