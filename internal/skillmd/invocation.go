package skillmd

import (
	"iter"
	"strings"
)

// An Invocation is a call(...), help(...) or skill(...) in a text, with the places of its parts as offsets in bytes.
type Invocation struct {
	// Tool is "call", "help" or "skill".
	Tool string
	// Inside is behind the parenthesis, or behind the brace of a map that holds the arguments.
	Inside int
	// Arguments are those that could be read, in order.
	Arguments []Argument
	// End is behind the closing parenthesis; without Whole, where the text stops to read as arguments.
	End int
	// Whole says that all of it reads as arguments.
	Whole bool
}

// An Argument is one argument of an [Invocation].
type Argument struct {
	// Name is the keyword as written, without quotes; empty if the argument is positional.
	Name string
	// Start is where the argument begins, with its keyword.
	Start int
	// ValueStart and ValueEnd are the place of the value, between the quotes of a string.
	ValueStart, ValueEnd int
	// Quote is the length of each quote of a string in bytes: 1, 2 of \", 3 of typographic ones. 0 is any other value.
	Quote int
}

// maxInvocation bounds an invocation that [Invocations] reads, in bytes.
const maxInvocation = 64 << 10

// Invocations yields the invocations that [References] finds, and three more kinds, because they are read to be
// rewritten and not to be judged: those with strings in typographic quotes, those with strings in escaped quotes (\"), as
// in texts inside of JSON, and those whose arguments are the members of one map: call({"function": "list"}). Positional
// arguments are as good as others. An invocation has at most 64 KiB.
func Invocations(body string) iter.Seq[Invocation] {
	return func(yield func(Invocation) bool) {
		for found := range eachInvocation(invocationParser{s: body, prose: true, typed: true}) {
			inv := Invocation{Tool: found.tool, Inside: found.inside, End: found.end, Whole: found.whole}
			for _, arg := range found.args {
				v := arg.value
				inv.Arguments = append(inv.Arguments, Argument{
					Name: arg.name, Start: arg.start, Quote: v.quote, ValueStart: v.start + v.quote, ValueEnd: v.end - v.quote,
				})
			}
			if !yield(inv) {
				return
			}
		}
	}
}

// foundInvocation is an invocation in the middle of a text.
type foundInvocation struct {
	invocation
	open   int // of its parenthesis
	inside int // where its arguments begin
	end    int // where reading stopped
	whole  bool
}

// eachInvocation yields the invocations in the text of p, in order.
func eachInvocation(p invocationParser) iter.Seq[foundInvocation] {
	return func(yield func(foundInvocation) bool) {
		body := p.s
		// Reading may fail late and start again inside what it has read, so the total is limited, not each attempt.
		budget := 8*len(body) + 4096
		for at := 0; budget > 0; {
			i := strings.IndexByte(body[at:], '(')
			if i < 0 {
				return
			}
			open := at + i
			at = open + 1
			tool := toolBefore(body, open)
			if tool == "" {
				continue
			}
			p.s, p.i = body, open+1
			if p.typed {
				p.s = body[:min(len(body), open+maxInvocation)]
			}
			closing := p.inMap()
			inside := p.i
			args, whole := p.argumentsUntil(closing)
			if closing == '}' {
				whole = whole && p.endOfMap()
			}
			budget -= p.i - open
			if !whole && !hasKeyword(args) {
				continue
			}
			if whole {
				at = p.i
			}
			if !yield(foundInvocation{invocation{tool: tool, args: args}, open, inside, p.i, whole}) {
				return
			}
		}
	}
}

// inMap enters the map that holds the arguments, where there may be one, and returns what ends the arguments.
func (p *invocationParser) inMap() byte {
	if start := p.i; p.typed {
		p.space()
		if !strings.HasPrefix(p.s[p.i:], "{{") && p.take('{') {
			return '}'
		}
		p.i = start
	}
	return ')'
}

// endOfMap reads what may follow the map that holds the arguments.
func (p *invocationParser) endOfMap() bool {
	if !p.separator(')') {
		return false
	}
	p.space()
	return p.take(')')
}

// typedQuotes are opening quotes beyond ASCII, and \", each with what may close it.
var typedQuotes = []struct{ open, close string }{
	{`\"`, `\"`}, {"\u201c", "\u201d\u201c"}, {"\u201d", "\u201d"}, {"\u201e", "\u201c\u201d"},
	{"\u2018", "\u2019\u2018"}, {"\u2019", "\u2019"}, {"\u201a", "\u2018\u2019"},
}

// typedQuote returns the quotes that may close the string that s begins with, or "".
func typedQuote(s string) string {
	if s[0] != '\\' && s[0] < 0x80 {
		return ""
	}
	for _, q := range typedQuotes {
		if strings.HasPrefix(s, q.open) {
			return q.close
		}
	}
	return ""
}

// typedString reads a string in such quotes. It has no escapes.
func (p *invocationParser) typedString() (literal, bool) {
	closing := typedQuote(p.s[p.i:])
	size := 3
	if closing[0] == '\\' {
		size = 2
	}
	p.i += size
	for start := p.i; p.i+size <= len(p.s) && p.s[p.i] != '\n'; p.i++ {
		if p.s[p.i] == closing[0] && strings.Contains(closing, p.s[p.i:p.i+size]) {
			text := p.s[start:p.i]
			p.i += size
			return literal{kind: stringValue, text: text, quote: size}, true
		}
	}
	return literal{}, false
}
