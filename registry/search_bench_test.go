package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

var benchSizes = []int{100, 1000, 10_000, 50_000}

// BenchmarkSearch asks for ten matches, one query after the other.
func BenchmarkSearch(b *testing.B) {
	ctx := context.Background()
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			w := newWorld(n)
			reg, queries := w.registry(b), w.queries(1000)
			if len(reg.Search(ctx, w.tools[n/2].path(), 10)) == 0 {
				b.Fatal("a tool is not found by its path")
			}
			times := make([]time.Duration, 0, 1<<16)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				reg.Search(ctx, queries[i%len(queries)], 10)
				if len(times) < cap(times) {
					times = append(times, time.Since(start))
				}
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2]), "p50-ns")
			b.ReportMetric(float64(times[len(times)*99/100]), "p99-ns")
		})
	}
}

// BenchmarkSearchBuild takes the first search after registration (cold) and
// the first one after a function was added (warm).
func BenchmarkSearchBuild(b *testing.B) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprintf("tools=%d/cold", n), func(b *testing.B) { benchCold(b, newWorld(n)) })
		b.Run(fmt.Sprintf("tools=%d/warm", n), func(b *testing.B) { benchWarm(b, newWorld(n)) })
	}
}

func benchCold(b *testing.B, w *world) {
	ctx := context.Background()
	reg := w.registry(b)
	before := heapInUse()
	reg.Search(ctx, "anything", 10)
	heap := heapInUse() - before
	runtime.KeepAlive(reg)
	for b.Loop() {
		b.StopTimer()
		reg := w.registry(b) // functions that were never searched
		b.StartTimer()
		reg.Search(ctx, "anything", 10)
	}
	b.ReportMetric(float64(heap), "heap-B")
}

func benchWarm(b *testing.B, w *world) {
	ctx := context.Background()
	reg := w.registry(b)
	reg.Search(ctx, "anything", 10)
	ns := reg.Namespace(w.tools[0].service, "")
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		t := w.tools[i%len(w.tools)]
		t.name = fmt.Sprintf("added_%d", i)
		f := t.function(b)
		b.StartTimer()
		ns.Add(f)
		reg.Search(ctx, "anything", 10)
	}
}

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // pools live through one
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A world is a made-up catalog of tools, like those of real services: verbs
// and objects in names, descriptions of everyday words with a long tail of rare
// ones. It depends on its size alone.
type world struct {
	rand  *rand.Rand
	zipf  *rand.Zipf // ranks of words
	tools []worldTool
}

type worldTool struct {
	service, name, description string
	params                     []worldParam
}

type worldParam struct{ name, description string }

func newWorld(n int) *world {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	w := &world{rand: r, zipf: rand.NewZipf(r, 1.15, 4, 7999)}
	names := make(map[string]bool)
	services := min(n/40+3, 200)
	for len(w.tools) < n {
		verb, object := pick(r, verbs), pick(r, objects)
		t := worldTool{service: w.service(r.IntN(services)), name: verb + "_" + object}
		if r.IntN(3) == 0 {
			t.name += "_" + pick(r, objects)
		}
		if names[t.path()] {
			continue
		}
		names[t.path()] = true
		t.description = strings.ToUpper(verb[:1]) + verb[1:] + " " + object + " " + w.words(6+r.IntN(22)) + "."
		t.params = w.params(r.IntN(7))
		w.tools = append(w.tools, t)
	}
	return w
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// service returns the name of the i-th service: some are regions of one.
func (w *world) service(i int) string {
	if i < len(products) {
		return products[i]
	}
	return fmt.Sprintf("%s_%s", products[i%len(products)], word(i))
}

// words returns n words, common ones more often.
func (w *world) words(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = word(int(w.zipf.Uint64()))
	}
	return strings.Join(list, " ")
}

// word returns the word of a rank: the everyday ones first, then made-up ones.
func word(rank int) string {
	if rank < len(everyday) {
		return everyday[rank]
	}
	var b strings.Builder
	for n := rank + len(syllables)*len(syllables); n > 0; n /= len(syllables) { // three
		b.WriteString(syllables[n%len(syllables)])
	}
	return b.String()
}

func (w *world) params(n int) []worldParam {
	var list []worldParam
	for i := range n {
		p := worldParam{name: fmt.Sprintf("%s_%s", pick(w.rand, objects), pick(w.rand, aspects))}
		if i == 0 || w.rand.IntN(4) > 0 {
			p.description = w.words(3 + w.rand.IntN(9))
		}
		list = append(list, p)
	}
	return list
}

func (t worldTool) path() string { return t.service + "." + t.name }

