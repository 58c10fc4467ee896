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

// maxDetails bounds the functions of a CaSH server of which the pages are read
// beforehand. Of the others, the parameters are not found by searches and not
// shown but on their own pages.
const maxDetails = 1000

// details reads what the server says of its functions: parameters, and whether
// they change anything. What cannot be read, or not in time, is left out: it is
// asked for again when somebody wants it.
func (c *crawl) details(ctx context.Context, root *place) {
	type task struct {
		p *place
		i int
	}
	var tasks []task
	root.each(func(p *place) {
		if p.page == nil {
			return
		}
		p.details = make([]*cashtext.Function, len(p.page.Functions))
		for i := range p.page.Functions {
			tasks = append(tasks, task{p, i})
		}
	})
	if len(tasks) > maxDetails {
		c.note("the parameters of more than %d functions are read when they are asked for", maxDetails)
		tasks = tasks[:maxDetails]
	}
	var workers sync.WaitGroup
	slots := make(chan struct{}, crawlers)
	for _, t := range tasks {
		if ctx.Err() != nil {
			break
		}
		slots <- struct{}{}
		workers.Go(func() { // ends with ctx, which has a deadline
			defer func() { <-slots }()
			t.p.details[t.i] = c.detail(ctx, t.p.path, t.p.page.Functions[t.i].Name)
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		c.note("the parameters of some functions could not be read in time")
	}
}

// each visits the place and all below it.
func (p *place) each(visit func(*place)) {
	visit(p)
	for _, b := range p.below {
		b.each(visit)
	}
}

func (c *crawl) detail(ctx context.Context, path, name string) *cashtext.Function {
	a, err := c.ask(ctx, "help", pageArguments("help", path, name, json.RawMessage(`{"format":"json"}`)))
	if err != nil || a.IsError {
		return nil
	}
	f, err := cashtext.ParseFunction(a.result().Text())
	if err != nil {
		return nil
	}
	return f
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

// describe takes over what the server and the operator say of a function.
func (v view) describe(f *registry.Function, path string, d *cashtext.Function) {
	u := v.up
	if d != nil {
		f.Returns = clean.Cut(d.Returns, maxReason)
	}
	said := ""
	if d != nil && !u.cfg.IgnoreHints {
		said = strings.ToLower(d.Safety)
	}
	f.ReadOnly = strings.HasPrefix(said, "read-only") || u.vouched(joined(path, f.Name))
	f.Destructive = !f.ReadOnly && strings.HasPrefix(said, "destructive")
	f.Idempotent = !f.ReadOnly && strings.Contains(said, "safe to repeat")
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
