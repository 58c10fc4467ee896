package facade

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// Bounds of an answer of the command help, in characters where nothing else is said.
const (
	maxPage      = 8000 // of the data
	maxFit       = 10   // commands that fit a query, unless there is a limit
	maxListed    = 160  // of the description of a command in a list
	maxDescribed = 3000 // of the description of a command, and of those in a list at level full
	maxExample   = 500  // of the example of a command
	maxHelpName  = 200  // of the dotted name of a parameter
)

// help is the name of the command that each domain has besides its functions.
const help = "help"

// helpName returns the name of the command help in a domain with these commands: help-2 if a function is called help.
func helpName(commands []command) string {
	names := make(map[string]bool, len(commands))
	for _, c := range commands {
		names[label.Lower(c.name)] = true
	}
	name := help
	for n := 2; names[name]; n++ { // only help and help-2 can be taken
		name = fmt.Sprintf("%s-%d", help, n)
	}
	return name
}

// isHelp reports whether cmd is the command help of the domain. It looks in the list, because a look-up of a missing
// name may make other servers be asked.
func (d *domain) isHelp(ctx context.Context, cmd string) (bool, error) {
	cmd = label.Lower(cmd)
	if cmd != help && !strings.HasPrefix(cmd, help+"-") {
		return false, nil
	}
	commands, _, err := d.commands(ctx)
	return err == nil && cmd == helpName(commands), err
}

// helpQuery is the input of the command help.
type helpQuery struct {
	Command string `json:"command,omitempty" jsonschema:"Describe this command and its params. Without it, commands are listed."`
	Query   string `json:"query,omitempty" jsonschema:"List only the commands that fit these words, best first: 10 unless there is a limit."`
	Offset  int    `json:"offset,omitempty" jsonschema:"Entries to skip: next_offset of the page before." cash:"min=0"`
	Limit   int    `json:"limit,omitempty" jsonschema:"Most entries." cash:"min=1"`
}

// A commandList is a page of the commands of a domain.
type commandList struct {
	Commands []listedCommand `json:"commands" cash:"detail=minimal"`
	// NextOffset leads to the next page; 0 at the end.
	NextOffset int    `json:"next_offset,omitempty" cash:"detail=minimal"`
	Note       string `json:"note,omitempty" cash:"detail=minimal"`
	count      int
}

// Count implements [registry.Counter].
func (l *commandList) Count() int { return l.count }

// A listedCommand is a command in a list. At level minimal it is its name alone.
type listedCommand struct {
	Name        string        `json:"name" cash:"detail=minimal"`
	Params      string        `json:"params,omitempty" cash:"detail=standard"` // as in the description of the tool
	Description string        `json:"description,omitempty" cash:"detail=standard"`
	Safety      control.Class `json:"safety,omitempty" cash:"detail=standard"` // only destructive
}

// A commandPage describes a command. A page after the first one has only the name and further parameters.
type commandPage struct {
	Name        string          `json:"name" cash:"detail=minimal"`
	Description string          `json:"description,omitempty" cash:"detail=standard"`
	Safety      control.Class   `json:"safety,omitempty" cash:"detail=standard"`
	Idempotent  bool            `json:"idempotent,omitempty" cash:"detail=standard"`
	DryRun      bool            `json:"dry_run,omitempty" cash:"detail=standard"` // dry_run checks a call
	Params      []helpParam     `json:"params" cash:"detail=minimal"`
	NextOffset  int             `json:"next_offset,omitempty" cash:"detail=minimal"`
	Note        string          `json:"note,omitempty" cash:"detail=standard"`
	Example     json.RawMessage `json:"example,omitempty" cash:"detail=standard"` // params of a call
	Returns     string          `json:"returns,omitempty" cash:"detail=standard"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty" cash:"detail=full"`
}

// A helpParam is a parameter or, with a dotted name, a member of one: items[].quantity.
type helpParam struct {
	Name        string `json:"name" cash:"detail=minimal"`
	Type        string `json:"type" cash:"detail=minimal"`
	Required    bool   `json:"required,omitempty" cash:"detail=minimal"`
	Description string `json:"description,omitempty" cash:"detail=standard"`
	Rules       string `json:"rules,omitempty" cash:"detail=standard"` // allowed values and the default
}

// describeCommands is the command help of every domain.
func (s *Server) describeCommands(ctx context.Context, in helpQuery) (any, error) {
	x := ctx.Value(ownKey{}).(*execution)
	d := x.command.Load().domain
	switch {
	case in.Command != "" && in.Query != "":
		return nil, invalid("Pass command or query, not both.")
	case in.Command == "":
		return d.listCommands(ctx, in, x.in.Detail)
	}
	f, err := s.command(ctx, d, in.Command)
	if err == nil {
		f, err = f.Complete(ctx)
	}
	if err != nil {
		return nil, err
	}
	name := commandName(f)
	if cmd := label.Lower(in.Command); label.Lower(name) != cmd { // help-2, or that of a function of the root
		name = cmd
	}
	return s.pageOf(f, d, name, in, x.in.Detail), nil
}

