package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/cash-mcp/go-sdk/cash/explore"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestHostile: names and texts that would run a script, colour a terminal or turn the direction do nothing.
func TestHostile(t *testing.T) {
	s, b := newSite(t, nil), newTab(t)
	const evil = `"'></script></textarea></pre><script>window.ran=1</script><img src=x onerror="window.ran=2"><svg onload=window.ran=3>` +
		"\x1b]0;title\x07\x1b[31mred\u202egnorw\u2066\u200b{{7*7}}${7*7}"
	long := evil + strings.Repeat("wide ", 2000)
	schema := fmt.Sprintf(`{"type":"object","properties":{"a":{"type":"string","description":%s,"enum":[%s]}},"required":["a"]}`, quoted(evil), quoted(evil))
	f, err := registry.RawFunc("evil", long, []byte(schema), func(context.Context, json.RawMessage) (*registry.Result, error) {
		return registry.TextResult(evil), nil
	}, registry.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	n := s.reg.Namespace("evil", long)
	n.Add(f)
	n.AddSkill(registry.NewSkill("evil", evil, "Text "+long))
	for i, target := range []string{"", "?path=evil", "function?path=evil.evil", "skill?path=evil.evil", "search?q=" + "%22%3E%3Cscript%3Ewindow.ran%3D4%3C/script%3E",
		"?path=%22%3E%3Cimg+src%3Dx+onerror%3Dwindow.ran%3D5%3E", "costs?calls=2", "log", "upstreams"} {
		b.open(s.url + target)
		eval[int](b, `document.querySelectorAll("details").forEach(d => d.open = true), 0`)
		b.inert(target)
		if i < 4 {
			b.picture(fmt.Sprint("page", i))
		}
	}
	b.open(s.url + "function?path=evil.evil")
	b.click(`button[value="call"]`, `pre[aria-label="Result"]`)
	b.inert("the result")
	b.open(s.url)
	b.run(chromedp.Click(chromedp.CSS("#q")), chromedp.KeyEvent("evil <script>"), chromedp.WaitVisible(chromedp.CSS(`main a[href*="evil.evil"]`)))
	b.inert("the search while typing")
}

// inert requires that nothing of a hostile text has run, and that no element of it is there.
func (b *tab) inert(where string) {
	b.t.Helper()
	if got := eval[string](b, `String(window.ran) + " " + document.querySelectorAll("main img, main script, main svg[onload], [onerror]").length + " " + document.title.includes("\u202e") + " " +
		/[\u202a-\u202e\u2066-\u2069\u200b\u001b]/.test(document.documentElement.innerHTML)`); got != "undefined 0 false false" {
		b.t.Errorf("%s: %s", where, got)
	}
	if wide := eval[bool](b, `document.documentElement.scrollWidth > innerWidth`); wide {
		b.t.Errorf("%s is wider than the window", where)
	}
}

// TestLogins: two logins see different trees, and neither can be the other.
func TestLogins(t *testing.T) {
	s := newSite(t, func(r *http.Request) (*explore.Viewer, error) {
		switch c, err := r.Cookie("user"); {
		case err != nil:
			return nil, err
		case c.Value == "boss":
			return &explore.Viewer{Callers: []*registry.Caller{boss}, Operator: true}, nil
		}
		return &explore.Viewer{Callers: []*registry.Caller{clerk}}, nil
	})
	as := func(user string) *tab {
		b := newTab(t)
		if _, err := chromedp.Call(b.ctx, network.SetCookie, network.SetCookieParams{Name: "user", Value: user, URL: s.url}); err != nil {
			t.Fatal(err)
		}
		b.open(s.url)
		return b
	}
	b := as("boss")
	b.shows("body", "payroll", "Log", "Upstreams")
	b.picture("boss")
	b = as("clerk")
	b.shows("body", "orders", "!payroll", "!Log", "!Upstreams")
	b.picture("clerk")
	b.open(s.url + "function?path=payroll.salaries")
	b.shows("main", "Not available", "!List the salaries")
	b.open(s.url + "?as=boss")
	b.shows("body", "Not available", "!payroll")
	b.open(s.url + "search?q=salaries")
	b.shows("main", "No function matches")
}

// TestMany: 10,000 functions are painted and searched at once, and nothing moves.
func TestMany(t *testing.T) {
	s, b := newSite(t, nil), newTab(t)
	for i := range 100 {
		n := s.reg.Namespace(fmt.Sprintf("area%02d", i), fmt.Sprintf("Work in the area %d.", i))
		for j := range 100 {
			n.Add(registry.Func(fmt.Sprintf("task%02d", j), fmt.Sprintf("Do the task %d of the area %d for a customer.", j, i),
				func(context.Context, orderIn) (orderOut, error) { return orderOut{}, nil }))
		}
	}
	// The first requests build the snapshot and the index.
	start := time.Now()
	b.open(s.url)
	b.open(s.url + "search?q=warm")
	t.Logf("the first page and the first search took %d ms", time.Since(start).Milliseconds())
	for _, page := range []string{"", "?path=areaNN", "function?path=areaNN.task07", "search?q=task+customer+NN", "log"} {
		fastest := 1e9
		// One load may be held up. Where there are several such pages, each try loads one that has not been shown yet.
		for i := range 3 {
			target := strings.ReplaceAll(page, "NN", fmt.Sprint(42+i))
			start := time.Now()
			b.open(s.url + target)
			loaded := time.Since(start)
			paint := eval[float64](b, `new Promise(done => {
				const painted = () => performance.getEntriesByName("first-contentful-paint")[0];
				const look = () => painted() ? done(painted().startTime) : setTimeout(look, 20);
				look();
			})`)
			shift := eval[float64](b, `new Promise(done => {
				let sum = 0;
				new PerformanceObserver(list => list.getEntries().forEach(e => sum += e.value)).observe({type: "layout-shift", buffered: true});
				setTimeout(() => done(sum), 200);
			})`)
			t.Logf("/%s: first paint %.0f ms, loaded %d ms, layout shift %.4f", target, paint, loaded.Milliseconds(), shift)
			if shift > 0.001 {
				t.Errorf("/%s: the layout shifts by %.4f", target, shift)
			}
			fastest = min(fastest, paint)
		}
		if fastest > 2500 {
			t.Errorf("/%s: the fastest first paint took %.0f ms", page, fastest)
		}
	}
	b.open(s.url)
	search := func(words string) float64 {
		return eval[float64](b, `new Promise(done => {
			const q = document.getElementById("q"), main = document.getElementById("main"), start = performance.now();
			const seen = new MutationObserver(() => { if (main.textContent.includes("`+words+`")) { seen.disconnect(); requestAnimationFrame(() => done(performance.now() - start)); } });
			seen.observe(main, {childList: true});
			q.value = "`+words+`";
			q.dispatchEvent(new Event("input"));
		})`)
	}
	var took []string
	best := 1e9
	for _, words := range []string{"customer task 42", "area 17", "do work", "task99 area03", "order"} {
		ms := search(words)
		took, best = append(took, fmt.Sprintf("%.0f", ms)), min(best, ms)
	}
	t.Logf("searches with 10,000 functions: %s ms", strings.Join(took, ", "))
	if best > 500 {
		t.Errorf("the fastest search took %.0f ms", best)
	}
	b.picture("search")
}

// TestLooks keeps pictures of phone width and dark colours. Nothing is wider than a phone.
func TestLooks(t *testing.T) {
	s, b := newSite(t, nil), newTab(t)
	s.talk(t, clerk, "orders", "list", `{}`)
	s.talk(t, clerk, "orders", "purge", `{"year":2020}`)
	b.phone()
	for name, target := range pages {
		b.open(s.url + target)
		b.picture("phone " + name)
		if wide := eval[int64](b, `document.documentElement.scrollWidth`); wide > 375 {
			t.Errorf("%s is %d wide on a phone of 375", name, wide)
		}
	}
	b = newTab(t)
	b.dark()
	for _, name := range []string{"namespace", "function", "costs", "upstreams"} {
		b.open(s.url + pages[name])
		b.picture("dark " + name)
	}
}

// pages are all pages for reading.
var pages = map[string]string{
	"tree": "", "namespace": "?path=orders", "search": "search?q=order", "function": "function?path=orders.create", "skill": "skill?path=orders.refund",
	"costs": "costs?calls=1", "log": "log", "upstreams": "upstreams", "approvals": "approvals", "artifacts": "artifact", "error": "function?path=orders.crate",
}

// TestKeyboard: the way to the content and to a call needs no mouse.
func TestKeyboard(t *testing.T) {
	s, b := newSite(t, nil), newTab(t)
	b.open(s.url + "?path=orders")
	at := func() string {
		return eval[string](b, `document.activeElement.textContent || document.activeElement.name`)
	}
	b.run(chromedp.KeyEvent(kb.Tab))
	if got := at(); got != "Skip to the content" {
		t.Errorf("the first stop is %q", got)
	}
	b.run(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab))
	if got := at(); got != "create" {
		t.Errorf("the stop after the path is %q", got)
	}
	b.run(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(chromedp.CSS(`button[value="call"]`)))
	b.run(chromedp.Focus(chromedp.CSS(`button[value="call"]`)), chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(chromedp.CSS(`pre[aria-label="Result"]`)))
	b.shows("main", "C-42")
}

