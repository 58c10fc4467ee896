package upstream_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// suggesting is a publisher whose server does not matter.
func suggesting(host, name string, namespaces ...string) *publisher {
	p := publish(host, name, "any")
	p.suggest(namespaces...)
	return p
}

func TestR134Labels(t *testing.T) {
	for _, test := range []struct {
		name   string
		list   []*publisher
		labels map[int]string // of the operator, by publisher
		want   string         // labels of each publisher, in order
	}{
		{"RFC 5.4", []*publisher{suggesting("a.example", "Shop", "orders"), suggesting("b.example", "Warehouse", "orders")}, nil,
			"shoporders warehouseorders"},
		{"same publisher", []*publisher{suggesting("mcp.east.example", "Shop", "orders"), suggesting("mcp.west.example", "Shop", "orders")}, nil,
			"eastorders westorders"},
		{"same publisher and host", []*publisher{suggesting("east.example:1", "Shop", "orders"), suggesting("east.example:2", "Shop", "orders"), suggesting("east.example:3", "Shop", "orders")}, nil,
			"shoporders shoporders_2 shoporders_3"},
		{"one of another publisher", []*publisher{suggesting("a.example", "Shop", "orders"), suggesting("b.example", "Shop", "orders"), suggesting("c.example", "Depot", "orders")}, nil,
			"aorders borders depotorders"},
		{"the operator decides", []*publisher{suggesting("a.example", "Shop", "orders"), suggesting("b.example", "Warehouse", "orders")}, map[int]string{1: "orders"},
			"shoporders orders"},
		{"both by the operator", []*publisher{suggesting("a.example", "Shop", "orders"), suggesting("b.example", "Shop", "orders")}, map[int]string{0: "Left", 1: "right.orders"},
			"Left right.orders"},
		{"a suggestion comes before a prefix", []*publisher{suggesting("a.example", "Shop", "orders"), suggesting("b.example", "Warehouse", "orders"), suggesting("c.example", "C", "shoporders")}, nil,
			"aorders warehouseorders shoporders"},
		{"overlap", []*publisher{suggesting("a.example", "Shop", "orders"), suggesting("b.example", "Warehouse", "orders.retail")}, nil,
			"orders warehouseorders.retail"},
		{"overlap with the operator's", []*publisher{suggesting("a.example", "Shop", "orders.retail"), suggesting("b.example", "Warehouse", "orders")}, map[int]string{1: "orders"},
			"shoporders.retail orders"},
		{"overlap that no prefix resolves", []*publisher{suggesting("a.example", "Shop", "orders.retail"), suggesting("b.example", "B", "x"), suggesting("c.example", "C", "y"), suggesting("d.example", "D", "z")},
			map[int]string{1: "orders", 2: "shoporders", 3: "aorders"}, "shoporders_retail orders shoporders aorders"},
		{"overlap of its own", []*publisher{suggesting("a.example", "Shop", "orders.retail", "orders", "Orders_", "stock")}, nil,
			"orders+stock"},
		{"below one another's parent", []*publisher{suggesting("a.example", "A", "acme.orders"), suggesting("b.example", "B", "acme.stock")}, nil,
			"acme.orders acme.stock"},
		{"spelled differently", []*publisher{suggesting("a.example", "Shop", "Shop-Orders"), suggesting("b.example", "Warehouse", "shop_orders")}, nil,
			"shopshop_orders warehouseshop_orders"},
		{"hyphens", []*publisher{suggesting("a.example", "Shop", "shop-orders")}, nil, "shop_orders"},
		{"other characters", []*publisher{suggesting("a.example", "Shop", "a b/c!")}, nil, "abc"},
		{"nothing left", []*publisher{suggesting("mcp.shop.example", "Shop", "-!-", "日本語")}, nil, "shop"},
		{"nothing left of an address", []*publisher{suggesting("127.0.0.1:8443", "Shop", "."), suggesting("[::1]", "Depot", "-")}, nil, "shopserver depotserver"},
		{"a publisher without a letter", []*publisher{suggesting("a.example", "日本", "orders"), suggesting("b.example", strings.Repeat("x", 100), "orders")}, nil,
			"aorders borders"},
		{"a publisher with dots", []*publisher{suggesting("a.example", "Shop.Example Inc.", "orders"), suggesting("b.example", "B", "orders")}, nil,
			"shopexampleincorders borders"},
		{"the embedder's namespace", []*publisher{suggesting("a.example", "Shop", "own"), suggesting("b.example", "B", "O-W-N")}, nil,
			"shopown bo_w_n"},
		{"one within the embedder's", []*publisher{suggesting("a.example", "Shop", "own.refunds")}, nil, "shopown.refunds"},
		{"one that the embedder has below", []*publisher{suggesting("a.example", "Shop", "deep")}, nil, "shopdeep"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				list := from(test.list...)
				for i, label := range test.labels {
					list[i].Label = label
				}
				f := embedding(t, newNetwork(test.list...))
				defer f.stop()
				f.must(f.Discover(list...))
				f.wait()
				if got := f.placed(test.list); got != test.want {
					t.Errorf("labels %s, want %s", got, test.want)
				}
			})
		})
	}
}

