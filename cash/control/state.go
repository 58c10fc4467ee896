package control

// State returns what the controls keep between calls, by name: plans, quota, approvals, cache. True is a store of the
// embedder's, which replicas may share; false is the memory of this process. It is for those who publish it.
func (c *Controls) State() map[string]bool {
	state := make(map[string]bool)
	if c == nil {
		return state
	}
	if c.Plans != nil {
		_, memory := c.Plans.opts.Store.(*planUses)
		state["plans"] = !memory
	}
	if c.Quota != nil {
		_, memory := c.Quota.opts.Store.(*sessions)
		state["quota"] = !memory
	}
	if c.Policy != nil {
		_, memory := c.Policy.approvals.opts.Store.(*tickets)
		state["approvals"] = !memory
	}
	if c.Cache != nil {
		_, memory := c.Cache.opts.Store.(*Results)
		state["cache"] = !memory
	}
	return state
}
