package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

func treeCharts() []chart {
	operations := func(path func(i int) string) []subject {
		of := func(op func(context.Context, *cash.Server, string) error) func(*trial) (func(int) error, error) {
			return func(t *trial) (func(int) error, error) {
				last := path(t.size - 1)
				srv, err := share(t, "server", func() (*cash.Server, error) {
					tools := made(t.size)
					t.mark()
					reg := registry.New(nil)
					for i, tool := range tools {
						reg.Namespace(path(i), "").Add(registry.Func("create", tool.description, create))
					}
					srv := cash.NewServer(reg, nil)
					_, err := srv.Call(t.ctx, &cash.CallRequest{Namespace: last, Function: "create", Kwargs: raw(orderArgs)})
					return srv, err
				})
				return func(int) error { return op(t.ctx, srv, last) }, err
			}
		}
		return []subject{
			{name: "call", setup: of(func(ctx context.Context, srv *cash.Server, last string) error {
				_, err := srv.Call(ctx, &cash.CallRequest{Namespace: last, Function: "create", Kwargs: raw(orderArgs)})
				return err
			})},
			{name: "help", setup: of(func(ctx context.Context, srv *cash.Server, _ string) error {
				page, err := srv.Help(ctx, &cash.HelpRequest{})
				return some(len(page), err)
			})},
			{name: "help of a namespace", setup: of(func(ctx context.Context, srv *cash.Server, last string) error {
				page, err := srv.Help(ctx, &cash.HelpRequest{Namespace: last})
				return some(len(page), err)
			})},
			{name: "help, a search", setup: of(func(ctx context.Context, srv *cash.Server, _ string) error {
				page, err := srv.Help(ctx, &cash.HelpRequest{Kwargs: raw(`{"search":"create an order"}`)})
				return some(len(page), err)
			})},
			{name: "an unknown name", setup: of(func(ctx context.Context, srv *cash.Server, last string) error {
				if _, err := srv.Call(ctx, &cash.CallRequest{Namespace: last, Function: "craete"}); err == nil {
					return fmt.Errorf("it is known")
				}
				return nil
			})},
		}
	}
	return []chart{{
		name: "wide", title: "Namespaces side by side", axis: "namespaces", sizes: []int{1, 10, 100, 1000, 10_000}, short: []int{10, 1000},
		work:  "One function in each namespace. Go methods, without a transport.",
		built: "registration until the first call", per: "namespace",
		subjects: operations(func(i int) string { return fmt.Sprintf("space_%d", i) }),
	}, {
		name: "deep", title: "Namespaces inside each other", axis: "levels", sizes: []int{1, 10, 100, deepest}, short: []int{10, 100},
		work:  fmt.Sprintf("The same, one in the other. A path has at most 1,024 bytes, so %d levels are the most.", deepest),
		built: "registration until the first call", per: "namespace",
		subjects: operations(func(i int) string { return strings.Repeat("a.", i) + "a" }),
	}}
}

// deepest is the number of labels of one letter in the longest path.
const deepest = 512
