package control

import "github.com/cash-mcp/go-sdk/registry"

// Controls are what decides about calls between their validation and their
// function. A nil member is off; the zero value controls nothing.
type Controls struct {
	Audit  *Audit  // logs what became of each call
	Policy *Policy // says who may run what, and asks a person
	Quota  *Quota  // limits how often
	Plans  *Plans  // binds a call to the dry run that came before
	Cache  *Cache  // answers again what was answered before
	Retry  *Retry  // tries again where that is safe
}

// Middleware returns the controls as middleware in the order of the gateway
// surface, section 4.5: the audit sees all the others, and what a caller may not
// do takes nothing from its quota, and nothing out of the cache. A nil *Controls
// has none.
func (c *Controls) Middleware() []registry.Middleware {
	if c == nil {
		return nil
	}
	var list []registry.Middleware
	if c.Audit != nil {
		list = append(list, c.Audit.Middleware())
	}
	if c.Policy != nil {
		list = append(list, c.Policy.Middleware())
	}
	if c.Quota != nil {
		list = append(list, c.Quota.Middleware())
	}
	if c.Plans != nil {
		list = append(list, c.Plans.Middleware())
	}
	if c.Cache != nil {
		list = append(list, c.Cache.Middleware())
	}
	if c.Retry != nil {
		list = append(list, c.Retry.Middleware())
	}
	return list
}
