package registry_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// concepts is a toy embedder: each dimension is a concept, and a text is as
// near to it as it has words for it. A real one asks a model.
type concepts [][]string

func (c concepts) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = make([]float32, len(c)+1)
		vectors[i][len(c)] = 0.01 // a text about nothing still has a direction
		for j, words := range c {
			for _, w := range words {
				vectors[i][j] += float32(strings.Count(strings.ToLower(text), w))
			}
		}
	}
	return vectors, nil
}

var meanings = concepts{
	{"money", "refund", "reimburse", "geld", "cash", "返金"},
	{"weather", "forecast", "rain", "umbrella", "regenschirm", "天気"},
	{"ship", "parcel", "deliver", "paket"},
}

// An Embedder finds what no word tells.
func ExampleEmbedder() {
	reg := registry.New(&registry.Options{Embedder: meanings})
	reg.Namespace("orders", "").Add(tool("refund", "Pay back an order."), tool("track", "Where a parcel is."))
	reg.Namespace("weather", "").Add(tool("forecast", "The next days."))

	ctx := context.Background()
	if err := reg.Embed(ctx); err != nil { // again after functions were added
		fmt.Println(err)
	}
	for _, query := range []string{"do I need an umbrella", "ich will mein Geld", "orders.track"} {
		m := reg.Search(ctx, query, 1)[0]
		fmt.Printf("%s: %s.%s\n", query, m.Namespace, m.Name)
	}
	// Output:
	// do I need an umbrella: weather.forecast
	// ich will mein Geld: orders.refund
	// orders.track: orders.track
}

// embedder is one whose answers a test decides.
type embedder func(ctx context.Context, texts []string) ([][]float32, error)

func (e embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return e(ctx, texts)
}

// shop has a few functions, embedded by e if that is possible.
func shop(e registry.Embedder) *registry.Registry {
	reg := registry.New(&registry.Options{Embedder: e})
	reg.Namespace("orders", "").Add(tool("refund", "Pay back an order."), tool("create", "New order."), tool("track", "Where a parcel is."))
	reg.Namespace("weather", "").Add(tool("forecast", "The next days."))
	return reg
}

// TestEmbedderFuses holds the order of what words and meaning say together.
func TestEmbedderFuses(t *testing.T) {
	reg := shop(meanings)
	ctx := context.Background()
	if err := reg.Embed(ctx); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]string{
		"umbrella":         {"weather.forecast"},
		"返金":               {"orders.refund"},
		"cash for parcel":  {"orders.track", "orders.refund"},  // one has the word too
		"order, in cash":   {"orders.refund", "orders.create"}, // both have the word, one the meaning
		"create":           {"orders.create"},
		"orders.create":    {"orders.create"},
		"weather/forecast": {"weather.forecast"},
	} {
		got := found(ctx, reg, query, 5)
		if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			t.Errorf("%q finds %v, want %v", query, got, want)
		}
	}
	all := reg.Search(ctx, "cash for a parcel of the order", 5)
	for i := 1; i < len(all); i++ {
		if all[i].Score > all[i-1].Score {
			t.Errorf("out of order: %v", all)
		}
	}
}

// TestEmbedderExactName holds that a name stays first against any meaning.
func TestEmbedderExactName(t *testing.T) {
	against := embedder(func(_ context.Context, texts []string) ([][]float32, error) {
		vectors := make([][]float32, len(texts))
		for i, text := range texts {
			vectors[i] = []float32{1, 0}
			if strings.HasPrefix(text, "orders.create\n") {
				vectors[i] = []float32{-1, 0} // what is called so means the opposite
			}
		}
		return vectors, nil
	})
	reg := shop(against)
	ctx := context.Background()
	if err := reg.Embed(ctx); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"create", "orders.create", "orders create"} {
		if got := found(ctx, reg, query, 1); !slices.Equal(got, []string{"orders.create"}) {
			t.Errorf("%q finds %v", query, got)
		}
	}
}

