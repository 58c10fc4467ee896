package facade

import (
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

const (
	maxDescription = 2000 // bytes of a tool's description; clients cut longer ones
	maxAbout       = 400  // characters of a domain's own description
	maxSignature   = 300  // bytes of the parameters of a command
	maxParamName   = 60   // characters
)

const (
	commandsAre     = "Commands, with their params (? is optional): "
	destructiveMark = " [destructive]"
	notNow          = " Unavailable at the moment."
)

// describe returns the description of a domain for the model: its subject and its commands. If it is too long,
// parameters are omitted, longest lists first, and then the last commands, whose number is shown.
func (d *domain) describe(commands []command, whole bool) string {
	var b strings.Builder
	if about := clean.Cut(clean.Flow(d.description), maxAbout); about != "" {
		b.WriteString(about)
		b.WriteByte(' ')
	}
	if len(commands) > 0 {
		b.WriteString(commandsAre)
	}
	end := "."
	if !whole {
		end += notNow
	}
	listCommands(&b, commands, maxDescription-b.Len()-len(end))
	if len(commands) > 0 {
		b.WriteString(end)
	} else if !whole {
		b.WriteString(strings.TrimSpace(notNow))
	}
	return strings.TrimSpace(b.String())
}

// listCommands writes as many commands as fit into room, and then as many of their parameters as fit.
func listCommands(b *strings.Builder, commands []command, room int) {
	n := len(commands)
	if all := size(commands); all <= room {
		room -= all
	} else {
		room -= len(fmt.Sprintf(", and %d more", n))
		for n = 0; size(commands[n:n+1]) <= room; n++ {
			room -= size(commands[n : n+1])
		}
		room = 0
	}
	for i, c := range commands[:n] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.name)
		if params := signature(c.Function); len(params) <= room {
			b.WriteString(params)
			room -= len(params)
		}
		b.WriteString(c.mark())
	}
	if n < len(commands) {
		fmt.Fprintf(b, ", and %d more", len(commands)-n)
	}
}

// size returns the bytes of a list of commands without parameters.
func size(commands []command) (n int) {
	for _, c := range commands {
		n += len(", ") + len(c.name) + len(c.mark())
	}
	return n
}

func (c command) mark() string {
	if c.Destructive() {
		return destructiveMark
	}
	return ""
}

// signature returns the parameters of a function in parentheses, without advanced ones.
func signature(f *registry.Function) string {
	var b strings.Builder
	b.WriteByte('(')
	for _, p := range f.Params() {
		if p.Advanced {
			continue
		}
		name := clean.Line(p.Name, maxParamName)
		if !p.Required {
			name += "?"
		}
		if b.Len()+len(name)+len(", ...)") > maxSignature {
			b.WriteString(", ...")
			break
		}
		if b.Len() > 1 {
			b.WriteString(", ")
		}
		b.WriteString(name)
	}
	if b.Len() == 1 && f.Open() {
		b.WriteString("...")
	}
	b.WriteByte(')')
	return b.String()
}
