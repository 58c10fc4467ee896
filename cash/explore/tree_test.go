package explore_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/cash-mcp/go-sdk/cash/explore"
	"github.com/cash-mcp/go-sdk/registry"
)

func TestTree(t *testing.T) {
	b := open(t, shop(new(int)), &explore.Options{Name: "The shop"})
	has(t, b.get(""), "The shop", `href="./?path=orders"`, "Create and manage orders.", "!payroll", "!salaries", "!secretariat")
	has(t, b.get("?path=orders"), `href="function?path=orders.create"`, "read-only", `href="skill?path=orders.refund"`, "3 functions")
	has(t, b.get("search?q=make+an+order"), `href="function?path=orders.create"`)
	has(t, b.get("search?q=salaries"), "No function matches", "!payroll")
	has(t, b.get("search?q=order&part=1"), "orders.create", "!<html", "!<header")
}

func TestFunction(t *testing.T) {
	b := open(t, shop(new(int)), nil)
	page := b.get("function?path=orders.create")
	has(t, page, "Customer number.", "required", "orders:create#", "plain", "cash", "gateway", "proxy", "disclosure", "facade", "endpoint",
		"tool_execute", "<rect", "!Only what a model reads", "!Try it")
}

func TestSkill(t *testing.T) {
	b := open(t, shop(new(int)), nil)
	has(t, b.get("skill?path=orders.refund"), "1 part removed", "<mark>[code block removed: bash, 1 line]</mark>", "refund &lt;b&gt;it", "!rm -rf")
}

// TestCallers shows each caller its own tree, and the same answer for what is hidden and what is not there.
func TestCallers(t *testing.T) {
	b := open(t, shop(new(int)), &explore.Options{Callers: []*registry.Caller{clerk, boss, nil}})
	has(t, b.get(""), "!payroll", `<option value="boss">`, `<option value="clerk" selected>`)
	has(t, b.get("?as=boss"), "payroll", "path=payroll", "as=boss")
	has(t, b.get("?as="), "!payroll")
	hidden, missing := b.do("GET", "function?path=payroll.salaries", nil), b.do("GET", "function?path=paytoll.salaries", nil)
	if hidden.Code != 404 || missing.Code != 404 {
		t.Errorf("%d for a hidden function, %d for none", hidden.Code, missing.Code)
	}
	has(t, hidden.Body.String(), "!salaries.", "!secretariat")
	if w := b.do("GET", "?as=root", nil); w.Code != 403 {
		t.Errorf("%d as another caller", w.Code)
	}
}

// searched is a source that counts searches, and holds them until it may go on.
type searched struct {
	*registry.Registry
	n  atomic.Int64
	on chan struct{}
}

func (s *searched) SearchNamespace(ctx context.Context, path, query string, limit int) []registry.Match {
	s.n.Add(1)
	<-s.on
	return s.Registry.SearchNamespace(ctx, path, query, limit)
}

// TestPrepared: a page prepares the index of searches after it is written, once at a time.
func TestPrepared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &searched{Registry: shop(new(int)), on: make(chan struct{})}
		b := open(t, src, nil)
		for range 3 { // none waits for the index
			has(t, b.get(""), "orders")
			synctest.Wait()
		}
		if n := src.n.Load(); n != 1 {
			t.Errorf("%d searches at a time, want 1", n)
		}
		close(src.on)
		synctest.Wait()
		b.get("?path=orders")
		synctest.Wait()
		if n := src.n.Load(); n != 2 {
			t.Errorf("%d searches, want one more", n)
		}
	})
}

// TestSearchRows: a search while typing has fewer rows than its page, the same first ones.
func TestSearchRows(t *testing.T) {
	reg := registry.New(nil)
	for i := range 120 {
		reg.Namespace("work", "Work.").Add(registry.Func(fmt.Sprintf("task%03d", i), "Do the task.", none))
	}
	b := open(t, reg, nil)
	rows := func(page string) []string {
		list := strings.Split(page, `<tr class="function">`)[1:]
		for i, row := range list {
			list[i], _, _ = strings.Cut(row, "</a>")
		}
		return list
	}
	whole, part := b.get("search?q=task"), b.get("search?q=task&part=1")
	has(t, whole, "100 or more functions", "!Enter shows more")
	has(t, part, "25 or more functions", "Enter shows more")
	if w, p := rows(whole), rows(part); len(w) != 100 || len(p) != 25 || !slices.Equal(w[:25], p) {
		t.Errorf("%d rows, and %d while typing", len(w), len(p))
	}
	has(t, b.get("search?q=task007&part=1"), "task007", "!Enter shows more")
}
