package view

import (
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// alternatives parses conditions joined by ||.
func (p *pathParser) alternatives() condition {
	if !p.nest() {
		return nil
	}
	defer func() { p.depth-- }()
	list := anyOf{p.conjunction()}
	for p.operator("||") {
		list = append(list, p.conjunction())
	}
	if len(list) == 1 {
		return list[0]
	}
	return list
}

// nest enters one more level. It reports false if that is too deep.
func (p *pathParser) nest() bool {
	if p.depth++; p.depth > maxNesting {
		p.fail("expected no more than %d levels of nesting", maxNesting)
	}
	return p.depth <= maxNesting
}

// conjunction parses conditions joined by &&.
func (p *pathParser) conjunction() condition {
	list := allOf{p.basic()}
	for p.operator("&&") {
		list = append(list, p.basic())
	}
	if len(list) == 1 {
		return list[0]
	}
	return list
}

// operator skips blanks, op, and blanks if op comes next.
func (p *pathParser) operator(op string) bool {
	before := p.at
	p.blanks()
	if !p.take(op) {
		p.at = before
		return false
	}
	p.blanks()
	return true
}

// basic parses a condition in parentheses, a negation, a comparison or a test.
func (p *pathParser) basic() condition {
	if p.take("!") {
		p.blanks()
		if p.peek() == '(' {
			return negation{p.parentheses()}
		}
		return negation{p.test(p.operand())}
	}
	if p.peek() == '(' {
		return p.parentheses()
	}
	left := p.operand()
	for _, op := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if p.operator(op) {
			return p.comparison(left, op, p.operand())
		}
	}
	return p.test(left)
}

func (p *pathParser) parentheses() condition {
	p.want("(")
	p.blanks()
	c := p.alternatives()
	p.blanks()
	p.want(")")
	return c
}

// test turns a query or a logical function into a condition.
func (p *pathParser) test(o any) condition {
	switch o := o.(type) {
	case query:
		return o
	case *matching:
		return o
	}
	p.fail("expected a comparison")
	return nil
}

// comparison returns the condition that compares two values.
func (p *pathParser) comparison(left any, op string, right any) condition {
	return compare{p.value(left), op, p.value(right)}
}

// value turns a parsed operand into one that has a value.
func (p *pathParser) value(o any) operand {
	switch o := o.(type) {
	case operand:
		return o
	case query:
		if o.path.singular() {
			return first{o}
		}
		p.fail("expected a query that leads to one value, without *, .., slices and filters")
		return nil
	}
	p.fail("expected a value")
	return nil
}

// operand parses a literal, a query or a function. The result is an operand, a query or a *matching.
func (p *pathParser) operand() any {
	switch c := p.peek(); {
	case c == '@' || c == '$':
		return p.query()
	case c == '"' || c == '\'':
		return literal(appendQuoted(nil, p.quoted()))
	case c == '-' || c >= '0' && c <= '9':
		return p.numeral()
	}
	begin := p.at
	for c := p.peek(); c >= 'a' && c <= 'z' || p.at > begin && (c == '_' || c >= '0' && c <= '9'); c = p.peek() {
		p.at++
	}
	word := p.text[begin:p.at]
	switch {
	case p.peek() == '(' && word != "":
		return p.function(word)
	case word == "true" || word == "false" || word == "null":
		return literal(word)
	}
	p.at = begin
	p.fail("expected @, $, a literal or a function")
	return nil
}

// query parses a query in a filter.
func (p *pathParser) query() query {
	if !p.nest() {
		return query{path: &jsonPath{}}
	}
	defer func() { p.depth-- }()
	root := p.take("$")
	if !root {
		p.want("@")
	}
	return query{path: p.segments(), root: root}
}

// numeral parses a number.
func (p *pathParser) numeral() any {
	begin := p.at
	for p.at < len(p.text) && strings.IndexByte("+-.0123456789eE", p.text[p.at]) >= 0 {
		p.at++
	}
	digits := p.text[begin:p.at]
	if strictjson.CheckDepth([]byte(digits), 0) != nil {
		p.at = begin
		p.fail("expected a number of JSON")
	}
	return literal(digits)
}

// function parses the arguments of a function (RFC 9535, section 2.4).
func (p *pathParser) function(name string) any {
	if !p.nest() {
		return nil
	}
	defer func() { p.depth-- }()
	p.want("(")
	p.blanks()
	var args []any
	for p.wrong == "" && p.peek() != ')' {
		args = append(args, p.operand())
		p.blanks()
		if !p.take(",") {
			break
		}
		p.blanks()
		if p.peek() == ')' {
			p.fail("expected an argument")
		}
	}
	p.want(")")
	switch {
	case name == "length" && len(args) == 1:
		return length{p.value(args[0])}
	case name == "count" && len(args) == 1:
		return count{p.nodes(args[0])}
	case name == "value" && len(args) == 1:
		return only{p.nodes(args[0])}
	case (name == "match" || name == "search") && len(args) == 2:
		return newMatching(p.value(args[0]), p.value(args[1]), name == "match")
	}
	p.fail("expected length(value), count(nodes), value(nodes), match(text, expression) or search(text, expression) before this")
	return nil
}

// nodes turns an argument into a list of nodes.
func (p *pathParser) nodes(o any) query {
	q, ok := o.(query)
	if !ok {
		p.fail("expected a query that begins with @ or $")
	}
	return q
}
