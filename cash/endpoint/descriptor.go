package endpoint

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Descriptor describes a tool (section "Tool descriptors").
type Descriptor struct {
	Name        string `json:"name"`        // used in calls
	Description string `json:"description"` // for a model
	// Command shows a call as a command line. It is for readers, and never run.
	Command string `json:"command"`
	// Origin is local or remote: where the tool runs, as the endpoint sees it.
	Origin string `json:"origin"`
	// Safety describes the effects of a call in words.
	Safety string `json:"safety"`
	// InputSchema and ResultSchema are JSON Schemas of the arguments, and of the object in the answer's member
	// result.
	InputSchema  json.RawMessage `json:"input_schema"`
	ResultSchema json.RawMessage `json:"result_schema"`
	// Other is an object with the members that the protocol does not name, as the endpoint sent them. Nil is none.
	Other json.RawMessage `json:"-"`
}

// The values of [Descriptor.Origin].
const (
	Local  = "local"
	Remote = "remote"
)

// describe returns the descriptor of a function: that of its own endpoint if it has one. Schemas keep their bytes,
// because arguments are validated against them.
func describe(f *registry.Function) Descriptor {
	d := Descriptor{
		Name: f.Path(), Description: f.About(), Command: usage(f), Origin: Local,
		Safety: safety(f), InputSchema: f.InputSchema(), ResultSchema: f.OutputSchema(),
	}
	if f.Remote() {
		d.Origin = Remote
	}
	if typ := strictjson.Member(d.ResultSchema, "type"); !isObject(d.ResultSchema) || typ != nil && strictjson.Text(typ) != "object" {
		d.ResultSchema = resultSchema(f.Returns())
	}
	return forwarded(f, d)
}

// safety words the known effects of a call.
func safety(f *registry.Function) string {
	if f.ReadOnly() {
		return "Read-only: a call changes nothing."
	}
	text := "A call may change something."
	if f.Destructive() {
		text = "Destructive: a call may delete or overwrite."
	}
	if f.Idempotent() {
		text += " The same call twice has the effect of once."
	}
	return text
}

// resultSchema returns a schema with a description only, for a result without a known schema.
func resultSchema(returns string) json.RawMessage {
	about := struct {
		Type        string `json:"type"`
		Description string `json:"description,omitempty"`
	}{"object", returns}
	return strictjson.MustMarshal(about)
}

// maxUsage bounds the example command line, in bytes.
const maxUsage = 300

// usage returns an example command line: the required parameters, then the optional ones in brackets, as long as
// they are plain names and there is room.
func usage(f *registry.Function) string {
	line, all := f.Path(), true
	for _, required := range []bool{true, false} {
		for _, p := range f.Params() {
			if p.Required != required {
				continue
			}
			shown := fmt.Sprintf(" %s=%s", p.Name, strings.ToUpper(p.Name))
			if !required {
				shown = " [" + shown[1:] + "]"
			}
			if !isPlain(p.Name) || len(line)+len(shown) > maxUsage {
				all = false
				continue
			}
			line += shown
		}
	}
	if !all {
		line += " ..."
	}
	return line
}

// isPlain reports whether a name has no special meaning in a shell, in case somebody pastes it there.
func isPlain(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_':
		case i > 0 && (c == '-' || c == '.'):
		default:
			return false
		}
	}
	return name != ""
}
