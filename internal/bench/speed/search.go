package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

const (
	ourSearch  = "registry.Search"
	peerBleve  = "Bleve as in mcpproxy"
	peerBM25   = "plain BM25"
	manyTools  = 10_000
	firstFound = 10
)

func searchCharts() []chart {
	return []chart{{
		name: "search", title: "Search", axis: "tools", sizes: []int{10, 100, 1000, 10_000, 50_000}, short: []int{100, 1000},
		work: "One query of 1,000 different ones, for the ten best. The index is built from tools that are in memory. " + bleveWay +
			" Plain BM25 is the textbook's: all words of a tool in one field.",
		built: "building the index", per: "tool",
		subjects: []subject{
			{name: ourSearch, setup: func(t *trial) (func(int) error, error) {
				reg, err := filled(t.size)
				if err != nil {
					return nil, err
				}
				t.mark()
				reg.Search(t.ctx, "anything", firstFound)
				return t.asking(made(t.size), func(q string) (int, error) { return len(reg.Search(t.ctx, q, firstFound)), nil })
			}},
			{name: peerBM25, kind: peer, setup: func(t *trial) (func(int) error, error) {
				tools := made(t.size)
				t.mark()
				x := newBM25(tools)
				return t.asking(tools, func(q string) (int, error) { return len(x.search(q, firstFound)), nil })
			}},
			{name: peerBleve, kind: peer, most: 10_000, setup: func(t *trial) (func(int) error, error) {
				tools := made(t.size)
				t.mark()
				index, err := newBleve(t.dir, tools)
				if err != nil {
					return nil, err
				}
				t.cleanup(func() { _ = index.Close() })
				return t.asking(tools, func(q string) (int, error) { return bleveSearch(index, q, firstFound) })
			}},
		},
	}, {
		name: "callers", title: "Callers who see different functions", axis: "callers", sizes: []int{1, 10, 100, 1000}, short: []int{1, 10},
		work:  fmt.Sprintf("%s functions, of which each caller sees all but one. Callers in turn have each searched before; a new caller has not.", thousands(manyTools)),
		built: "the first search of each", per: "caller",
		subjects: []subject{
			{name: "search, in turn", setup: func(t *trial) (func(int) error, error) {
				return t.byCallers(t.size, func(ctx context.Context, reg *registry.Registry, q string) error {
					reg.Search(ctx, q, firstFound)
					return nil
				})
			}},
			{name: "search, a new caller each time", setup: func(t *trial) (func(int) error, error) {
				return t.byCallers(manyTools, func(ctx context.Context, reg *registry.Registry, q string) error {
					reg.Search(ctx, q, firstFound)
					return nil
				})
			}},
			{name: "help of a namespace, in turn", setup: func(t *trial) (func(int) error, error) {
				var srv *cash.Server
				return t.byCallers(t.size, func(ctx context.Context, reg *registry.Registry, _ string) error {
					if srv == nil {
						srv = cash.NewServer(reg, nil)
					}
					page, err := srv.Help(ctx, &cash.HelpRequest{Namespace: made(1)[0].space})
					return some(len(page), err)
				})
			}},
		},
	}}
}

// asking returns an operation that asks one query after the other. A few of them find nothing.
func (t *trial) asking(tools []madeTool, search func(query string) (int, error)) (func(int) error, error) {
	queries, i := asked(tools, 1000), 0
	return func(int) error {
		i++
		_, err := search(queries[i%len(queries)])
		return err
	}, some(search(strings.ReplaceAll(tools[0].name, "_", " ")))
}

// byCallers returns an operation that is done by n callers in turn. As many as the size have done it before.
func (t *trial) byCallers(n int, op func(context.Context, *registry.Registry, string) error) (func(int) error, error) {
	tools := made(manyTools)
	reg := registry.New(nil)
	if err := fill(reg, tools, func(i int) []registry.FuncOption {
		hidden := fmt.Sprint(i)
		return []registry.FuncOption{registry.VisibleTo(func(_ context.Context, c *registry.Caller) bool { return c.ID != hidden })}
	}); err != nil {
		return nil, err
	}
	queries, i := asked(tools, 1000), 0
	next := func(int) error {
		i++
		ctx := registry.WithCaller(t.ctx, &registry.Caller{ID: fmt.Sprint(i % n)})
		return op(ctx, reg, queries[i%len(queries)])
	}
	reg.Search(t.ctx, "anything", 1) // with the index for a caller who sees all
	t.mark()
	for range t.size {
		if err := next(0); err != nil {
			return nil, err
		}
	}
	return next, nil
}

var errNothing = errors.New("nothing was found")

// some fails if there is nothing.
func some(n int, err error) error {
	if err == nil && n == 0 {
		return errNothing
	}
	return err
}
