package cashsource

import (
	"encoding/json"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A server of this module declares the definitions of the functions that a page lists. Pages of functions with the
// definition of the last read are not read again. Where definitions are compared with pins, all are read: a declaration
// proves nothing.

// keptPage is the page of a function, kept for the next read.
type keptPage struct {
	function *cashtext.Function // not modified
	size     int                // bytes of its text
}

// maxDeclared bounds one declared definition, in bytes.
const maxDeclared = 128

// declared returns the definitions in the metadata of a page, by canonical name.
func declared(meta json.RawMessage) map[string]string {
	list := make(map[string]string)
	for name, value := range strictjson.Members(meta) {
		if k := key(name); k != "" && len(value) <= maxDeclared && len(list) < maxCrawlFunctions {
			list[k] = strictjson.Text(value)
		}
	}
	return list
}

// ofListed returns the declared definitions of the functions that a page lists. A server may declare any number of others,
// on each of its pages.
func ofListed(declared map[string]string, page *cashtext.Page) map[string]string {
	list := make(map[string]string, min(len(declared), len(page.Functions)))
	for _, e := range page.Functions {
		if definition, ok := declared[key(e.Name)]; ok {
			list[key(e.Name)] = definition
		}
	}
	return list
}

// keyOf returns the key of a function's page among those that are kept; "" if its definition is not declared.
func (c *crawl) keyOf(t task) string {
	name := t.entry().Name
	definition := t.at.declared[key(name)]
	if definition == "" || c.pinning() {
		return ""
	}
	return offer(t.at.path, name) + "\x00" + definition
}

// unchanged returns the page of a function from the last read, and keeps it; nil if it must be read.
func (c *crawl) unchanged(t task) *keptPage {
	if c.Before == nil {
		return nil
	}
	p := c.Before.kept[c.keyOf(t)]
	if p != nil {
		c.count(p.size)
		c.keep(t, p)
	}
	return p
}

// keep keeps a page for the next read, while there is room.
func (c *crawl) keep(t task, p *keptPage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.keyOf(t); k != "" && c.keptBytes+p.size <= maxStored {
		c.kept[k] = p
		c.keptBytes += p.size
	}
}
