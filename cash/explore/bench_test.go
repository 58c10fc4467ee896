package explore_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/explore"
	"github.com/cash-mcp/go-sdk/registry"
)

// many returns a registry of 10,000 functions, and of one namespace that most callers do not see.
func many() *registry.Registry {
	reg := shop(new(int))
	for i := range 100 {
		n := reg.Namespace(fmt.Sprintf("area%02d", i), fmt.Sprintf("Work in the area %d.", i))
		for j := range 100 {
			n.Add(registry.Func(fmt.Sprintf("task%02d", j), fmt.Sprintf("Do the task %d of the area %d for a customer.", j, i),
				func(context.Context, order) (order, error) { return order{}, nil }))
		}
	}
	return reg
}

// fetch gets a page.
func fetch(b *testing.B, page http.Handler, target string) {
	r := httptest.NewRequest("GET", "http://"+host+"/"+target, nil)
	r.RemoteAddr = "127.0.0.1:40000"
	w := httptest.NewRecorder()
	page.ServeHTTP(w, r)
	if w.Code != 200 {
		b.Fatalf("GET %s: %d", target, w.Code)
	}
}

// BenchmarkPage is each page with 10,000 functions, once the index is there.
func BenchmarkPage(b *testing.B) {
	page := explore.New(many(), nil)
	fetch(b, page, "search?q=warm")
	for _, target := range []string{"", "?path=area42", "search?q=task+customer", "search?q=task+customer&part=1", "search?q=order&part=1",
		"search?q=customer+task+42&part=1", "search?q=task99+area03&part=1"} {
		b.Run("/"+target, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fetch(b, page, target)
			}
		})
	}
}

// BenchmarkFirst is the first page and the first search of a server that has just started.
func BenchmarkFirst(b *testing.B) {
	for _, target := range []string{"", "search?q=warm"} {
		b.Run("/"+target, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				page := explore.New(many(), nil)
				if target != "" {
					fetch(b, page, "")
				}
				b.StartTimer()
				fetch(b, page, target)
			}
		})
	}
}