// TestNoScript: reading needs no script, and neither does a call.
func TestNoScript(t *testing.T) {
	s, b := newSite(t, nil), newTab(t)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"namespace": "create", "search": "orders.create", "function": "Unique customer", "skill": "Find the order", "costs": "Take plain", "upstreams": "forecast",
	} {
		b.open(s.url + pages[name])
		b.shows("main", want)
	}
	b.open(s.url + "function?path=orders.list")
	b.click(`button[value="call"]`, `pre[aria-label="Result"]`)
	b.shows("main", "C-42")
}

// TestAxe: axe-core finds nothing on any page, in light and dark colours and on a phone.
func TestAxe(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join(os.Getenv("CASH_NPM_DIR"), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatalf("axe-core is not in CASH_NPM_DIR, a folder with the packages of .ci/package.json: %v", err)
	}
	s := newSite(t, nil)
	s.talk(t, clerk, "orders", "list", `{}`)
	s.talk(t, clerk, "orders", "purge", `{"year":2020}`)
	for look, set := range map[string]func(*tab){"light": func(*tab) {}, "dark": (*tab).dark, "phone": (*tab).phone} {
		t.Run(look, func(t *testing.T) {
			b := newTab(t)
			set(b)
			check := func(name string) {
				t.Helper()
				eval[int](b, `document.querySelectorAll("details").forEach(d => d.open = true), 0`)
				b.run(chromedp.Evaluate[chromedp.Void](string(axe) + "; 0"))
				for _, found := range eval[[]string](b, `axe.run().then(r => r.violations.map(v => v.id + ": " + v.help + " " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + " " + n.failureSummary).join(" | ")))`) {
					t.Errorf("%s: %s", name, found)
				}
			}
			for name, target := range pages {
				b.open(s.url + target)
				check(name)
			}
			b.open(s.url + pages["function"])
			b.click(`button[value="dry"]`, `input[name="ticket"]~p button, .try button[value="call"]`)
			check("dry run")
		})
	}
}

func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(data)
}