// embedding is an aggregator beside namespaces of the embedder's.
func embedding(t *testing.T, n *network) *finder {
	f := finding(t, upstream.Options{Fetch: manifest.FetchOptions{Transport: n}})
	for _, path := range []string{"own", "deep.below"} {
		f.reg.Namespace(path, "The embedder's.").Add(registry.Func("f", "F.", func(context.Context, struct{}) (string, error) { return "", nil }))
	}
	return f
}

// placed returns the labels of publishers, in their order.
func (f *finder) placed(list []*publisher) string {
	var got []string
	for _, p := range list {
		for _, s := range f.Status() {
			if s.Endpoint == strings.TrimSuffix(p.url(), manifest.WellKnownPath)+"/mcp" {
				got = append(got, strings.Join(s.Labels, "+"))
			}
		}
	}
	return strings.Join(got, " ")
}

// Which manifest comes first has no say in the labels, and neither have later
// fetches.
func TestR134OrderOfFetches(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	const want = "shoporders+shopstock warehouseorders orders.retail+warehousestock stock.new"
	for round := range sized(50, 10) {
		synctest.Test(t, func(t *testing.T) {
			all := []*publisher{
				suggesting("a.example", "Shop", "orders", "stock"), suggesting("b.example", "Warehouse", "orders"),
				suggesting("c.example", "Warehouse", "orders.retail", "stock"), suggesting("d.example", "D", "stock.new"),
			}
			for _, p := range all {
				p.delay, p.doc.CacheTTL = time.Duration(rnd.Int64N(int64(5*time.Second))), time.Duration(rnd.IntN(10))*time.Minute
			}
			f := discover(t, newNetwork(all...), from(all...)...)
			defer f.stop()
			if got := f.placed(all); got != want {
				t.Fatalf("round %d: labels %s", round, got)
			}
			time.Sleep(time.Hour)
			if got := f.placed(all); got != want {
				t.Fatalf("round %d, an hour later: labels %s", round, got)
			}
		})
	}
}

// What has been chosen stays: when others come later, and when a namespace or a
// server goes away for a while.
func TestR134Sticky(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := suggesting("a.example", "Shop", "orders"), suggesting("b.example", "Warehouse", "orders")
		late, other := suggesting("c.example", "Depot", "orders"), suggesting("d.example", "Other", "orders")
		all := []*publisher{a, b, late, other}
		for _, p := range all {
			p.doc.CacheTTL = time.Minute
		}
		late.status = 503
		f := embedding(t, newNetwork(all...))
		defer f.stop()
		f.must(f.Discover(from(a, b, late)...))
		f.wait()
		want := func(labels string) {
			t.Helper()
			if got := f.placed(all); got != labels {
				t.Errorf("labels %s, want %s", got, labels)
			}
		}
		later := func() { time.Sleep(8 * time.Minute) }
		want("shoporders warehouseorders")
		late.edit(func() { late.status = 0 })
		later()
		want("shoporders warehouseorders depotorders")
		f.must(f.Discover(from(other)...))
		f.wait()
		want("shoporders warehouseorders depotorders orders") // of another list, where nobody asks for it

		a.suggest("stock", "returns")
		later()
		want("returns+stock warehouseorders depotorders orders")
		other.suggest("shoporders")
		later()
		want("returns+stock warehouseorders depotorders shoporders")
		a.suggest("returns", "orders") // somebody else has taken its place
		later()
		want("aorders+returns warehouseorders depotorders shoporders")
		b.edit(func() { b.status = 500 })
		later()
		want("aorders+returns warehouseorders depotorders shoporders")
		b.suggest("else")
		b.edit(func() { b.status = 0 })
		later()
		want("aorders+returns else depotorders shoporders")
		b.suggest("orders")
		later()
		want("aorders+returns warehouseorders depotorders shoporders")
	})
}

func TestR135Hyphens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := publish("shop.example", "Shop", "shop-orders")
		f := discover(t, newNetwork(p), from(p)...)
		defer f.stop()
		if f.line("shop_orders") == "" {
			t.Error("help() does not list shop_orders")
		}
		for _, path := range []string{"shop_orders", "shoporders", "ShopOrders", "SHOP_ORDERS"} {
			f.wantWho(path, "shop.example")
		}
		if got, err := f.who("shop-orders"); err == nil || !strings.Contains(err.Error(), "shop_orders") {
			t.Errorf("shop-orders: %q, %v", got, err)
		}
	})
}

