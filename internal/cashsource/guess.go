package cashsource

import (
	"context"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/wire"
)

// Pages of other makers may not say what they list. This file finds out by asking.

// decide finds out whether an ambiguous page lists namespaces or functions: it requests the first entry as a
// namespace.
func (c *crawl) decide(ctx context.Context, p *place) {
	to, from := &p.page.Functions, &p.page.Namespaces
	guess := len(*from) > 0 // whether they are taken for namespaces
	if !guess {
		to, from = from, to
	}
	if len(*from) > 0 && c.isNamespace(ctx, p, (*from)[0].Name, guess) != guess {
		*to, *from = slices.Concat(*to, *from), nil
	}
}

// isNamespace reports whether a namespace of that name has a page. guess is the answer if that cannot be found out.
func (c *crawl) isNamespace(ctx context.Context, p *place, name string, guess bool) bool {
	if !c.more() {
		return guess
	}
	a, err := c.ask(ctx, "help", pageArguments("help", wire.Join(p.path, name), "", jsonFormat))
	if err != nil {
		c.miss(err)
		return guess
	}
	text := a.Text()
	if a.IsError || cashtext.IsRefusal(text) {
		return false
	}
	page, err := cashtext.ParseHelp(text)
	return err == nil && len(page.Namespaces)+len(page.Functions) > 0 && !sameLists(page, p.page)
}

// sameLists reports whether two pages list the same. Some servers answer an unknown name with a known page.
func sameLists(a, b *cashtext.Page) bool {
	return a != nil && b != nil && len(a.Namespaces)+len(a.Functions) > 0 &&
		slices.Equal(a.Namespaces, b.Namespaces) && slices.Equal(a.Functions, b.Functions)
}