// TestEmbedNew holds that vectors are made once, in batches.
func TestEmbedNew(t *testing.T) {
	var texts []string
	most := 0
	e := embedder(func(ctx context.Context, list []string) ([][]float32, error) {
		texts = append(texts, list...)
		most = max(most, len(list))
		return meanings.Embed(ctx, list)
	})
	reg := shop(e)
	ctx := context.Background()
	embed := func(want ...string) {
		t.Helper()
		texts = nil
		if err := reg.Embed(ctx); err != nil {
			t.Error(err)
		}
		for i := range texts {
			texts[i], _, _ = strings.Cut(texts[i], "\n")
		}
		if !slices.Equal(texts, want) {
			t.Errorf("embedded %v, want %v", texts, want)
		}
	}
	embed("orders.create", "orders.refund", "orders.track", "weather.forecast")
	embed()
	reg.Namespace("weather", "").Add(tool("storm", "Bad days."))
	embed("weather.storm")
	reg.Namespace("weather", "", registry.VisibleTo(registry.Authenticated)) // a new snapshot with the same functions
	embed()
	for i := range 500 {
		reg.Namespace("many", "").Add(tool(fmt.Sprintf("f%d", i), strings.Repeat("day ", 10_000)))
	}
	if err := reg.Embed(ctx); err != nil || most < 2 || most > 100 {
		t.Errorf("at most %d texts at a time, %v", most, err)
	}
	for _, text := range texts {
		if len(text) > 8<<10 {
			t.Fatalf("a text of %d bytes is embedded", len(text))
		}
	}
}

// TestEmbedInBackground holds that a function that was added later is found by its words at once, and by
// its meaning soon. No search waits for that, and many at a time start it once.
func TestEmbedInBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var batches atomic.Int32
		reg := shop(embedder(func(ctx context.Context, list []string) ([][]float32, error) {
			if len(list) > 1 || strings.Contains(list[0], "\n") {
				batches.Add(1)
				time.Sleep(20 * time.Second)
			}
			return meanings.Embed(ctx, list)
		}))
		if err := reg.Embed(t.Context()); err != nil {
			t.Fatal(err)
		}
		batches.Store(0)
		reg.Namespace("weather", "").Add(tool("storm", "Bad days, with rain."))
		began := time.Now()
		var searches sync.WaitGroup
		for range 50 {
			searches.Go(func() {
				if got := found(t.Context(), reg, "bad umbrella", 5); !slices.Equal(got, []string{"weather.storm", "weather.forecast"}) {
					t.Errorf("found %v", got)
				}
			})
		}
		searches.Wait()
		if waited := time.Since(began); waited > 0 {
			t.Errorf("searches waited %v", waited)
		}
		if got := found(t.Context(), reg, "umbrella", 5); !slices.Equal(got, []string{"weather.forecast"}) {
			t.Errorf("found %v", got)
		}
		time.Sleep(21 * time.Second)
		if got := found(t.Context(), reg, "umbrella", 5); !slices.Contains(got, "weather.storm") || batches.Load() != 1 {
			t.Errorf("found %v after %d batches", got, batches.Load())
		}
	})
}

// TestEmbedInBackgroundFails holds that failures in the background are tried again after pauses that grow,
// that a text which always fails does not keep the others from theirs, and that Lint says how many are left.
func TestEmbedInBackgroundFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries []time.Duration
		began, down := time.Now(), true
		reg := shop(embedder(func(ctx context.Context, list []string) ([][]float32, error) {
			if strings.Contains(list[0], "\n") {
				if tries = append(tries, time.Since(began)); down || slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, "poison") }) {
					return nil, errors.New("secret")
				}
			}
			return meanings.Embed(ctx, list)
		}))
		missing := func(want string) {
			t.Helper()
			findings, err := registry.Lint(t.Context(), reg)
			got := ""
			for _, f := range findings {
				if f.Rule == "missing-vector" {
					got = f.String()
				}
			}
			if err != nil || !strings.HasPrefix(got, want) || want == "" && got != "" || strings.Contains(got, "secret") {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
		}
		search := func() {
			found(t.Context(), reg, "umbrella", 5)
			synctest.Wait()
		}
		missing("registry: 4 of 4 functions have no vector")
		for range 4000 {
			search()
			time.Sleep(time.Second)
		}
		if want := []time.Duration{0, 10, 30, 70, 150, 310, 630, 1230, 1830, 2430, 3030, 3630}; !slices.EqualFunc(tries, want, func(a, b time.Duration) bool { return a == b*time.Second }) {
			t.Errorf("tries at %v", tries)
		}
		down = false
		time.Sleep(10 * time.Minute)
		search()
		missing("")
		for i := range 200 {
			reg.Namespace("many", "").Add(tool(fmt.Sprintf("f%d", i), map[bool]string{true: "poison", false: "Rain."}[i == 100]))
		}
		for range 500 {
			search()
			time.Sleep(10 * time.Minute)
		}
		missing("registry: 1 of 204 functions have no vector")
	})
}

