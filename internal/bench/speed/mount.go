package main

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

const (
	mounting    = "start"
	mountChange = "change one tool"
	mountHelp   = "help"
	sdkConnect  = "SDK client, connect and list"
)

func mountCharts() []chart {
	return []chart{{
		name: "upstreams", title: "Mounted servers", axis: "upstreams", sizes: []int{1, 10, 100, 1000}, short: []int{1, 10},
		work: fmt.Sprintf("Servers of the SDK in memory, with %d tools each. Start mounts all until the first search is answered. "+
			"A change is that of one tool of one server, until help shows it. The longest of all help requests, or searches, made during such a change is what it makes others wait. "+
			"The peer is the SDK's own client, which connects to each server and reads its tools.", perSpace),
		built: "mounting", per: "tool", items: perSpace,
		subjects: []subject{
			{name: mountHelp, setup: func(t *trial) (func(int) error, error) {
				m, err := mounted(t)
				return func(int) error { return m.help(t.size - 1) }, err
			}},
			{name: "help, a search", setup: func(t *trial) (func(int) error, error) {
				m, err := mounted(t)
				return func(int) error { return m.search() }, err
			}},
			{name: mounting, setup: func(t *trial) (func(int) error, error) {
				m := &mount{t: t, servers: unchanged(t)}
				t.cleanup(m.close)
				return func(int) error {
					m.close()
					return t.timed(m.start)
				}, nil
			}},
			{name: mountChange, setup: func(t *trial) (func(int) error, error) {
				m, err := mounted(t)
				return func(int) error { return t.timed(m.change) }, err
			}},
			{name: "longest help during a change", setup: func(t *trial) (func(int) error, error) {
				m, err := mounted(t)
				return func(int) error { return m.longest(t, func() error { return m.help(t.size - 1) }) }, err
			}},
			{name: "longest search during a change", setup: func(t *trial) (func(int) error, error) {
				m, err := mounted(t)
				return func(int) error { return m.longest(t, m.search) }, err
			}},
			{name: sdkConnect, kind: peer, like: mounting, setup: func(t *trial) (func(int) error, error) {
				list := unchanged(t)
				return func(int) error { return connectAll(t, list) }, nil
			}},
		},
	}}
}

// A mount is an aggregator over some servers.
type mount struct {
	t       *trial
	servers []*mcp.Server
	reg     *registry.Registry
	agg     *upstream.Aggregator
	srv     *cash.Server
	changes int
}

// servers returns servers of the SDK, with tools of one namespace each.
func servers(n int) []*mcp.Server {
	tools, list := made(n*perSpace), make([]*mcp.Server, n)
	for i := range list {
		list[i] = sdkWith(tools[i*perSpace : (i+1)*perSpace])
	}
	return list
}

// unchanged returns servers that no subject changes.
func unchanged(t *trial) []*mcp.Server {
	list, _ := share(t, "servers", func() ([]*mcp.Server, error) { return servers(t.size), nil })
	return list
}

// mounted returns a mount that has started. Its servers do not count.
func mounted(t *trial) (*mount, error) {
	return share(t, "mount", func() (*mount, error) {
		m := &mount{t: t, servers: servers(t.size)}
		t.cleanup(m.close)
		t.mark()
		return m, m.start()
	})
}

func (m *mount) start() error {
	m.reg = registry.New(nil)
	m.agg = upstream.New(m.reg, nil)
	for i, srv := range m.servers {
		if err := m.agg.Add(upstream.Server{Label: m.label(i), Endpoint: upstream.InMemory{Server: srv}}); err != nil {
			return err
		}
	}
	if err := m.agg.Wait(m.t.ctx); err != nil {
		return err
	}
	m.srv = cash.NewServer(m.reg, nil)
	return m.search()
}

func (m *mount) label(i int) string { return fmt.Sprintf("server_%d", i) }

func (m *mount) close() {
	if m.agg != nil {
		_ = m.agg.Close(context.WithoutCancel(m.t.ctx))
		m.agg = nil
	}
}

func (m *mount) help(i int) error {
	page, err := m.srv.Help(m.t.ctx, &cash.HelpRequest{Namespace: m.label(i)})
	return some(len(page), err)
}

func (m *mount) search() error {
	page, err := m.srv.Help(m.t.ctx, &cash.HelpRequest{Kwargs: raw(`{"search":"create an order"}`)})
	return some(len(page), err)
}

// change changes the first tool of the first server, and waits until help shows that.
func (m *mount) change() error {
	m.changes++
	tool, label := made(1)[0], m.label(0)
	tool.description = fmt.Sprintf("Change %d of a tool.", m.changes)
	addTo(m.servers[0], tool)
	if err := m.agg.Refresh(m.t.ctx, label); err != nil {
		return err
	}
	page, err := m.srv.Help(m.t.ctx, &cash.HelpRequest{Namespace: label, Function: tool.name})
	if err != nil {
		return err
	}
	return holds(page, tool.description)
}

// longest tells how long the slowest of all operations during a change takes.
func (m *mount) longest(t *trial, op func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- m.change() }()
	var worst time.Duration
	for {
		start := time.Now()
		if err := op(); err != nil {
			<-ended
			return err
		}
		worst = max(worst, time.Since(start))
		select {
		case err := <-ended:
			t.tell(worst)
			return err
		default:
		}
	}
}

// connectAll connects a client to each server and lists its tools.
func connectAll(t *trial, list []*mcp.Server) error {
	inner := &trial{ctx: t.ctx}
	defer inner.stop()
	for _, srv := range list {
		op, err := listed(inner, srv, perSpace)
		if err != nil {
			return err
		}
		if err := op(0); err != nil {
			return err
		}
	}
	return nil
}
