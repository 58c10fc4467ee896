package guidetest

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds a command and a wait.
const patience = 2 * time.Minute

// Command returns the test binary as the program, see [Main].
func Command(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), program+"=1", "GORACE=atexit_sleep_ms=0")
	return cmd
}

// A Process is one whose output is collected.
type Process struct {
	Out, Log *Lines // standard output and error; one, if they are not apart

	cmd   *exec.Cmd
	ended chan struct{}
	err   error // when it has ended

	signaled, stopped sync.Once
}

// Start starts a program. It ends with the test at the latest.
func Start(t *testing.T, cmd *exec.Cmd) *Process {
	t.Helper()
	return start(t, cmd, newLines())
}

func start(t *testing.T, cmd *exec.Cmd, log *Lines) *Process {
	t.Helper()
	p := &Process{cmd: cmd, Out: newLines(), Log: log, ended: make(chan struct{})}
	if log == nil {
		p.Log = p.Out
	}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = p.Out, p.Log, patience
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { // ends with the program
		p.err = cmd.Wait()
		close(p.ended)
		p.Out.end()
		p.Log.end()
	}()
	t.Cleanup(func() {
		p.Stop(t)
		if t.Failed() {
			lines := p.Log.All()
			t.Logf("%s has logged at last:\n%s", strings.Join(cmd.Args[1:], " "), strings.Join(lines[max(len(lines)-20, 0):], "\n"))
		}
	})
	return p
}

// Signal tells the program to stop, as kill does. A second signal would end it at once.
func (p *Process) Signal() {
	p.signaled.Do(func() {
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			_ = p.cmd.Process.Kill() // there are no such signals on Windows
		}
	})
}

// Stop tells the program to stop and waits for its end, which must be without an error.
func (p *Process) Stop(t *testing.T) {
	t.Helper()
	p.stopped.Do(func() {
		p.Signal()
		kill := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
		defer kill.Stop()
		<-p.ended
		if p.err != nil && runtime.GOOS != "windows" {
			t.Errorf("the program ends with: %v", p.err)
		}
	})
}

// Lines are those that a program has printed.
type Lines struct {
	mu    sync.Mutex
	lines []string
	begun string // of the next line
	taken int
	over  bool
	more  chan struct{} // closed when there are more lines, or at the end
}

func newLines() *Lines { return &Lines{more: make(chan struct{})} }

// Write implements [io.Writer].
func (l *Lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	whole := strings.Split(l.begun+string(p), "\n")
	l.begun = whole[len(whole)-1]
	l.add(whole[:len(whole)-1]...)
	return len(p), nil
}

func (l *Lines) add(lines ...string) {
	for _, line := range lines {
		l.lines = append(l.lines, strings.TrimSuffix(line, "\r"))
	}
	close(l.more)
	l.more = make(chan struct{})
}

func (l *Lines) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun != "" {
		l.lines, l.begun = append(l.lines, l.begun), ""
	}
	l.over = true
	l.add()
}

// All returns the lines so far.
func (l *Lines) All() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

// Wait waits until enough is true of the lines, or the program has ended. It returns the lines.
func (l *Lines) Wait(t *testing.T, enough func(lines []string) bool) []string {
	t.Helper()
	late := time.After(patience)
	for {
		l.mu.Lock()
		lines, over, more := slices.Clone(l.lines), l.over, l.more
		l.mu.Unlock()
		if over || enough(lines) {
			return lines
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("the program has printed only:\n%s", strings.Join(lines, "\n"))
		}
	}
}

// WaitFor waits until a line has the text, and returns the line.
func (l *Lines) WaitFor(t *testing.T, text string) string {
	t.Helper()
	return l.find(t, text, func(line string) bool { return strings.Contains(line, text) })
}

// WaitForAddress waits until a line has an address of this machine, and returns the address.
func (l *Lines) WaitForAddress(t *testing.T) string {
	t.Helper()
	return address.FindString(l.find(t, "an address", address.MatchString))
}

func (l *Lines) find(t *testing.T, what string, has func(line string) bool) string {
	t.Helper()
	lines := l.Wait(t, func(lines []string) bool { return slices.ContainsFunc(lines, has) })
	if i := slices.IndexFunc(lines, has); i >= 0 {
		return lines[i]
	}
	t.Fatalf("the program has ended without %s:\n%s", what, strings.Join(lines, "\n"))
	return ""
}

// Take returns the lines since the last time: n, and those that came with them.
func (l *Lines) Take(t *testing.T, n int) []string {
	t.Helper()
	if *update {
		time.Sleep(time.Second) // nobody knows how many lines follow
		n = 0
	}
	lines := l.Wait(t, func(lines []string) bool { return len(lines)-l.taken >= n })[l.taken:]
	l.taken += len(lines)
	return lines
}