// listCommands returns a page of the commands that the caller in ctx sees.
func (d *domain) listCommands(ctx context.Context, in helpQuery, level registry.Detail) (*commandList, error) {
	commands, whole, err := d.commands(ctx)
	if err == nil && !whole && len(commands) == 0 {
		var l *registry.Listing
		if l, err = d.source.List(ctx, d.path); err == nil && l.Unavailable != nil {
			err = l.Unavailable
		}
	}
	switch {
	case errors.Is(err, registry.Unavailable):
		return nil, d.notNow(err)
	case err != nil:
		return nil, err
	}
	if in.Query != "" {
		commands = d.search(ctx, commands, in.Query)
		in.Limit = cmp.Or(in.Limit, maxFit)
	}
	list := &commandList{count: len(commands)}
	list.Commands, list.NextOffset = page(len(commands), func(i int) listedCommand { return commands[i].listed(level) }, in, maxPage)
	switch {
	case !whole:
		list.Note = "A part of this domain is unavailable at the moment."
	case in.Query != "" && len(commands) == 0:
		list.Note = "No command fits. Use other words, or list all without query."
	case in.Query == "" && in.Limit == 0 && in.Offset == 0 && list.NextOffset > 0:
		list.Note = "There are more: search with query, go on with offset, or list names alone with detail minimal."
	}
	return list, nil
}

// search returns those of the commands that fit a query, best first.
func (d *domain) search(ctx context.Context, commands []command, query string) (fit []command) {
	path := d.path
	byPath := make(map[string]command, len(commands))
	for _, c := range commands {
		byPath[c.Path()] = c
	}
	if d.root {
		path = "" // finds functions of other domains too
	}
	for _, m := range registry.Search(ctx, d.source, path, query, maxFound) {
		if c, ok := byPath[strings.TrimPrefix(m.Namespace+"."+m.Name, ".")]; ok {
			fit = append(fit, c)
		}
	}
	return fit
}

// page returns as many of n items as fit into room, from the offset of in on: at least one, and at most its limit. next
// is the offset of the following ones, 0 if there are none.
func page[T any](n int, item func(int) T, in helpQuery, room int) (list []T, next int) {
	list = []T{}
	for i := in.Offset; i < n; i++ {
		one := item(i)
		room -= utf8.RuneCount(strictjson.MustMarshal(one)) + len(",")
		if len(list) > 0 && (room < 0 || len(list) == in.Limit) {
			return list, i
		}
		list = append(list, one)
	}
	return list, 0
}

func (c command) listed(level registry.Detail) listedCommand {
	l := listedCommand{Name: c.name}
	if level == registry.Minimal {
		return l
	}
	params := signature(c.Function, true)
	l.Params = params[1 : len(params)-1]
	most := maxListed
	if level == registry.Full {
		most = maxDescribed
	}
	l.Description = clean.Line(c.About(), most)
	if c.Destructive() {
		l.Safety = control.Destructive
	}
	return l
}

// pageOf returns a page about a command: what it is on the first page, and its parameters.
func (s *Server) pageOf(f *registry.Function, d *domain, name string, in helpQuery, level registry.Detail) *commandPage {
	params := appendParams(nil, "", f.Params(), level)
	p := &commandPage{Name: name}
	if in.Offset == 0 && level != registry.Minimal {
		p.Description = clean.Cut(f.About(), maxDescribed)
		p.Safety, p.Idempotent = control.ClassOf(f), f.Idempotent()
		p.DryRun = face{s}.plans() && f != s.help && (!d.builtin || f.Path() == executePath)
		p.Returns = clean.Cut(clean.Text(f.Returns()), maxExample)
		p.Note = noteOf(f)
		if example := clean.JSON(f.Example(false)); len(example) <= maxExample && string(example) != "{}" {
			p.Example = example
		}
	}
	room := maxPage - utf8.RuneCount(strictjson.MustMarshal(p))
	if in.Offset == 0 && level == registry.Full {
		schema := clean.JSON(f.InputSchema())
		if n := utf8.RuneCount(schema); n < room {
			p.InputSchema, room = schema, room-n
		} else {
			p.Note = strings.TrimSpace(p.Note + " The JSON Schema is too long to be shown.")
		}
	}
	p.Params, p.NextOffset = page(len(params), func(i int) helpParam { return params[i] }, in, room)
	return p
}

// noteOf says what the list of parameters does not.
func noteOf(f *registry.Function) string {
	var notes []string
	switch {
	case f.Open() && len(f.Params()) == 0:
		notes = append(notes, "Any params are accepted.")
	case f.Open():
		notes = append(notes, "Further params are accepted.")
	}
	if text := f.Partial(); text != "" {
		notes = append(notes, text)
	}
	return strings.Join(notes, " ")
}

// appendParams appends parameters and, below them, their members.
func appendParams(list []helpParam, prefix string, params []registry.Param, level registry.Detail) []helpParam {
	for _, p := range params {
		one := helpParam{Name: clean.Line(prefix+p.Name, maxHelpName), Type: p.Type, Required: p.Required}
		if level != registry.Minimal {
			one.Description, one.Rules = p.Description, p.Rules
		}
		below := one.Name + "."
		if strings.HasPrefix(p.Type, "array") {
			below = one.Name + "[]."
		}
		list = appendParams(append(list, one), below, p.Fields, level)
	}
	return list
}
