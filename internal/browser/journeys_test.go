package browser

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestJourneys are twelve ways of a person through the page.
func TestJourneys(t *testing.T) {
	for _, j := range []struct {
		name string
		walk func(*tab, *site)
	}{
		{"tree", func(b *tab, s *site) {
			b.shows("main", "orders/", "Create and manage customer orders.", "!payroll")
			b.picture("root")
			b.click(`main a[href*="path=orders"]`, ".crumbs li:nth-child(2)")
			b.shows("main", "create", "read-only", "destructive", "refund", "4 functions, 1 skill")
			b.picture("orders")
		}},
		{"search", func(b *tab, _ *site) {
			b.run(chromedp.KeyEvent("/"), chromedp.KeyEvent("delete orders"), chromedp.WaitVisible(chromedp.CSS(`main a[href*="orders.purge"]`)))
			b.picture("typed")
			b.run(chromedp.KeyEvent(kb.Escape), chromedp.WaitNotPresent(chromedp.CSS(`main a[href*="orders.purge"]`)))
			b.shows("main", "inventory/")
		}},
		{"function", func(b *tab, s *site) {
			b.open(s.url + "function?path=orders.create")
			b.shows("main", "Unique customer identifier.", "required", "advanced", "One of: low, normal, high", "gateway", "disclosure")
			b.picture("closed")
			eval[int](b, `document.querySelectorAll("details.face").forEach(d => d.open = true), 0`)
			b.shows("main", "tool_execute", "help", "tokens")
			b.picture("open")
		}},
		{"skill", func(b *tab, s *site) {
			b.open(s.url + "skill?path=orders.refund")
			b.shows("main", "1 part removed", "[code block removed: bash, 2 lines]", "!curl")
			b.picture("text")
		}},
		{"costs", func(b *tab, s *site) {
			b.open(s.url + "costs")
			b.click("form.try button", "table.costs")
			b.shows("main", "plain", "endpoint", "Take plain")
			b.picture("bars")
		}},
		{"read", func(b *tab, s *site) {
			b.open(s.url + "function?path=orders.list")
			b.click(`button[value="call"]`, `pre[aria-label="Result"]`)
			b.shows("main", "C-42", "tokens")
			b.picture("result")
		}},
		{"write", func(b *tab, s *site) {
			b.open(s.url + "function?path=orders.create")
			b.click(`button[value="dry"]`, `input[name="ticket"]~p button, .try button[value="call"]`)
			if n := s.made.Load(); n != 0 {
				b.t.Errorf("a dry run made %d orders", n)
			}
			b.picture("dry run")
			b.click(`.try button[value="call"]`, `pre[aria-label="Result"]`)
			b.shows(`pre[aria-label="Result"]`, "O-1")
			b.picture("result")
			if n := s.made.Load(); n != 1 {
				b.t.Errorf("one call made %d orders", n)
			}
		}},
		{"artifact", func(b *tab, s *site) {
			b.open(s.url + "function?path=orders.export")
			b.click(`button[value="call"]`, `main a[href^="artifact"]`)
			b.picture("result")
			b.click(`main a[href^="artifact"]`, `input[name="handle"]`)
			b.shows("main", "order 0000")
			b.picture("view")
		}},
		{"log", func(b *tab, s *site) {
			s.talk(b.t, clerk, "orders", "list", `{}`)
			s.talk(b.t, clerk, "orders", "create", `{"customer_id":5}`)
			b.open(s.url + "log")
			b.shows("main", "orders.list", "INVALID_ARGUMENTS", "!C-42", "!stock")
			s.talk(b.t, boss, "inventory", "stock", `{}`)
			get(b, chromedp.Poll[bool](`document.querySelector("main").textContent.includes("inventory.stock")`, chromedp.WithPollingTimeout(time.Minute)))
			b.picture("live")
		}},
		{"upstreams", func(b *tab, s *site) {
			b.open(s.url + "upstreams")
			b.shows("main", "weather", "connected", "forecast", "[U+200B]", "700", "radar")
			b.picture("quarantine")
			b.run(chromedp.Click(`//article[contains(., "radar")]//button`), chromedp.WaitNotPresent(`//article[contains(., "radar")]`))
			b.open(s.url + "?path=weather")
			b.shows("main", "radar", "!forecast")
		}},
		{"approvals", func(b *tab, s *site) {
			s.talk(b.t, clerk, "orders", "purge", `{"year":2020}`)
			b.open(s.url + "approvals")
			b.shows("main", "orders.purge", "clerk", "2020", "Deleting cannot be undone.")
			b.picture("waiting")
			b.run(chromedp.Click(chromedp.CSS(`button[value="approve"]`)), chromedp.WaitNotPresent(chromedp.CSS("article")))
			s.talk(b.t, clerk, "orders", "purge", `{"year":2020}`)
			if n := s.deleted.Load(); n != 1 {
				b.t.Errorf("%d calls passed after one approval", n)
			}
		}},
		{"caller", func(b *tab, s *site) {
			b.run(chromedp.SetValue(chromedp.CSS("#as"), "boss"))
			b.run(chromedp.WaitVisible(chromedp.CSS(`main a[href*="payroll"]`)))
			b.click(`main a[href*="payroll"]`, `main a[href*="payroll.salaries"]`)
			b.shows("main", "List the salaries.")
			b.phone()
			b.picture("phone")
		}},
	} {
		t.Run(j.name, func(t *testing.T) {
			s, b := newSite(t, nil), newTab(t)
			b.open(s.url)
			j.walk(b, s)
		})
	}
}
