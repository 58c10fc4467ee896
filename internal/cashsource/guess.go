package cashsource

import (
	"context"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
)

// Servers by other hands leave open what ours say.

// decide finds out what is listed on a page that does not say: it asks for the
// first entry as for a namespace.
func (c *crawl) decide(ctx context.Context, p *place) {
	to, from := &p.page.Functions, &p.page.Namespaces
	guess := len(*from) > 0 // that they are namespaces
	if !guess {
		to, from = from, to
	}
	if len(*from) > 0 && c.isNamespace(ctx, p, (*from)[0].Name, guess) != guess {
		*to, *from = slices.Concat(*to, *from), nil
	}
}

// isNamespace reports whether a namespace of that name has a page; guess is the
// answer if that cannot be found out.
func (c *crawl) isNamespace(ctx context.Context, p *place, name string, guess bool) bool {
	if !c.more() {
		return guess
	}
	a, err := c.ask(ctx, "help", pageArguments("help", joined(p.path, name), "", jsonFormat))
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

// sameLists reports whether two pages list the same, as those of a server that
// shows what it knows in place of what it does not.
func sameLists(a, b *cashtext.Page) bool {
	return a != nil && b != nil && len(a.Namespaces)+len(a.Functions) > 0 &&
		slices.Equal(a.Namespaces, b.Namespaces) && slices.Equal(a.Functions, b.Functions)
}
