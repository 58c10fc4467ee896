package cashtext

import (
	"strings"

	"github.com/cash-mcp/go-sdk/internal/skillmd"
	"github.com/cash-mcp/go-sdk/registry"
)

// invocations rewrites the namespaces in call(...), help(...) and skill(...). It also returns where the arguments of
// complete invocations are.
func (m Mount) invocations(text string) (edits []edit, inside []span) {
	tails := tails{text: text, budget: 4*len(text) + maxTail}
	for inv := range skillmd.Invocations(text) {
		c := command{text: text, inv: inv}
		c.read()
		if e, ok := m.invocation(&c, &tails); ok {
			edits = append(edits, e)
		}
		if inv.Whole {
			inside = append(inside, span{inv.Inside, inv.End})
		}
	}
	return edits, inside
}

// A command is an invocation with the indexes of its relevant arguments; -1 is none.
type command struct {
	text       string
	inv        skillmd.Invocation
	namespace  int
	name       int // name of the function or the skill
	positional int // number of leading arguments without a keyword
}

func (c *command) read() {
	c.namespace, c.name = -1, -1
	for i, arg := range c.inv.Arguments {
		key, _ := canonicalLabel(arg.Name)
		switch {
		case arg.Name == "" && i == c.positional:
			c.positional++
		case key == "namespace" && c.namespace < 0:
			c.namespace = i
		case c.isNull(i):
			// null is the same as missing
		case c.name < 0 && isNameKey(c.inv.Tool, key):
			c.name = i
		}
	}
}

func isNameKey(tool, key string) bool {
	if tool == "skill" {
		return key == "skillname" || key == "name"
	}
	return key == "function"
}

// value returns argument i as it is spelled, without quotes.
func (c *command) value(i int) string {
	arg := c.inv.Arguments[i]
	return c.text[arg.ValueStart:arg.ValueEnd]
}

func (c *command) isString(i int) bool { return c.inv.Arguments[i].Quote > 0 }

func (c *command) isNull(i int) bool {
	return !c.isString(i) && (c.value(i) == "null" || c.value(i) == "None")
}

func (m Mount) invocation(c *command, tails *tails) (edit, bool) {
	switch {
	case c.namespace >= 0:
		return m.given(c, c.namespace)
	case c.positional > 0:
		return m.byPosition(c)
	case c.inv.Tool == "call" && c.name < 0,
		!c.inv.Whole && !tails.complete(c.inv.End):
		return edit{}, false
	}
	return m.missing(c, c.inv.Tool == "skill" && c.name >= 0)
}

// given rewrites argument i, the namespace.
func (m Mount) given(c *command, i int) (edit, bool) {
	arg := c.inv.Arguments[i]
	switch {
	case c.isString(i):
		return m.move(c.text, arg.ValueStart, arg.ValueEnd)
	case c.isNull(i) && m.atRoot():
		return edit{arg.ValueStart, arg.ValueEnd, `"` + m.To + `"`}, true
	case m.knows(c.value(i)):
		return m.move(c.text, arg.ValueStart, arg.ValueEnd)
	}
	return edit{}, false
}

// knows reports whether a name is a namespace of the server.
func (m Mount) knows(name string) bool {
	path, ok := registry.CanonicalPath(name)
	return ok && m.Known[path]
}

// byPosition rewrites arguments without keywords. The first of several is the namespace; so is the only one of
// help. The only one of call or skill is a name, unless a keyword gives the name or it is a dotted path.
func (m Mount) byPosition(c *command) (edit, bool) {
	switch {
	case !c.isString(0):
		return edit{}, false // a placeholder, as in help(namespace)
	case c.positional > 1, c.inv.Tool == "help", c.name >= 0, strings.Contains(c.value(0), "."):
		return m.given(c, 0)
	}
	return m.missing(c, c.inv.Tool == "skill")
}

// missing adds a namespace to an invocation without one: the server's root, or that of a skill that may be
// anywhere. Its spelling follows the other arguments.
func (m Mount) missing(c *command, anywhere bool) (edit, bool) {
	if m.To == "" || m.From != "" && !anywhere {
		return edit{}, false
	}
	args := c.inv.Arguments
	if len(args) == 0 {
		added := `namespace="` + m.To + `"`
		if c.text[c.inv.Inside-1] == '{' {
			added = `"namespace": "` + m.To + `"`
		}
		return edit{c.inv.Inside, c.inv.Inside, added}, true
	}
	like := max(c.name, 0)
	added := c.quoted(like, m.To) + ", "
	if c.positional == 0 {
		added = c.keyword(like) + added
	}
	return edit{args[0].Start, args[0].Start, added}, true
}

// keyword returns "namespace=" in the style of argument i.
func (c *command) keyword(i int) string {
	arg := c.inv.Arguments[i]
	like := c.text[arg.Start : arg.ValueStart-arg.Quote]
	if !strings.Contains(like, arg.Name) || strings.ContainsAny(like, "\n#/>") {
		return "namespace="
	}
	return strings.Replace(like, arg.Name, "namespace", 1)
}

// quoted returns path in the quotes of argument i, if it has any.
func (c *command) quoted(i int, path string) string {
	arg := c.inv.Arguments[i]
	if arg.Quote == 0 {
		return `"` + path + `"`
	}
	return c.text[arg.ValueStart-arg.Quote:arg.ValueStart] + path + c.text[arg.ValueEnd:arg.ValueEnd+arg.Quote]
}

// maxTail bounds how far an unreadable invocation is scanned.
const maxTail = 2048

// tails scans the rest of invocations whose arguments cannot be parsed, such as kwargs={"id": items[0].id}, within
// one budget for the text.
type tails struct {
	text   string
	budget int
}

// complete reports whether the invocation whose rest begins at i is closed and has no namespace there.
func (t *tails) complete(i int) bool {
	rest := t.text[i:min(len(t.text), i+maxTail)]
	depth := 0
	for n := 0; n < len(rest) && t.budget > 0; n++ {
		t.budget--
		switch c := rest[n]; {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ')':
			return !strings.Contains(strings.ToLower(rest[:n]), "namespace")
		case c == '\n' && strings.HasPrefix(rest[n+1:], "\n"):
			return false
		}
	}
	return false
}
