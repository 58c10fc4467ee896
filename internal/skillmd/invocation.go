package skillmd

import (
	"iter"
	"strings"
)

// An Invocation is a call(...), help(...) or skill(...) in a text, with the byte offsets of its parts.
type Invocation struct {
	// Tool is "call", "help" or "skill".
	Tool string
	// Inside is the offset after the parenthesis, or after the brace of a map that holds the arguments.
	Inside int
	// Arguments are the parsed arguments, in order.
	Arguments []Argument
	// End is the offset after the closing parenthesis. If Whole is false, it is where parsing stopped.
	End int
	// Whole means that the whole invocation was parsed.
	Whole bool
}

// An Argument is one argument of an [Invocation].
type Argument struct {
	// Name is the keyword as written, without quotes; empty if the argument is positional.
	Name string
	// Start is the offset of the argument, including its keyword.
	Start int
	// ValueStart and ValueEnd are the offsets of the value, without the quotes of a string.
	ValueStart, ValueEnd int
	// Quote is the length of each quote of a string in bytes: 1, 2 for \", 3 for typographic quotes. It is 0 for other
	// values.
	Quote int
}

// maxInvocation bounds an invocation of [Invocations], in bytes.
const maxInvocation = 64 << 10

// Invocations yields invocations for rewriting. It finds those of [References], and also
//
//   - those with strings in typographic quotes
//   - those with strings in escaped quotes (\"), as in texts inside of JSON
//   - those whose arguments are the members of one map: call({"function": "list"})
//
// Positional arguments are allowed. An invocation has at most 64 KiB.
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

// foundInvocation is an invocation within a text.
type foundInvocation struct {
	invocation
	open   int // of its parenthesis
	inside int // where its arguments begin
	end    int // where parsing stopped
	whole  bool
}

// eachInvocation yields the invocations in the text of p, in order.
func eachInvocation(p invocationParser) iter.Seq[foundInvocation] {
	return func(yield func(foundInvocation) bool) {
		body := p.s
		// Parsing may fail late and start again inside the same text, so the total work is bounded, not each attempt.
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

// inMap enters the map that holds the arguments, if there is one, and returns the character that ends the arguments.
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

// endOfMap parses the text after the map that holds the arguments.
func (p *invocationParser) endOfMap() bool {
	if !p.separator(')') {
		return false
	}
	p.space()
	return p.take(')')
}

// typedQuotes are opening quotes beyond ASCII, and \", each with its possible closing quotes.
var typedQuotes = []struct{ open, close string }{
	{`\"`, `\"`}, {"\u201c", "\u201d\u201c"}, {"\u201d", "\u201d"}, {"\u201e", "\u201c\u201d"},
	{"\u2018", "\u2019\u2018"}, {"\u2019", "\u2019"}, {"\u201a", "\u2018\u2019"},
}

// typedQuote returns the possible closing quotes of the string that s begins with, or "".
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

// typedString parses a string in typed quotes. It has no escapes.
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
