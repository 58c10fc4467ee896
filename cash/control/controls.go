package control

import "github.com/cash-mcp/go-sdk/registry"

// Controls are the middleware between validation and function. A nil member is off; the zero value controls nothing.
type Controls struct {
	Audit  *Audit  // logs the outcome of each call
	Policy *Policy // decides who may run what, and asks a person
	Quota  *Quota  // limits the number of calls
	Plans  *Plans  // binds a call to its dry run
	Cache  *Cache  // answers equal calls again
	Retry  *Retry  // tries again if that is safe
}

// Middleware returns the controls in the order of the gateway surface, section 4.5. The audit sees all others. A denied
// call uses no quota and reads no cache. A nil *Controls returns none.
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