// Each suggested namespace is the server's of that name; a server without such
// stands there as a whole. One connection serves all.
func TestR136Mapping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := publish("tree.example", "Tree", "orders", "stock-levels")
		root := publish("root.example", "Root", "top")
		reg := registry.New(nil)
		reg.Namespace("", "").Add(registry.Func("who", "Names the host.", func(context.Context, struct{}) (string, error) { return "root.example", nil }))
		root.mcp = cash.NewServer(reg, nil).Handler()
		root.suggest("billing", "invoices")
		plain := publish("plain.example", "Plain", "top")
		plain.mcp = plainHandler(map[string]mcp.ToolHandler{"who": saying("plain.example")})
		plain.suggest("files")
		whole := publish("whole.example", "Whole", "orders", "stock")
		list := from(tree, root, plain, whole)
		list[3].Label = "whole"
		f := discover(t, newNetwork(tree, root, plain, whole), list...)
		defer f.stop()
		for path, host := range map[string]string{
			"orders": "tree.example", "stock_levels": "tree.example", "billing": "root.example", "invoices": "root.example",
			"files": "plain.example", "whole.orders": "whole.example", "whole.stock": "whole.example",
		} {
			f.wantWho(path, host)
		}
		if line := f.line("stock_levels"); !strings.Contains(line, "About stock-levels.") {
			t.Errorf("help() says %q", line)
		}
		for _, p := range []*publisher{tree, root, plain, whole} {
			if _, _, connects := p.counts(); connects != 1 {
				t.Errorf("%s was connected to %d times", p.host, connects)
			}
		}
		tree.edit(func() { tree.status = 500 })
		time.Sleep(2 * time.Hour)
		f.wantOff("orders")
		f.wantOff("stock_levels") // each under its own name
		_, err := f.srv.Call(t.Context(), &cash.CallRequest{Namespace: "stock_levels.below", Function: "who"})
		if err == nil || !strings.Contains(err.Error(), "`stock_levels` is temporarily unavailable") {
			t.Errorf("what is not known there is answered with %v", err)
		}
	})
}

func plainHandler(handlers map[string]mcp.ToolHandler) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return tools(handlers) }, &mcp.StreamableHTTPOptions{Stateless: true})
}

// Namespaces come and go with the manifest, in any order, without a new
// connection where nothing has changed.
func TestNamespacesComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := publish("shop.example", "Shop", "orders", "stock", "returns")
		p.doc.CacheTTL = time.Minute
		f := discover(t, newNetwork(p), from(p)...)
		defer f.stop()
		for _, test := range []struct {
			suggested []string
			labels    string
			connects  int
		}{
			{[]string{"returns", "orders", "stock"}, "orders+returns+stock", 1},
			{[]string{"stock"}, "stock", 2},
			{[]string{"stock", "orders"}, "orders+stock", 3},
			{[]string{"orders"}, "orders", 4},
		} {
			p.suggest(test.suggested...)
			time.Sleep(2 * time.Minute)
			if got := f.labels(); got != test.labels {
				t.Errorf("labels %s, want %s", got, test.labels)
			}
			for _, ns := range []string{"orders", "stock", "returns"} {
				if slices.Contains(test.suggested, ns) {
					f.wantWho(ns, "shop.example")
				} else if line := f.line(ns); line != "" {
					t.Errorf("help() lists %s: %q", ns, line)
				}
			}
			if _, _, connects := p.counts(); connects != test.connects {
				t.Errorf("%v: connected to %d times", test.suggested, connects)
			}
		}
	})
}

// A manifest may say what it likes, and cost what it likes its publisher.
func TestR136ManyNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := suggesting("shop.example", "Shop", "orders")
		p.doc.CacheTTL = manifest.NoCache
		f := discover(t, newNetwork(p), from(p)...)
		defer f.stop()
		for round := range 6 { // others each time
			var list []string
			for i := range manifest.MaxEntries {
				list = append(list, fmt.Sprintf("n%d_%d", round, i))
			}
			p.suggest(list...)
			time.Sleep(2 * time.Minute)
			if got := len(f.Status()[0].Labels); got != 64 {
				t.Fatalf("%d labels", got)
			}
		}
		p.suggest(strings.Repeat("a.", 99) + "a")
		time.Sleep(2 * time.Minute)
		if got := len(f.Status()[0].Labels); got != 1 {
			t.Errorf("%d labels", got)
		}
	})
}

