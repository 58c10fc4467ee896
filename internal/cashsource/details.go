package cashsource

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/wire"
)

// Limits of the function pages that are read in advance. The parameters of other functions are not searchable, and
// shown only on their own pages.
const (
	maxDetails     = 1000
	maxDetailBytes = 64 << 20 // of all pages together
)

// details reads the functions' pages: parameters and safety. A page that cannot be read in time is left out and
// read on demand, unless it is pinned.
func (c *crawl) details(ctx context.Context, root *place) error {
	var workers sync.WaitGroup
	slots := make(chan struct{}, crawlers)
	for _, t := range c.tasks(root) {
		if ctx.Err() != nil {
			break
		}
		slots <- struct{}{}
		workers.Go(func() { // ends with ctx, which has a deadline
			defer func() { <-slots }()
			if err := apart.Guard(func() error { c.detail(ctx, t); return nil }); err != nil {
				c.note("the page of function %s cannot be read: %v", t.entry().Name, err)
			}
		})
	}
	workers.Wait()
	if n := c.large.Load(); n > 0 {
		c.note("the pages of %d functions are too large to be pinned, and are not used", n)
	}
	c.Incomplete = c.Incomplete || c.missing != nil || ctx.Err() != nil
	switch {
	case c.pinning() && c.missing != nil:
		return c.missing
	case c.pinning() && ctx.Err() != nil:
		return unfinished(ctx.Err())
	case ctx.Err() != nil:
		c.note("the parameters of some functions could not be read in time")
	}
	return nil
}

// A task is one function whose page is to be read.
type task struct {
	at *place
	i  int // index among the functions of its page
}

func (t task) entry() cashtext.Entry { return t.at.page.Functions[t.i] }

// tasks returns the functions whose pages are read. Those pinned with a page come first, so that others cannot push
// them over the limit.
func (c *crawl) tasks(root *place) []task {
	var known, others []task
	root.each(func(p *place) {
		if p.page == nil {
			return
		}
		p.details = make([]*cashtext.Function, len(p.page.Functions))
		for i, e := range p.page.Functions {
			t := task{p, i}
			if d := c.pinned[wire.Join(p.path, e.Name)]; d != nil && d.Function && d.Paged() {
				known = append(known, t)
			} else {
				others = append(others, t)
			}
			if c.pinning() {
				p.definitions = append(p.definitions, defineFunction(p.path, e))
			}
		}
	})
	tasks := append(known, others...)
	if len(tasks) > maxDetails {
		c.note("the parameters of more than %d functions are read when they are asked for", maxDetails)
		tasks = tasks[:maxDetails]
	}
	return tasks
}

// detail reads the page of a function.
func (c *crawl) detail(ctx context.Context, t task) {
	if c.full() {
		return
	}
	if before := c.unchanged(t); before != nil {
		t.at.details[t.i] = before.function
		return
	}
	a, err := c.ask(ctx, "help", pageArguments("help", t.at.path, t.entry().Name, fullPage))
	if err != nil {
		c.miss(err)
		return
	}
	text := a.Text()
	if c.count(len(text)); a.IsError || cashtext.IsRefusal(text) {
		return
	}
	f, err := cashtext.ParseFunction(text)
	if err != nil {
		return
	}
	if c.pinning() && !addPage(t.at.definitions[t.i], f, strings.HasPrefix(cashtext.Unfenced(text), "{")) {
		c.large.Add(1)
		return
	}
	t.at.details[t.i] = f
	c.keep(t, &keptPage{f, len(text)})
}

// fullPage requests all that a page tells of a function.
var fullPage = json.RawMessage(`{"format":"json","params":"full"}`)

// full reports whether the limits are reached.
func (c *crawl) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes > maxDetailBytes
}

func (c *crawl) count(bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if before := c.bytes; before <= maxDetailBytes && before+bytes > maxDetailBytes {
		c.Note("more than %d MiB of pages of functions: the rest is read when it is asked for", maxDetailBytes>>20)
	}
	c.bytes += bytes
}

// miss notes that a page is missing if err says so: the server may still have it.
func (c *crawl) miss(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.missing != nil:
	case kindOf(err) == Late:
		c.missing = unfinished(err)
	case kindOf(err) == Cut:
		c.missing = err
	}
}
