package gateway_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var soak = flag.Duration("soak", 0, "how long TestSoak works; zero is a moment")

// From this time on, TestSoak takes breaks between its steps and judges how its memory changes.
const soakLong = 10 * time.Minute

// TestSoak lets clients of all faces work at once on one registry, while upstream servers die, definitions change,
// functions come and go, and other clients send nonsense, read slowly or vanish.
//
//	sessions  in memory and over HTTP, of both generations; of callers with different rights, some in two sessions
//	results   hold who and what they were made for; anything of somebody else's fails the test: results, cached
//	          ones, artifacts, cards, plans, approvals, quotas, functions
//	requests  are all accounted for: one answer, a documented error, or given up by the client
//	resources goroutines, descriptors, processes and memory are back at their start in the end
func TestSoak(t *testing.T) {
	sessions := 48
	if *soak > 0 {
		sessions = 500
		t.Run("warm", func(t *testing.T) { newSoakWorld(t, 48).work(t, time.Second) }) // makes what lives as long as the process
	}
	if *soak >= soakLong {
		sessions = 400
	}
	before := measure()
	t.Run("work", func(t *testing.T) { newSoakWorld(t, sessions).work(t, max(*soak, 300*time.Millisecond)) })
	after := measure()
	over := func() bool { return *soak > 0 && after.heap > before.heap+4<<20 }
	for range 1500 { // what ends by itself ends soon
		if after.goroutines <= before.goroutines && after.files <= before.files && !over() {
			break
		}
		time.Sleep(100 * time.Millisecond)
		after = measure()
	}
	t.Logf("before %v; after %v", before, after)
	if after.goroutines > before.goroutines {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines are left:\n%s", after.goroutines-before.goroutines, stacks[:runtime.Stack(stacks, true)])
	}
	if after.files > before.files {
		t.Errorf("%d descriptors are left: %v", after.files-before.files, openFiles())
	}
	if over() {
		t.Error("memory is left")
	}
}

// A soakSample is what the process holds at a time.
type soakSample struct {
	at                time.Duration
	heap              int64 // live bytes
	goroutines, files int
	steps             int64
}

func (s soakSample) String() string {
	return fmt.Sprintf("heap %.1f MB, %d goroutines, %d descriptors", float64(s.heap)/1e6, s.goroutines, s.files)
}

func measure() soakSample {
	runtime.GC()
	runtime.GC() // pools live through one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return soakSample{heap: int64(m.HeapAlloc), goroutines: runtime.NumGoroutine(), files: len(openFiles())}
}

// lowest returns the lowest figures of a second. What is in flight varies, and what is left behind stays.
func lowest() soakSample {
	s := measure()
	for range 9 {
		time.Sleep(100 * time.Millisecond)
		next := measure()
		s.heap, s.goroutines, s.files = min(s.heap, next.heap), min(s.goroutines, next.goroutines), min(s.files, next.files)
	}
	return s
}

// openFiles returns what the descriptors of the process are; nothing where the system does not tell.
func openFiles() (list []string) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if name, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil { // not the one of the folder itself
			list = append(list, name)
		}
	}
	return list
}

// watch takes samples, and prints a table of them as it grows.
func (w *soakWorld) watch(t *testing.T, lasts time.Duration, stop <-chan struct{}) (samples []soakSample) {
	every := max(lasts/60, 2*time.Second)
	tick := time.NewTicker(every)
	defer tick.Stop()
	began := time.Now()
	for {
		select {
		case <-stop:
			return samples
		case <-tick.C:
		}
		s := lowest()
		s.at, s.steps = time.Since(began), w.steps.Load()
		samples = append(samples, s)
		if n := len(samples); n%3 == 1 && lasts > 10*time.Second {
			if n == 1 {
				t.Log("   time     steps   heap MB  goroutines  descriptors  deaths  returns  changes")
			}
			t.Logf("%7v %9d %9.1f %11d %12d %7d %8d %8d", s.at.Round(time.Second), s.steps, float64(s.heap)/1e6,
				s.goroutines, s.files, w.deaths.Load(), w.returns.Load(), w.changes.Load())
		}
	}
}

// judge fits a line to each figure of the last two thirds of the samples. It fails if the line rises by more than a
// fifth of the mean, and a little.
func judge(t *testing.T, samples []soakSample) {
	samples = samples[len(samples)/3:]
	for _, figure := range []struct {
		name   string
		value  func(soakSample) float64
		little float64
	}{
		{"heap, MB", func(s soakSample) float64 { return float64(s.heap) / 1e6 }, 2},
		{"goroutines", func(s soakSample) float64 { return float64(s.goroutines) }, 20},
		{"descriptors", func(s soakSample) float64 { return float64(s.files) }, 20},
	} {
		n := float64(len(samples))
		var x, y, xx, xy float64
		for i, s := range samples {
			v := figure.value(s)
			x, y, xx, xy = x+float64(i), y+v, xx+float64(i)*float64(i), xy+float64(i)*v
		}
		rise := (n*xy - x*y) / (n*xx - x*x) * n
		t.Logf("the last two thirds, %s: mean %.1f, the fitted line rises by %.2f", figure.name, y/n, rise)
		if rise > y/n/5+figure.little {
			t.Errorf("%s: they grow", figure.name)
		}
	}
}

// A ledger counts requests, by what was asked and by what came of it.
type ledger struct {
	sent, settled atomic.Int64
	mu            sync.Mutex
	rows          map[string]map[string]int
}

// begin notes a request. Its outcome is given to the returned function, once.
func (l *ledger) begin(what string) (end func(outcome string)) {
	l.sent.Add(1)
	return func(outcome string) {
		l.settled.Add(1)
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.rows == nil {
			l.rows = make(map[string]map[string]int)
		}
		if l.rows[what] == nil {
			l.rows[what] = make(map[string]int)
		}
		l.rows[what][outcome]++
	}
}

// report prints the ledger.
func (l *ledger) report(t *testing.T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, what := range sortedKeys(l.rows) {
		var list []string
		for _, outcome := range sortedKeys(l.rows[what]) {
			list = append(list, fmt.Sprintf("%s %d", outcome, l.rows[what][outcome]))
		}
		t.Logf("%-32s %s", what, strings.Join(list, ", "))
	}
	if sent, settled := l.sent.Load(), l.settled.Load(); sent != settled {
		t.Errorf("%d requests were sent, and %d are accounted for", sent, settled)
	}
}