// Many servers that all suggest the same are told apart in no time.
func TestR134Colliding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var namespaces []string
		for i := range 64 {
			namespaces = append(namespaces, fmt.Sprintf("own.n%d", i))
		}
		var all []*publisher
		servers := sized(100, 30)
		for i := range servers {
			all = append(all, suggesting(fmt.Sprintf("shop.example:%d", i+1), "Shop", namespaces...))
		}
		f := embedding(t, newNetwork(all...))
		defer f.stop()
		f.reg.Namespace("shopown", "The embedder's.").Add(registry.Func("f", "F.", func(context.Context, struct{}) (string, error) { return "", nil }))
		f.must(f.Discover(from(all...)...))
		f.wait()
		seen := make(map[string]bool)
		for _, s := range f.Status() {
			for _, label := range s.Labels {
				c, _ := registry.CanonicalPath(label)
				if seen[c] || strings.HasPrefix(c, "own") {
					t.Errorf("label %s", label)
				}
				seen[c] = true
			}
		}
		if len(seen) != 64*servers {
			t.Errorf("%d labels", len(seen))
		}
	})
}

// Whatever manifests suggest, and change: every server stands somewhere, no label
// is another or below it, and none is within what the embedder has.
func TestR134Apart(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	words := []string{"orders", "Orders_", "orders.retail", "orders.retail.eu", "stock", "own", "own.x", "deep", "shoporders", "shop-orders_2", "-", "日本", "a..b", ""}
	suggestions := func() (list []string) {
		for range 1 + rnd.IntN(5) {
			list = append(list, words[rnd.IntN(len(words)-1)])
		}
		return list
	}
	for range sized(40, 10) {
		synctest.Test(t, func(t *testing.T) {
			var all []*publisher
			for i := range 8 {
				p := suggesting(fmt.Sprintf("h%d.example:%d", rnd.IntN(3), i+1), []string{"Shop", "Depot", "日本"}[rnd.IntN(3)], suggestions()...)
				p.doc.CacheTTL = time.Minute
				all = append(all, p)
			}
			list := from(all...)
			list[3].Label, list[5].Label = "stock", "Shop"
			f := embedding(t, newNetwork(all...))
			defer f.stop()
			f.must(f.Discover(list...))
			f.wait()
			for range 3 {
				f.wantApart(len(all))
				for _, p := range all {
					p.suggest(suggestions()...)
					status := 503 * rnd.IntN(2)
					p.edit(func() { p.status = status })
				}
				time.Sleep(8 * time.Minute)
			}
		})
	}
}

func (f *finder) wantApart(servers int) {
	f.t.Helper()
	paths := []string{"own", "deep"}
	status := f.Status()
	for _, s := range status {
		for _, label := range s.Labels {
			path, ok := registry.CanonicalPath(label)
			if !ok || path == "" {
				f.t.Errorf("%q is no label", label)
			}
			for _, other := range paths {
				if strings.HasPrefix(path+".", other+".") || strings.HasPrefix(other+".", path+".") {
					f.t.Errorf("label %s, beside %s", label, other)
				}
			}
			paths = append(paths, path)
		}
	}
	if len(status) != servers {
		f.t.Errorf("%d servers", len(status))
	}
	if strings.Contains(f.log.String(), "level=ERROR") {
		f.t.Errorf("the log says %s", f.log)
	}
}

// A server cannot shake off what is pinned of it by other suggestions.
func TestW37PinsOfDiscoveredServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := publish("shop.example", "Shop", "top")
		p.doc.CacheTTL = time.Minute
		p.mcp = plainHandler(map[string]mcp.ToolHandler{"who": saying("before")})
		p.suggest("tools")
		n := newNetwork(p)
		f := finding(t, upstream.Options{Mode: pin.FirstUse, Fetch: manifest.FetchOptions{Transport: n}})
		defer f.stop()
		f.must(f.Discover(from(p)...))
		f.wait()
		f.wantWho("tools", "before")
		p.edit(func() {
			p.mcp = plainHandler(map[string]mcp.ToolHandler{"who": saying("before"), "evil": saying("evil")})
		})
		p.suggest("aaa", "tools", "zzz")
		time.Sleep(2 * time.Minute)
		for _, ns := range []string{"aaa", "tools", "zzz"} {
			f.wantWho(ns, "before")
			if _, err := f.srv.Call(t.Context(), &cash.CallRequest{Namespace: ns, Function: "evil"}); err == nil {
				t.Errorf("a tool that came later is served at %s", ns)
			}
		}
		f.must(f.Accept(t.Context(), "zzz", "evil"))
		if _, err := f.srv.Call(t.Context(), &cash.CallRequest{Namespace: "aaa", Function: "evil"}); err != nil {
			t.Error(err)
		}
	})
}
