package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium is the context of the one browser of all tests, pictures the folder of the screenshots.
var (
	chromium context.Context
	pictures string
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	if pictures = os.Getenv("CASH_SCREENSHOTS"); pictures == "" {
		dir, err := os.MkdirTemp("", "explore")
		if err != nil {
			return 0, err
		}
		pictures = dir
	}
	if err := os.MkdirAll(pictures, 0o755); err != nil {
		return 0, err
	}
	fmt.Println("screenshots:", pictures)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.WindowSize(1200, 800),
		// Nothing but this machine can be reached.
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
		chromedp.WSURLReadTimeout(time.Minute),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	ctx, end := chromedp.NewContext(ctx)
	defer end()
	if err := chromedp.Do(ctx); err != nil {
		return 0, fmt.Errorf("starting Chromium (apt-get install chromium): %w", err)
	}
	chromium = ctx
	return m.Run(), nil
}

// A tab is a page of the browser. What a script might have done unasked fails its test.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string
}

// newTab opens a tab with cookies of its own.
func newTab(t *testing.T) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *page.EventJavascriptDialogOpening:
			b.problem("a dialog opened: " + e.Message)
		case *runtime.EventExceptionThrown:
			b.problem("a script failed: " + e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError && !strings.Contains(e.Entry.Text, "status of 4") {
				b.problem("the browser says: " + e.Entry.Text)
			}
		}
	})
	if err == nil {
		_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, p := range b.problems {
			t.Error(p)
		}
	})
	return b
}

func (b *tab) problem(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = append(b.problems, text)
}

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.picture("failed")
		b.t.Fatal(err)
	}
}

// open loads a page.
func (b *tab) open(url string) { b.t.Helper(); b.run(chromedp.Navigate(url)) }

// click clicks on an element, and waits for the page that has the other.
func (b *tab) click(selector, then chromedp.CSS) {
	b.t.Helper()
	b.run(chromedp.Click(selector), chromedp.WaitVisible(then))
}

// text returns the visible text of an element.
func (b *tab) text(selector chromedp.CSS) string {
	b.t.Helper()
	return get(b, chromedp.Text(selector))
}

// get returns the value of an action.
func get[T any](b *tab, action chromedp.Action[T]) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, action)
	if err != nil {
		b.picture("failed")
		b.t.Fatal(err)
	}
	return v
}

// eval returns the value of an expression, once it is settled.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	return get(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// shows requires texts in an element, those with a leading ! to be absent.
func (b *tab) shows(selector chromedp.CSS, texts ...string) {
	b.t.Helper()
	shown := b.text(selector)
	for _, text := range texts {
		if absent := strings.HasPrefix(text, "!"); strings.Contains(shown, strings.TrimPrefix(text, "!")) == absent {
			b.t.Errorf("%s shows %q: %v, want otherwise:\n%s", selector, strings.TrimPrefix(text, "!"), absent, shown)
		}
	}
}

// phone makes the tab as wide as that of a phone.
func (b *tab) phone() { b.t.Helper(); b.run(chromedp.EmulateViewport(375, 740)) }

// dark asks for dark colours.
func (b *tab) dark() {
	b.t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.t.Fatal(err)
	}
}

// picture keeps a picture of the whole page.
func (b *tab) picture(name string) {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Error(err)
		return
	}
	if err := os.WriteFile(filepath.Join(pictures, strings.ReplaceAll(b.t.Name(), "/", "-")+"-"+name+".png"), png, 0o644); err != nil {
		b.t.Error(err)
	}
}
