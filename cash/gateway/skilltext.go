package gateway

import (
	"context"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
	"github.com/cash-mcp/go-sdk/registry"
)

// Skills are written for the tools call, help and skill. This face has others, so a text names
// these instead:
//
//	call(namespace="orders", function="get", kwargs={…})  ->  tool_execute(tool_id="orders:get#5976b29e", args={…})
//	help(namespace="orders", function="get")              ->  tool_execute(tool_id="orders:get#5976b29e", dry_run=true)
//	help(namespace="orders")                              ->  tool_browse(path="/orders")
//	skill(namespace="orders", skillname="refund")         ->  tool_execute(tool_id="skill::orders:refund#63f08f9e")
//
// What names nothing that the caller sees stays as it is, and a first line says what it means here.

// maxSpoken is the most invocations of a text that are put into other words.
const maxSpoken = 1000

// spoken returns the text of a skill in the words of this face.
func (s *Server) spoken(ctx context.Context, text string) string {
	var b strings.Builder
	done, count, left := 0, 0, false
	for inv := range skillmd.Invocations(text) {
		if count++; count > maxSpoken {
			left = true
			break
		}
		start := strings.LastIndex(text[:inv.Inside], inv.Tool)
		i := invocation{text: text, inv: inv}
		other, ok := "", false
		if inv.Whole && start >= done {
			other, ok = s.reword(ctx, &i)
		}
		if !ok {
			left = true
			continue
		}
		b.WriteString(text[done:start])
		b.WriteString(other)
		done = inv.End
	}
	b.WriteString(text[done:])
	if !left {
		return b.String()
	}
	return s.legend() + "\n\n" + b.String()
}

// legend says what the tools of skills are here.
func (s *Server) legend() string {
	where := "help is " + browseName + ", whose cards have the ids."
	if s.opts.Mode == Proxy {
		where = "the ids are the names in tools/list, and help is tool_hydrate."
	}
	return "(Here, call and skill are " + executeName + " with an id as tool_id and kwargs as args; " + where + ")"
}

// reword returns an invocation in the words of this face; false if it names nothing that the caller
// sees, or has arguments that cannot be told.
func (s *Server) reword(ctx context.Context, i *invocation) (string, bool) {
	if !i.read() {
		return "", false
	}
	src := s.tools.source
	switch {
	case i.inv.Tool == "skill" && i.name != "":
		sk, err := src.Skill(ctx, i.namespace, i.name)
		if err != nil {
			return "", false
		}
		return i.write(executeName, "tool_id", sk.ID().String(), true), true
	case i.name != "":
		f, err := src.Function(ctx, i.namespace, i.name)
		if err != nil {
			return "", false
		}
		id := f.Primitive().String()
		switch {
		case i.inv.Tool == "call":
			return i.write(executeName, "tool_id", id, true), true
		case s.opts.Mode == Proxy:
			return i.write(hydrateName, "tool_id", id, false), true
		}
		return i.dryRun(id), true
	case i.inv.Tool == "call" || s.opts.Mode == Proxy || i.kwargs != "":
		return "", false
	}
	canonical, ok := registry.CanonicalPath(i.namespace)
	if _, err := src.List(ctx, canonical); !ok || err != nil {
		return "", false
	}
	return i.write(browseName, "path", "/"+strings.ReplaceAll(canonical, ".", "/"), false), true
}

// An invocation is one of the three tools in a text.
type invocation struct {
	text string
	inv  skillmd.Invocation

	namespace, name, kwargs string
	open, close             string // the quotes of the text
}

// read reads the arguments. It reports false for those that cannot be told: of other names, and
// names that are not strings.
func (i *invocation) read() bool {
	i.open, i.close = `"`, `"`
	positional := []string{"namespace", "function", "kwargs"}
	if len(i.inv.Arguments) == 1 && i.inv.Tool != "help" {
		positional = positional[1:]
	}
	for n, arg := range i.inv.Arguments {
		key, _ := registry.Canonical(arg.Name)
		if arg.Name == "" {
			if n >= len(positional) {
				return false
			}
			key = positional[n]
		}
		value := i.text[arg.ValueStart:arg.ValueEnd]
		switch {
		case key == "kwargs" || key == "sizelimit":
		case arg.Quote > 0:
			i.open, i.close = i.text[arg.ValueStart-arg.Quote:arg.ValueStart], i.text[arg.ValueEnd:arg.ValueEnd+arg.Quote]
		case value != "null" && value != "None":
			return false // a placeholder
		default:
			value = ""
		}
		switch key {
		case "namespace":
			i.namespace = value
		case "function", "skillname", "name":
			i.name = value
		case "kwargs":
			i.kwargs = i.text[arg.ValueStart-arg.Quote : arg.ValueEnd+arg.Quote]
		case "sizelimit": // the firewall bounds results here
		default:
			return false
		}
	}
	return true
}

// write returns the invocation of a tool with one argument, and with args if they are wanted.
func (i *invocation) write(tool, key, value string, args bool) string {
	more := ""
	if args && i.kwargs != "" {
		more = i.join("args", i.kwargs)
	}
	return i.wrap(tool, key, value, more)
}

// dryRun returns the invocation that shows the schema of a tool.
func (i *invocation) dryRun(id string) string {
	return i.wrap(executeName, "tool_id", id, i.join("dry_run", "true"))
}

// inMap reports whether the arguments are the members of a map.
func (i *invocation) inMap() bool { return i.text[i.inv.Inside-1] == '{' }

func (i *invocation) join(key, value string) string {
	if i.inMap() {
		return ", " + i.open + key + i.close + ": " + value
	}
	return ", " + key + "=" + value
}

func (i *invocation) wrap(tool, key, value, more string) string {
	first := strings.TrimPrefix(i.join(key, i.open+value+i.close), ", ")
	if i.inMap() {
		return tool + "({" + first + more + "})"
	}
	return tool + "(" + first + more + ")"
}
