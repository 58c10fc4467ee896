package upstream

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/cash-mcp/go-sdk/internal/cashtext"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/registry"
)

// Limits of the pages of functions of a CaSH server that are read beforehand. Of
// the others, the parameters are not found by searches and not shown but on their
// own pages.
const (
	maxDetails     = 1000
	maxDetailBytes = 64 << 20 // of all of them
)

// details reads what the server says of its functions: parameters, and whether
// they change anything. What cannot be read is left out: it is asked for again
// when somebody wants it. So is what cannot be read in time, unless it is pinned.
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
			c.detail(ctx, t)
		})
	}
	workers.Wait()
	if n := c.large.Load(); n > 0 {
		c.note("the pages of %d functions are too large to be pinned, and are not used", n)
	}
	switch {
	case c.pinning && c.missing != nil:
		return c.missing
	case c.pinning && ctx.Err() != nil:
		return unfinished(ctx.Err())
	case ctx.Err() != nil:
		c.note("the parameters of some functions could not be read in time")
	}
	return nil
}

// A task is a function of which the page is to be read.
type task struct {
	at *place
	i  int // of the functions on its page
}

func (t task) entry() cashtext.Entry { return t.at.page.Functions[t.i] }

// tasks returns the functions whose pages are read. What is pinned with its page
// comes first: nobody can push it beyond the limit.
func (c *crawl) tasks(root *place) []task {
	var known, others []task
	root.each(func(p *place) {
		if p.page == nil {
			return
		}
		p.details = make([]*cashtext.Function, len(p.page.Functions))
		for i, e := range p.page.Functions {
			t := task{p, i}
			if d := c.pinned[joined(p.path, e.Name)]; d != nil && d.Function && d.paged() {
				known = append(known, t)
			} else {
				others = append(others, t)
			}
			if c.pinning {
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

// each visits the place and all below it.
func (p *place) each(visit func(*place)) {
	visit(p)
	for _, b := range p.below {
		b.each(visit)
	}
}

// detail reads the page of a function.
func (c *crawl) detail(ctx context.Context, t task) {
	if c.full() {
		return
	}
	a, err := c.ask(ctx, "help", pageArguments("help", t.at.path, t.entry().Name, json.RawMessage(`{"format":"json","params":"full"}`)))
	if err != nil {
		c.miss(err)
		return
	}
	text := a.text()
	if c.count(len(text)); a.IsError || cashtext.IsRefusal(text) {
		return
	}
	f, err := cashtext.ParseFunction(text)
	if err != nil {
		return
	}
	if c.pinning && !t.at.definitions[t.i].addPage(f, strings.HasPrefix(cashtext.Unfenced(text), "{")) {
		c.large.Add(1)
		return
	}
	t.at.details[t.i] = f
}

// full reports whether the pages of functions are enough already.
func (c *crawl) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes > maxDetailBytes
}

func (c *crawl) count(bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if before := c.bytes; before <= maxDetailBytes && before+bytes > maxDetailBytes {
		c.catalog.note("more than %d MiB of pages of functions: the rest is read when it is asked for", maxDetailBytes>>20)
	}
	c.bytes += bytes
}

// miss notes that a page has not come, if that is what err says: the server may
// have one.
func (c *crawl) miss(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e := asCallError(err); {
	case c.missing != nil:
	case e.Class == TimedOut:
		c.missing = unfinished(e)
	case e.cut():
		c.missing = e
	}
}

// inputSchema is a schema of the parameters that a page shows, for display.
func inputSchema(f *cashtext.Function) json.RawMessage {
	if f == nil || len(f.Parameters) == 0 {
		return nil
	}
	var list []schema.Property
	for _, p := range f.Parameters {
		if !strings.ContainsAny(p.Name, ".[]") { // else it is inside of another
			list = append(list, schema.Property{Name: p.Name, Type: jsonType(p.Type), Description: p.Description, Required: p.Required})
		}
	}
	return schema.Object(list, false)
}

func jsonString(text string) []byte {
	data, err := json.Marshal(text)
	if err != nil { // no text has none
		return []byte(`""`)
	}
	return data
}

// jsonType returns the type of JSON that a page names; empty if it is none.
func jsonType(text string) string {
	word, _, _ := strings.Cut(text, " ")
	switch word {
	case "string", "integer", "number", "boolean", "object", "array":
		return word
	}
	return ""
}

// facts are what the server and the operator say of a function.
func (v view) facts(path, name string, d *cashtext.Function) []registry.FuncOption {
	u := v.up
	facts := []registry.FuncOption{registry.Timeout(u.patience())}
	if d != nil {
		facts = append(facts, registry.Returns(clean.Cut(d.Returns, maxReason)))
	}
	said := ""
	if d != nil && !u.cfg.IgnoreHints {
		said = strings.ToLower(d.Safety)
	}
	if strings.HasPrefix(said, "read-only") || u.vouched(joined(path, name)) {
		return append(facts, registry.ReadOnly)
	}
	if strings.HasPrefix(said, "destructive") {
		facts = append(facts, registry.Destructive(true))
	}
	if strings.Contains(said, "safe to repeat") {
		facts = append(facts, registry.Idempotent(true))
	}
	return facts
}

// vouched reports whether the operator says that calling changes nothing.
func (u *upstream) vouched(path string) bool {
	for _, name := range u.cfg.ReadOnly {
		if name == path || canonicalPath(name) != "" && canonicalPath(name) == canonicalPath(path) {
			return true
		}
	}
	return false
}
