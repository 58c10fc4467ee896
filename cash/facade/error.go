package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/search"
	"github.com/cash-mcp/go-sdk/registry"
)

// Bounds of error messages, in characters or bytes.
const (
	maxError      = 16_000
	maxShown      = 64   // of a name that was sent, as on the other faces
	maxCommands   = 1000 // of the available commands
	maxParameters = 2000 // of the parameters of a command
	maxAboutParam = 500  // of one parameter
)

// failure returns the response for an error: its message and the next step (Y2).
func failure(echo json.RawMessage, err error) *Response {
	e := registry.AsError(err).For(word)
	text := cleanError(e.Error())
	if text == "" {
		text = "The command failed without saying why."
	}
	return &Response{Cmd: echo, Error: text, Err: e, Meta: map[string]any{registry.MetaCode: string(e.Kind)}}
}

// word returns the next step in terms of this face. The parameters of a command stand in the error already.
func word(e *registry.Error, next registry.Step) string {
	if next == registry.LookUp && e.Kind != registry.UnknownNamespace { // the domain is a tool
		return "The command help of each tool lists its commands."
	}
	return ""
}

// render returns the result for an error that occurs before the domain is known.
func (f face) render(err error, arguments json.RawMessage) *registry.Result {
	r := failure(readRequest(arguments, false).echo, err)
	r.TextOnly = f.opts.TextOnly
	return r.result()
}

func cleanError(text string) string { return strings.TrimSpace(clean.Cut(clean.Text(text), maxError)) }

// shown returns a name that was sent, bounded, with a question mark for each invisible character but a blank.
func shown(name string) string {
	n := 0
	name = strings.Map(func(r rune) rune {
		switch n++; {
		case n > maxShown:
			return -1
		case r == ' ' || clean.Visible(r):
			return r
		}
		return '?'
	}, clean.Beginning(name, 8*maxShown))
	if n > maxShown {
		name += "…"
	}
	return name
}

func invalid(message string) *registry.Error {
	return &registry.Error{Kind: registry.InvalidArguments, Message: message, NotRun: true}
}

// cmdRequired has the text of the specification.
func cmdRequired() *registry.Error { return invalid("cmd is required") }

func unknownDetail() *registry.Error {
	return invalid("Unknown detail. It is one of minimal, standard and full; without it, it is standard.")
}

// unknownCommand returns an error that lists the available commands that the caller sees (F6).
func (d *domain) unknownCommand(ctx context.Context, cmd string) error {
	e := &registry.Error{
		Kind: registry.UnknownFunction, Namespace: d.path, NotRun: true,
		Message: "Unknown command: " + shown(cmd) + ".",
	}
	list, _, err := d.commands(ctx)
	if err != nil || len(list) == 0 {
		return e // the command is unknown, whatever the list says
	}
	own := helpName(list)
	names := []string{own}
	for _, c := range list {
		names = append(names, c.name)
	}
	if meant := search.Similar(cmd, names, 3); len(meant) > 0 {
		e.Message += " Did you mean " + strings.Join(meant, " or ") + "?"
	}
	all := clean.List(names, maxCommands)
	e.Hint = "Available commands: " + all + "."
	if len(all) < len(strings.Join(names, ", ")) {
		e.Hint += " The command " + own + " finds the others."
	}
	return e
}

// notNow returns the error of a command whose domain or namespace is unavailable.
func (d *domain) notNow(err error) error {
	if d.unavailable {
		return unavailable("The domain `"+d.label+"`", err)
	}
	return unavailable("A part of the domain `"+d.label+"`", err)
}

// unavailable returns the error that names what is unavailable (F10).
func unavailable(what string, err error) error {
	e := registry.AsError(err)
	own := *e
	own.Message = strings.TrimSpace(fmt.Sprintf("%s is unavailable. %s", what, e.Message))
	return &own
}

// withParameters adds the parameters of a command to an error about arguments. Their types are shown nowhere else.
func withParameters(name string, f *registry.Function, err error) error {
	e := registry.AsError(err)
	if e.Kind != registry.InvalidArguments || e.Hint != "" && e.Next == registry.NoStep {
		return err
	}
	own := *e
	own.Hint, own.Next = parameters(name, f), registry.NoStep
	return &own
}

func parameters(name string, f *registry.Function) string {
	var list []string
	for _, p := range f.Params() {
		about := typeOf(p)
		if p.Required {
			about += ", required"
		}
		if p.Rules != "" {
			about += "; " + p.Rules
		}
		list = append(list, clean.Line(p.Name, maxShown)+" ("+clean.Line(about, maxAboutParam)+")")
	}
	if list == nil {
		if f.Open() {
			return name + " takes any parameters."
		}
		return name + " takes no parameters."
	}
	return "Parameters of " + name + ": " + clean.List(list, maxParameters) + "."
}

// typeOf returns the type of a parameter, with the types of an object's members: array of {id: string, note?: string}.
// Without them a model would have to guess.
func typeOf(p registry.Param) string {
	if len(p.Fields) == 0 || strings.Count(p.Type, "{") != 1 { // with two objects the owner of the members is unclear
		return p.Type
	}
	before, names, _ := strings.Cut(p.Type, "{")
	_, after, _ := strings.Cut(names, "}") // the other types, such as null
	members := make([]string, len(p.Fields))
	for i, f := range p.Fields {
		members[i] = f.Name
		if !f.Required {
			members[i] += "?"
		}
		members[i] += ": " + typeOf(f)
		if f.Rules != "" {
			members[i] += " (" + strings.TrimSuffix(f.Rules, ".") + ")"
		}
	}
	return before + "{" + strings.Join(members, ", ") + "}" + after
}
