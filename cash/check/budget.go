package check

import (
	"context"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
)

// A Budget is the most that a CaSH server may cost a model, in characters or in Unit. A zero field is not checked.
type Budget struct {
	Tools        int // the array of tools/list, as JSON
	Instructions int // the server's instructions
	Index        int // help()
	Namespace    int // help(namespace), each
	Function     int // help(namespace, function), each
	Skills       int // skill()
	// Unit measures a text. For the tokens of a model, call the Count method of a
	// counter of toolid/card, such as card.Encoding("o200k_base"), with
	// math.MaxInt. Nil counts characters.
	Unit func(text string) int
}

// Check compares a server's costs with b over an open session: one row for each non-zero field. It reads all pages
// of help, at most 500 lists and 500 functions; more fail. The error is ctx's.
func (b Budget) Check(ctx context.Context, session *mcp.ClientSession) (*Report, error) {
	s := &suite{ctx: ctx, conn: client.Over(ctx, session, 0)}
	s.conns = []*client.Conn{s.conn}
	return s.run(b.criteria())
}

// criteria returns one row for each budget.
func (b Budget) criteria() []criterion {
	list := []struct {
		what string
		most int
		run  func(p *probe, most int)
	}{
		{"tools", b.Tools, func(p *probe, most int) {
			tools, _, err := p.conn.Tools()
			if err != nil {
				p.stop("tools/list: %v", err)
			}
			b.within(p, "tools/list", toJSON(tools), most)
		}},
		{"instructions", b.Instructions, func(p *probe, most int) {
			b.within(p, "instructions", p.conn.Session.InitializeResult().Instructions, most)
		}},
		{"index", b.Index, func(p *probe, most int) { b.within(p, "help()", p.tool("help", nil).Text, most) }},
		{"namespaces", b.Namespace, func(p *probe, most int) {
			for _, pl := range p.grown().places[1:] {
				b.within(p, "help("+pl.path+")", pl.page.text, most)
			}
		}},
		{"functions", b.Function, func(p *probe, most int) {
			leaves := p.grown().leaves
			p.must(len(leaves) <= maxPages, "help has more than the %d pages that a budget is checked for", maxPages)
			for _, l := range leaves[:min(len(leaves), maxPages)] {
				b.within(p, "help of "+l.path(), p.tool("help", l.args()).Text, most)
			}
		}},
		{"skills", b.Skills, func(p *probe, most int) { b.within(p, "skill()", p.tool("skill", nil).Text, most) }},
	}
	var criteria []criterion
	for _, c := range list {
		if c.most > 0 {
			criteria = append(criteria, criterion{c.what, c.what + " cost no more than their budget", none, func(p *probe) { c.run(p, c.most) }})
		}
	}
	return criteria
}

// grown returns the tree of help, which must be complete.
func (p *probe) grown() *tree {
	if p.tree == nil {
		help := p.tool("help", nil).Text
		t, err := growTree(p.conn, mentions(help, "format") && mentions(help, "json"))
		if err != nil {
			p.stop("reading help: %v", err)
		}
		p.tree = t
	}
	p.must(!p.tree.cut, "help has more than the %d pages that a budget is checked for", maxPages)
	return p.tree
}

func (b Budget) within(p *probe, what, text string, most int) {
	unit, name := b.Unit, "units"
	if unit == nil {
		unit, name = utf8.RuneCountInString, "characters"
	}
	n := unit(text)
	p.must(n <= most, "%s costs %d %s, more than the budget of %d", what, n, name, most)
}
