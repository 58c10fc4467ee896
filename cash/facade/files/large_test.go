package files_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/facade/files"
	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
	"github.com/cash-mcp/go-sdk/registry"
)

// long selects the sizes that .ci/long measures.
var long = flag.Bool("long", false, "test with 100,000 files and 2 GB of text, and measure memory and time")

// A watch measures memory, and the longest call.
type watch struct {
	*world
	peak    atomic.Uint64
	before  uint64
	longest time.Duration
	slowest string
	stop    chan struct{}
	ended   chan struct{}
}

func newWatch(w *world) *watch {
	m := &watch{world: w, stop: make(chan struct{}), ended: make(chan struct{})}
	debug.FreeOSMemory() // that of other tests
	m.before = memory()
	go func() {
		defer close(m.ended)
		for {
			m.peak.Store(max(m.peak.Load(), memory()))
			select {
			case <-m.stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	return m
}

// memory returns what the process has from the system.
func memory() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}

// do calls a function, at the level of detail of a facade.
func (m *watch) do(function string, args object) object {
	m.t.Helper()
	begun := time.Now()
	res, err := m.pipe.Call(m.t.Context(), &registry.Request{Namespace: "files", Function: function, Arguments: []byte(toJSON(args)), Detail: registry.Standard})
	if took := time.Since(begun); took > m.longest {
		m.longest, m.slowest = took, function+" "+toJSON(args)
	}
	if err != nil {
		m.t.Fatalf("%s %v: %v", function, args, err)
	}
	return fromJSON(res.Text())
}

// end checks the bounds, of which time is only measured alone on a machine.
func (m *watch) end() {
	m.t.Helper()
	close(m.stop)
	<-m.ended
	used := max(m.peak.Load(), m.before) - m.before
	m.t.Logf("at most %d MB of memory; the longest call took %s: %s", used>>20, m.longest.Round(time.Millisecond), m.slowest)
	if used > 256<<20 {
		m.t.Errorf("%d MB of memory", used>>20)
	}
	if *long && m.longest > time.Second {
		m.t.Errorf("%s takes %s", m.slowest, m.longest)
	}
}

// all follows the pages of a call.
func (m *watch) all(function, member string, args object) (list []any) {
	m.t.Helper()
	for {
		out := m.do(function, args)
		list = append(list, out[member].([]any)...)
		if args["cursor"] = out["next"]; out["next"] == nil {
			return list
		}
	}
}

// Every file of a large folder can be listed, found and read.
func TestF9ManyFiles(t *testing.T) {
	n := 10_000
	if *long {
		n = 100_000
	}
	dir := durabletest.Scratch(t)
	var want []string
	for i := range n {
		p := fmt.Sprintf("all/file-%06d.txt", i*7919%n)
		want = append(want, p)
		if i == 0 {
			if err := os.Mkdir(filepath.Join(dir, "all"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, p), []byte(p+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(want)
	w := &world{t: t, dir: dir}
	w.serve(&files.Options{}, nil)
	m := newWatch(w)
	for _, args := range []object{{"path": "all", "limit": 5000}, {"recursive": true, "limit": 5000, "prefix": "all/"}, {"path": "all", "limit": 5000, "gitignore": true, "glob": "*.txt"}} {
		var got []string
		for _, e := range m.all("list", "entries", args) {
			got = append(got, e.(object)["path"].(string))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %d of %d files", args, len(got), len(want))
		}
	}
	if out := m.do("list", object{"path": "all"}); out["total"] != float64(n) {
		t.Errorf("total %v", out["total"])
	}
	last := want[n-1]
	if got := m.all("search", "matches", object{"text": last}); len(got) != 1 || got[0].(object)["path"] != last {
		t.Errorf("found %v", got)
	}
	if out := m.do("list", object{"path": "all", "prefix": "file-00999"}); len(out["entries"].([]any)) != 10 {
		t.Errorf("with a prefix: %v", out["total"])
	}
	if out := m.do("get", object{"path": last}); out["content"] != last+"\n" {
		t.Errorf("got %v", out)
	}
	m.end()
}

// Any part of a large text can be found and read.
func TestF12LargeText(t *testing.T) {
	size, dir := 16<<20, durabletest.Scratch(t)
	switch {
	case testing.Short():
		size = 2 << 20
	case *long:
		size, dir = 1<<30, t.TempDir()
	}
	lines := size / 64
	for p, each := range map[string]int{"one": lines, "part/1": lines / 4, "part/2": lines / 4, "part/3": lines / 4, "part/4": lines / 4} {
		writeLines(t, filepath.Join(dir, p), p, each)
	}
	w := &world{t: t, dir: dir}
	w.serve(&files.Options{}, nil)
	m := newWatch(w)
	line := func(n int) string { return fmt.Sprintf("%-63s\n", fmt.Sprintf("line %d of one", n)) }
	if out := m.do("get", object{"path": "one"}); len(out["content"].(string)) > 8000 || out["next_line"] != 126.0 {
		t.Errorf("%d bytes, next %v", len(out["content"].(string)), out["next_line"])
	}
	for _, n := range []int{1, 2, lines / 3, lines - 1, lines} {
		args := object{"path": "one", "start_line": n, "lines": 1}
		for try := 0; ; try++ { // what takes long goes on with the next call
			begun := time.Now()
			out, err := call(t.Context(), w.pipe, "get", args)
			m.longest = max(m.longest, time.Since(begun))
			if err != nil && strings.Contains(err.Error(), "Call again") && try < 20 {
				continue
			}
			if err != nil || out["content"] != line(n) {
				t.Errorf("line %d: %v, %v", n, out, err)
			}
			break
		}
		if out := m.do("get", object{"path": "one", "offset": 64 * (n - 1), "bytes": 64}); out["content"] != line(n) {
			t.Errorf("at line %d: %v", n, out)
		}
	}
	for text, want := range map[string]int{fmt.Sprintf("line %d of", lines/4): 5, fmt.Sprintf("line %d of one", lines): 1, "no such text": 0} {
		if got := m.all("search", "matches", object{"text": text}); len(got) != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if got := m.all("search", "matches", object{"pattern": fmt.Sprintf(`^line \d*%d of part/[23] *$`, lines/4), "path": "part"}); len(got) != 2 {
		t.Errorf("found %v", got)
	}
	m.end()
}

func writeLines(t *testing.T, name, p string, n int) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	b := bufio.NewWriter(file)
	for i := range n {
		fmt.Fprintf(b, "%-63s\n", fmt.Sprintf("line %d of %s", i+1, p))
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
}
