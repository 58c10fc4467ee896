package main

import (
	"bufio"
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/otel/internal/otlptest"
)

var update = flag.Bool("update", false, "write what the programs print into README.md")

// TestMain makes the test binary the program, unless it has arguments of go test.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The README is gone through as its reader does, and each program prints what it says.
func TestReadme(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{t: t, receiver: otlptest.New(t)}
	got := r.read(string(page))
	if *update {
		if err := os.WriteFile("README.md", []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got == string(page) {
		return
	}
	have, want := strings.Split(got, "\n"), strings.Split(string(page), "\n")
	for i := range min(len(have), len(want)) {
		if have[i] != want[i] {
			t.Fatalf("README.md, line %d: the program prints %q, the page says %q", i+1, have[i], want[i])
		}
	}
	t.Fatal("the program prints more or less than the page says")
}

// A reader goes through the page: it runs what stands in blocks of sh, and puts what is printed into the others.
type reader struct {
	t        *testing.T
	receiver *otlptest.Receiver
	addr     string
	printed  string // by the last call
	desk     *program
}

// Addresses of the page, in place of which the test takes free ones.
const (
	pageAddr      = "127.0.0.1:8080"
	pageCollector = "http://127.0.0.1:4318"
)

func (r *reader) read(page string) string {
	var out []string
	kind, block := "", []string(nil)
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case kind == "" && strings.HasPrefix(line, "```"):
			kind, block = strings.TrimPrefix(line, "```"), nil
			out = append(out, line)
		case kind != "" && line == "```":
			out = append(out, r.block(kind, block)...)
			out, kind = append(out, line), ""
		case kind != "":
			block = append(block, line)
		default:
			if strings.Contains(line, "Ctrl-C") {
				r.desk.stop(r.t)
			}
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n") + "\n"
}

// block runs a block of commands, or returns what a block of output should show.
func (r *reader) block(kind string, lines []string) []string {
	switch kind {
	case "sh":
		for _, line := range lines {
			r.command(line)
		}
		return lines
	case "text":
		return split(r.printed)
	case "text desk":
		return sorted(r.onPage(r.desk.take(r.t, len(lines))))
	case "text trace":
		r.desk.stop(r.t)
		if len(r.receiver.Points("desk", "mcp.server.operation.duration")) == 0 || len(r.receiver.Points("billing", "")) == 0 {
			r.t.Error("the collector has no metrics")
		}
		return split(r.trace(len(lines)))
	}
	r.t.Fatalf("README.md has a block of %q", kind)
	return nil
}

func split(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// sorted returns lines with their trees in order: a span may end after the next request has begun.
func sorted(lines []string) []string {
	var trees []string
	for _, line := range lines {
		if strings.HasPrefix(line, " ") && len(trees) > 0 {
			trees[len(trees)-1] += "\n" + line
		} else {
			trees = append(trees, line)
		}
	}
	slices.Sort(trees)
	return split(strings.Join(trees, "\n"))
}

// onPage returns lines with the page's address in place of the test's.
func (r *reader) onPage(lines []string) []string {
	for i, line := range lines {
		if _, after, ok := strings.Cut(line, "http://"); ok && r.addr == "" {
			r.addr, _, _ = strings.Cut(after, "/")
		}
		if r.addr != "" {
			lines[i] = strings.ReplaceAll(line, r.addr, pageAddr)
		}
	}
	return lines
}

// command runs a line of the page. The desk goes on, calls end.
func (r *reader) command(line string) {
	r.t.Helper()
	env := []string{"GORACE=atexit_sleep_ms=0"}
	if rest, ok := strings.CutPrefix(line, "OTEL_EXPORTER_OTLP_ENDPOINT="+pageCollector+" "); ok {
		line, env = rest, append(env, "OTEL_EXPORTER_OTLP_ENDPOINT="+r.receiver.URL)
	}
	text, ok := strings.CutPrefix(line, "go run ./example ")
	if !ok {
		r.t.Fatalf("README.md has the command %q", line)
	}
	args := words(text)
	if args[0] == "serve" {
		r.addr = ""
		r.desk = start(r.t, append([]string{"-addr", "127.0.0.1:0"}, args...), env)
		r.desk.wait(r.t, 1)
		r.onPage([]string{r.desk.lines()[0]}) // calls need the address
		return
	}
	cmd := newProgram(append([]string{"-addr", r.addr}, args...), env)
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("%s: %v", line, err)
	}
	r.printed = string(out)
}

// words splits a command line. Single quotes are the only ones.
func words(line string) (list []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			list = append(list, part)
			continue
		}
		list = append(list, strings.Fields(part)...)
	}
	return list
}

// trace returns the tree of the agent's trace at the collector.
func (r *reader) trace(lines int) string {
	r.t.Helper()
	own := func(all []otlptest.Span) []otlptest.Span {
		i := slices.IndexFunc(all, func(s otlptest.Span) bool { return s.Service == "agent" })
		if i < 0 {
			return nil
		}
		id := all[i].Trace
		return slices.DeleteFunc(slices.Clone(all), func(s otlptest.Span) bool { return s.Trace != id })
	}
	return otlptest.Tree(own(r.receiver.Spans(r.t, func(all []otlptest.Span) bool { return len(own(all)) >= lines || *update })))
}

// A program is a process whose output is collected.
type program struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed at the end of the output

	mu      sync.Mutex
	printed []string
	taken   int
	more    chan struct{} // closed at the next line
}

func newProgram(args, env []string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
	return cmd
}

// start starts a program. It ends with the test at the latest.
func start(t *testing.T, args, env []string) *program {
	t.Helper()
	p := &program{cmd: newProgram(args, env), ended: make(chan struct{}), more: make(chan struct{})}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { // ends with the program
		defer close(p.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.mu.Lock()
			p.printed = append(p.printed, lines.Text())
			close(p.more)
			p.more = make(chan struct{})
			p.mu.Unlock()
		}
	}()
	t.Cleanup(func() { p.stop(t) })
	return p
}

func (p *program) lines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.printed[p.taken:])
}

// wait waits until the program has printed n lines that were not taken, or has ended.
func (p *program) wait(t *testing.T, n int) {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		p.mu.Lock()
		have, more := len(p.printed)-p.taken, p.more
		p.mu.Unlock()
		if have >= n {
			return
		}
		select {
		case <-more:
		case <-p.ended:
			return
		case <-late:
			t.Fatalf("the program has printed only:\n%s", strings.Join(p.lines(), "\n"))
		}
	}
}

// take returns the lines that the program has printed since the last time: n, and those that came with them.
func (p *program) take(t *testing.T, n int) []string {
	t.Helper()
	if *update {
		time.Sleep(time.Second) // nobody knows how many lines follow
	} else {
		p.wait(t, n)
	}
	lines := p.lines()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken += len(lines)
	return lines
}

// stop interrupts the program and waits for its end.
func (p *program) stop(t *testing.T) {
	t.Helper()
	_ = p.cmd.Process.Signal(os.Interrupt)
	select {
	case <-p.ended:
	case <-time.After(30 * time.Second):
		_ = p.cmd.Process.Kill()
		t.Error("the program does not end")
	}
	_ = p.cmd.Wait()
}