func (t worldTool) function(tb testing.TB, facts ...registry.FuncOption) *registry.Function {
	properties := make(map[string]any)
	for _, p := range t.params {
		properties[p.name] = map[string]string{"type": "string", "description": p.description}
	}
	input, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	if err != nil {
		tb.Fatal(err)
	}
	f, err := registry.RawFunc(t.name, t.description, input, func(context.Context, json.RawMessage) (*registry.Result, error) {
		return registry.TextResult(""), nil
	}, facts...)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func (w *world) registry(tb testing.TB) *registry.Registry {
	tb.Helper()
	reg := registry.New(nil)
	for _, t := range w.tools {
		reg.Namespace(t.service, "").Add(t.function(tb))
	}
	return reg
}

// queries returns n queries of three to ten words, of every kind that callers
// send.
func (w *world) queries(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = w.query(pick(w.rand, w.tools))
	}
	return list
}

func (w *world) query(t worldTool) string {
	name := strings.ReplaceAll(t.name, "_", " ")
	described := strings.Fields(t.description)
	from := w.rand.IntN(len(described) - 3)
	some := described[from:min(len(described), from+3+w.rand.IntN(8))]
	switch w.rand.IntN(7) {
	case 0:
		return name + " in " + t.service
	case 1:
		return "please help me to " + name + " " + w.words(2)
	case 2:
		return strings.Join(some, " ")
	case 3:
		return "I want to see the " + misspell(w.rand, name) + " " + pick(w.rand, aspects)
	case 4:
		return misspell(w.rand, strings.Join(some, " "))
	case 5:
		return "call " + t.path() + " now"
	}
	return w.words(3 + w.rand.IntN(8))
}

// misspell swaps, drops or doubles a letter.
func misspell(r *rand.Rand, text string) string {
	i := 1 + r.IntN(len(text)-2)
	switch r.IntN(3) {
	case 0:
		return text[:i] + text[i+1:i+2] + text[i:i+1] + text[i+2:]
	case 1:
		return text[:i] + text[i+1:]
	}
	return text[:i] + text[i:i+1] + text[i:]
}

var (
	verbs = strings.Fields(`get list create update delete search find send add remove cancel archive restore export import
		approve reject assign copy move merge split publish schedule start stop pause resume validate summarize compare
		upload download share rename sync verify refund renew`)
	objects = strings.Fields(`order invoice customer contact account user role team project task ticket comment file folder
		document page image video message channel thread meeting calendar event room device sensor alert metric report
		dashboard query table column row index backup snapshot cluster node container image_tag pipeline build release
		branch commit issue review product price discount cart payment refund_request subscription plan tax shipment parcel
		warehouse stock supplier contract lead deal campaign audience form survey answer course lesson student grade patient
		visit vehicle trip route driver policy claim loan deposit card transfer statement budget expense payslip holiday shift`)
	products = strings.Fields(`billing crm helpdesk storage mail chat calendar wiki tracker builds deploy monitoring logs
		warehouse shop payments payroll hiring learning survey ads maps fleet clinic insurance bank tax travel media docs
		forms database cache queue secrets identity devices news weather translate`)
	aspects   = strings.Fields(`id name status type date limit count filter owner language format size since until note`)
	syllables = strings.Fields(`ba ce di fo gu ha ki lo mu ne pa ri so tu va we xi yo za chi bren stol tra plen
		ar en il om us est int con per sub ter ver lin mar gra ble ty ment ing ous`)
	everyday = strings.Fields(`the of a and to in for with by from or that is this on as it an if are be not all when
		which can only returns given new one name list use used data value time number optional date user text default
		must will more than each its into at status current details result results specified first before after also
		between any other same set order has have no up page type filter record records information available existing
		item items id request response field fields account customer without using last whether such per within single
		both where provided changes active total state content multiple based across every amount address key group level
		latest history update created source target matching format public private region version owner limit
		description search full short local remote copy next previous required valid until now day week month year`)
)

// BenchmarkSearchCallers asks for those who see different functions: a few of them in turn (known), and a new one each
// time (new). A caller does not see one function, or sees a third of them.
func BenchmarkSearchCallers(b *testing.B) {
	for _, n := range benchSizes[2:] {
		w := newWorld(n)
		var caller atomic.Int64
		for share, sees := range map[string]func(i, caller int) bool{
			"most": func(i, caller int) bool { return i != caller },
			"some": func(i, caller int) bool { return (i+caller*7919)%n < n/3 },
		} {
			reg := registry.New(nil)
			for i, tool := range w.tools {
				f := tool.function(b, registry.VisibleTo(func(context.Context, *registry.Caller) bool { return sees(i, int(caller.Load())) }))
				reg.Namespace(tool.service, "").Add(f)
			}
			queries := w.queries(100)
			ctx := context.Background()
			reg.Search(ctx, "anything", 10)
			for name, callers := range map[string]int{"known": 4, "new": len(w.tools)} {
				b.Run(fmt.Sprintf("tools=%d/%s/%s", n, share, name), func(b *testing.B) {
					for i := 0; b.Loop(); i++ {
						caller.Store(int64(i % callers))
						reg.Search(ctx, queries[i%len(queries)], 10)
					}
				})
			}
		}
	}
}
