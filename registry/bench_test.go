package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// BenchmarkLookup compares resolving a canonical name with a map read.
func BenchmarkLookup(b *testing.B) {
	names := make(map[string]*registry.Function)
	reg := registry.New(nil)
	for i := range 1000 {
		f := echo(fmt.Sprintf("f%d", i))
		reg.Namespace(fmt.Sprintf("n%d.sub", i/10), "").Add(f)
		names[fmt.Sprintf("n%d.sub.f%d", i/10, i)] = f
	}
	b.Run("map", func(b *testing.B) {
		for b.Loop() {
			if names["n50.sub.f505"] == nil {
				b.Fatal("missing")
			}
		}
	})
	ctx := context.Background()
	for _, bb := range []struct{ name, path, function string }{{"canonical", "n50.sub", "f505"}, {"spelt", "N50.Sub", "F_505"}} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := reg.Function(ctx, bb.path, bb.function); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// pair is a type of arguments; with ten types each way it is a hundred.
type pair[A, B any] struct {
	A A      `json:"a" jsonschema:"First."`
	B B      `json:"b" jsonschema:"Second."`
	C string `json:"c,omitempty" jsonschema:"Third." cash:"maxLength=80"`
}

type maker func(name string) *registry.Function

func of[A, B any]() maker {
	return func(name string) *registry.Function {
		return registry.Func(name, "Do "+name+".", func(_ context.Context, in pair[A, B]) (pair[A, B], error) { return in, nil })
	}
}

func with[A any]() []maker {
	return []maker{of[A, int](), of[A, string](), of[A, bool](), of[A, float64](), of[A, []int](), of[A, []string](),
		of[A, int8](), of[A, uint16](), of[A, map[string]int](), of[A, []bool]()}
}

func hundredTypes() []maker {
	return slices.Concat(with[int](), with[string](), with[bool](), with[float64](), with[[]int](), with[[]string](),
		with[int8](), with[uint16](), with[map[string]int](), with[[]bool]())
}

// BenchmarkRegister registers functions of a hundred Go types and reads once.
func BenchmarkRegister(b *testing.B) {
	makers := hundredTypes()
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprintf("functions=%d", n), func(b *testing.B) {
			for b.Loop() {
				reg := registry.New(nil)
				for i := range n {
					reg.Namespace(fmt.Sprintf("n%d", i/100), "").Add(makers[i%len(makers)](fmt.Sprintf("f%d", i)))
				}
				if _, err := reg.Function(context.Background(), "n0", "f0"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReplace replaces a catalog that has been searched by one that says the
// same: with the functions that are there, and with functions made anew.
func BenchmarkReplace(b *testing.B) {
	const n = 10_000
	functions := func() []*registry.Function {
		list := make([]*registry.Function, n)
		for i := range list {
			f, err := registry.RemoteFunc(fmt.Sprintf("tool_%d", i), "Does something with an order.", registry.Remote{
				InputSchema: json.RawMessage(`{"type":"object","properties":{"order_id":{"type":"string","description":"Order."},"quantity":{"type":"integer","minimum":1}}}`),
				Handler:     func(context.Context, *registry.Call) (*registry.Result, error) { return registry.TextResult(""), nil },
			})
			if err != nil {
				b.Fatal(err)
			}
			list[i] = f
		}
		return list
	}
	for name, next := range map[string]func([]*registry.Function) []*registry.Function{
		"same": func(list []*registry.Function) []*registry.Function { return list },
		"anew": func([]*registry.Function) []*registry.Function { return functions() },
	} {
		b.Run(name, func(b *testing.B) {
			reg, list := registry.New(nil), functions()
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				list = next(list)
				tree := registry.New(nil)
				tree.Namespace("", "").Add(list...)
				reg.Search(b.Context(), "order", 1)
				b.StartTimer()
				if err := reg.Replace("shop", tree); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