// TestEmbedderThatFails holds that searches go on by words, and that Embed says
// what is wrong.
func TestEmbedderThatFails(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	answer := func(vectors ...[]float32) embedder {
		return func(context.Context, []string) ([][]float32, error) { return vectors, nil }
	}
	each := func(v func(i int) []float32) embedder {
		return func(_ context.Context, texts []string) (vectors [][]float32, err error) {
			for i := range texts {
				vectors = append(vectors, v(i))
			}
			return vectors, nil
		}
	}
	failed := errors.New("no model")
	ctx := context.Background()
	want := found(ctx, shop(nil), "an order", 5)
	for what, e := range map[string]embedder{
		"error":           func(context.Context, []string) ([][]float32, error) { return nil, failed },
		"error and more":  func(context.Context, []string) ([][]float32, error) { return [][]float32{{1}}, failed },
		"panic":           func(context.Context, []string) ([][]float32, error) { panic("secret") },
		"nil":             answer(),
		"too few":         answer([]float32{1, 2}, []float32{1, 2}),
		"too many":        answer(make([][]float32, 1000)...),
		"nil vectors":     each(func(int) []float32 { return nil }),
		"empty vectors":   each(func(int) []float32 { return []float32{} }),
		"zero vectors":    each(func(int) []float32 { return []float32{0, 0} }),
		"NaN":             each(func(int) []float32 { return []float32{1, nan} }),
		"infinite":        each(func(int) []float32 { return []float32{1, inf} }),
		"unequal lengths": each(func(i int) []float32 { return make([]float32, i+1) }),
		"one is zero":     each(func(i int) []float32 { return []float32{float32(i % 2)} }),
		"nil function":    nil,
	} {
		reg := shop(e)
		err := reg.Embed(ctx)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: Embed returns %v", what, err)
		}
		if strings.HasPrefix(what, "error") && !errors.Is(err, failed) {
			t.Errorf("%s: Embed returns %v, which does not wrap the embedder's", what, err)
		}
		if got := found(ctx, reg, "an order", 5); !slices.Equal(got, want) {
			t.Errorf("%s: found %v, want %v", what, got, want)
		}
	}
	if err := shop(nil).Embed(ctx); err != nil {
		t.Errorf("without an embedder Embed returns %v", err)
	}
}

// TestEmbedderThatFailsLater holds that what was embedded before an error stays,
// and that vectors of another model do no harm.
func TestEmbedderThatFailsLater(t *testing.T) {
	var broken, longer atomic.Bool
	reg := shop(embedder(func(ctx context.Context, texts []string) ([][]float32, error) {
		if broken.Load() && len(texts) > 1 {
			return nil, errors.New("no model")
		}
		vectors, err := meanings.Embed(ctx, texts)
		for i := range vectors {
			if longer.Load() {
				vectors[i] = append(vectors[i], 1, 2, 3)
			}
		}
		return vectors, err
	}))
	ctx := context.Background()
	if err := reg.Embed(ctx); err != nil {
		t.Fatal(err)
	}
	broken.Store(true)
	reg.Namespace("new", "").Add(tool("one", "A storm, with rain."), tool("two", "Money, money."))
	if err := reg.Embed(ctx); err == nil {
		t.Error("Embed returns no error")
	}
	if got := found(ctx, reg, "umbrella", 5); !slices.Equal(got, []string{"weather.forecast"}) {
		t.Errorf("found %v", got)
	}
	longer.Store(true)
	if got := found(ctx, reg, "umbrella", 5); got != nil {
		t.Errorf("vectors of different lengths are compared: %v", got)
	}
	if got := found(ctx, reg, "storm", 5); !slices.Equal(got, []string{"new.one"}) {
		t.Errorf("found %v", got)
	}
}

