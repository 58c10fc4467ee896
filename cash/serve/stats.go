package serve

import (
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// Stats are the counters of a [Server]. They have a JSON form.
type Stats struct {
	// Requests are the requests that have ended, by outcome, without notifications. Calls of tools that the
	// embedder has added to the MCP server are not among them.
	Requests map[observe.Outcome]int64 `json:"requests"`
	// HTTP are the answers to HTTP requests with an error status, by status. A refused request may be among
	// Requests too.
	HTTP map[int]int64 `json:"http"`
	// Calls is the number of tool calls in flight.
	Calls int `json:"calls"`
	// Connections is the number of connections that Run serves.
	Connections int `json:"connections"`
	// Sessions is the number of HTTP sessions.
	Sessions int `json:"sessions"`
}

// Stats returns the counters. To publish them under /debug/vars, with the states of upstream servers and what the store
// of a firewall holds:
//
//	expvar.Publish("mcp", expvar.Func(func() any { return []any{srv.Stats(), agg.Status(), store.Usage()} }))
func (s *Server) Stats() Stats {
	st := Stats{
		Requests: make(map[observe.Outcome]int64), HTTP: make(map[int]int64),
		Calls: s.drain.count(), Connections: int(s.counts.connections.Load()),
	}
	for o, n := range s.counts.outcomes {
		if n := n.Load(); n > 0 {
			st.Requests[o] = n
		}
	}
	for i := range s.counts.statuses {
		if n := s.counts.statuses[i].Load(); n > 0 {
			st.HTTP[firstError+i] = n
		}
	}
	if all := s.web.sessions.Load(); all != nil {
		st.Sessions = all.count()
	}
	return st
}

// firstError is the lowest HTTP status of an error.
const firstError = 400

// counts are the counters of a server since it was made.
type counts struct {
	outcomes    map[observe.Outcome]*atomic.Int64 // never changes
	statuses    [200]atomic.Int64                 // from firstError on
	connections atomic.Int64                      // now
}

func newCounts() *counts {
	c := &counts{outcomes: make(map[observe.Outcome]*atomic.Int64)}
	for _, o := range []observe.Outcome{observe.OK, observe.Asked, observe.Refused} {
		c.outcomes[o] = new(atomic.Int64)
	}
	for _, kind := range registry.Kinds() {
		c.outcomes[observe.Outcome(kind)] = new(atomic.Int64)
	}
	return c
}

func (c *counts) add(o observe.Outcome) {
	if n := c.outcomes[o]; n != nil {
		n.Add(1)
	}
}

func (c *counts) answered(status int) {
	if i := status - firstError; i >= 0 && i < len(c.statuses) {
		c.statuses[i].Add(1)
	}
}