// TestEmbedderThatHangs holds that a search waits for an embedder a short while
// only, and no longer than its context.
func TestEmbedderThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := embedder(func(ctx context.Context, _ []string) ([][]float32, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		reg := shop(hang)
		start := time.Now()
		if got := found(t.Context(), reg, "track", 1); !slices.Equal(got, []string{"orders.track"}) {
			t.Errorf("found %v", got)
		}
		if waited := time.Since(start); waited > 5*time.Second {
			t.Errorf("a search waited %v", waited)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		start = time.Now()
		if got := found(ctx, reg, "track", 1); !slices.Equal(got, []string{"orders.track"}) {
			t.Errorf("found %v", got)
		}
		if err := reg.Embed(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Embed returns %v", err)
		}
		if waited := time.Since(start); waited != 10*time.Millisecond {
			t.Errorf("the context's end was met after %v", waited)
		}
		time.Sleep(time.Minute) // until the work in the background has given up
	})
}

// TestEmbedderThatNeverReturns holds that an embedder which ignores its context costs a search two seconds,
// and that not more than a few calls of it are left behind.
func TestEmbedderThatNeverReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		var hangs atomic.Bool
		var calls atomic.Int32
		reg := shop(embedder(func(ctx context.Context, list []string) ([][]float32, error) {
			if hangs.Load() {
				calls.Add(1)
				<-hang
			}
			return meanings.Embed(ctx, list)
		}))
		if err := reg.Embed(t.Context()); err != nil {
			t.Fatal(err)
		}
		hangs.Store(true)
		for range 100 {
			began := time.Now()
			if got := found(t.Context(), reg, "track", 1); !slices.Equal(got, []string{"orders.track"}) {
				t.Errorf("found %v", got)
			}
			if waited := time.Since(began); waited > 3*time.Second {
				t.Errorf("a search waited %v", waited)
			}
			time.Sleep(time.Minute)
		}
		if n := calls.Load(); n > 4 {
			t.Errorf("%d calls were left behind", n)
		}
		hangs.Store(false)
		close(hang)
		synctest.Wait()
		time.Sleep(time.Minute)
		if got := found(t.Context(), reg, "umbrella", 1); !slices.Equal(got, []string{"weather.forecast"}) {
			t.Errorf("after it came back, found %v", got)
		}
	})
}

// TestEmbedderHidden holds that meaning finds nothing hidden, and that nothing
// hidden moves what is found.
func TestEmbedderHidden(t *testing.T) {
	ctx := context.Background()
	reg := shop(meanings)
	hidden := tool("rainmaker", "Rain, rain, umbrella, money.", registry.VisibleTo(registry.Roles("admin")))
	reg.Namespace("weather", "").Add(hidden)
	only := shop(meanings)
	for _, r := range []*registry.Registry{reg, only} {
		if err := r.Embed(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, query := range []string{"umbrella", "rain", "rainmaker", "money order", "weather.rainmaker"} {
		if got, want := reg.Search(ctx, query, 9), only.Search(ctx, query, 9); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %v\nwant %v", query, got, want)
		}
	}
}

// TestEmbedderHugeQueries holds that a bounded, valid text is embedded.
func TestEmbedderHugeQueries(t *testing.T) {
	var got string
	reg := shop(embedder(func(ctx context.Context, texts []string) ([][]float32, error) {
		got = texts[0]
		return meanings.Embed(ctx, texts)
	}))
	if err := reg.Embed(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{strings.Repeat("a", 1<<20), strings.Repeat("é", 1<<19), "x" + strings.Repeat("天", 1<<18), strings.Repeat("a\xff", 1<<19)} {
		got = ""
		reg.Search(context.Background(), query, 1)
		if len(got) == 0 || len(got) > 8<<10 || strings.ToValidUTF8(got, "") != got {
			t.Errorf("of %.10q a text of %d bytes is embedded", query, len(got))
		}
	}
}

// An embedder that failed is left alone for a while, unless it was the caller
// who gave up.
func TestEmbedderPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls, down := 0, false
		reg := shop(embedder(func(ctx context.Context, texts []string) ([][]float32, error) {
			calls++
			if down || ctx.Err() != nil {
				return nil, errors.New("down")
			}
			return meanings.Embed(ctx, texts)
		}))
		if err := reg.Embed(t.Context()); err != nil {
			t.Fatal(err)
		}
		search := func(ctx context.Context, want int) {
			t.Helper()
			calls = 0
			if reg.Search(ctx, "order", 5); calls != want {
				t.Errorf("the embedder was asked %d times, want %d", calls, want)
			}
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		search(gone, 1)
		search(t.Context(), 1)
		down = true
		search(t.Context(), 1)
		down = false
		search(t.Context(), 0)
		time.Sleep(11 * time.Second)
		search(t.Context(), 1)
	})
}
