// Package durabletest has faults for tests of code that uses package durable: failing steps, a killed process, a power
// loss.
//
//	durabletest.EachFault(t, durabletest.Once, 1, func(t *testing.T, cause error, fault durabletest.Fault) bool {
//		folder.Fault = fault // one of its steps fails
//		return work(folder) != nil
//	})
//
//	out, finished := durabletest.Run(t, "names", n, dir) // in a process of its own; see Main and EachKill
//
// # How it works
//
// A [Power] records every step, and keeps hard links to removed and replaced files. A power loss takes away what was
// not synced: the second half of files, and changes of names, last one first.
//
// # Limits
//
// Copies need hard links, so copies is on the same file system. An existing file that is overwritten in place is cut,
// and does not get its old content back.
package durabletest

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Modes are the kinds of loss: "kill" loses nothing; "contents" loses contents of files; "names" also loses all changes
// of names; "some names" loses some of them.
var Modes = []string{"kill", "contents", "names", "some names"}

// A Power records what a power loss may undo in a folder.
type Power struct {
	mode, dir, copies string
	unwritten         []string // files whose contents may be lost
	changes           []change // of names, last one last
	copied            int
}

// A change is a change of a name in a folder that was not synced.
type change struct {
	folder string
	undo   func()
}

// NewPower returns a Power for the folder dir. copies is an empty folder beside it.
func NewPower(mode, dir, copies string) *Power { return &Power{mode: mode, dir: dir, copies: copies} }

// KillAt returns a fault that loses power before step n, and ends the process.
func (p *Power) KillAt(n int) Fault {
	steps := 0
	return func(op, name string) error {
		if steps++; steps == n {
			p.lose()
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			select {}
		}
		p.note(op, name)
		return nil
	}
}

// note records each step before it happens.
func (p *Power) note(op, name string) {
	from, to, _ := strings.Cut(name, "\x00")
	path := p.path(name)
	switch op {
	case "create", "mkdir":
		if !there(path) {
			p.changed(name, func() { os.Remove(path) })
		}
		if op == "create" {
			p.unwritten = append(p.unwritten, name)
		}
	case "sync":
		p.unwritten = slices.DeleteFunc(p.unwritten, func(n string) bool { return n == name })
	case "flush":
		p.changes = slices.DeleteFunc(p.changes, func(c change) bool { return c.folder == filepath.Clean(path) })
	case "link":
		p.changed(to, func() { os.Remove(p.path(to)) })
	case "remove":
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			p.changed(name, func() { os.Mkdir(path, 0o755) })
		} else if restore := p.copy(path); restore != nil {
			p.changed(name, restore)
		}
	case "rename":
		if i := slices.Index(p.unwritten, from); i >= 0 {
			p.unwritten[i] = to
		}
		restore := p.copy(p.path(to))
		p.changed(to, func() {
			os.Rename(p.path(to), p.path(from))
			if restore != nil { // the file existed
				restore()
			}
		})
	}
}

func (p *Power) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (p *Power) changed(name string, undo func()) {
	p.changes = append(p.changes, change{filepath.Dir(p.path(name)), undo})
}

// copy returns a function that restores a file, nil if the file does not exist.
func (p *Power) copy(path string) (restore func()) {
	p.copied++
	second := filepath.Join(p.copies, strconv.Itoa(p.copied))
	if os.Link(path, second) != nil {
		return nil
	}
	return func() {
		if os.Remove(path) == nil || !there(path) { // fails if both names are one file, and then nothing is renamed
			os.Rename(second, path)
		}
	}
}

func (p *Power) lose() {
	if p.mode == "kill" {
		return
	}
	for _, name := range p.unwritten {
		if info, err := os.Stat(p.path(name)); err == nil {
			os.Truncate(p.path(name), info.Size()/2)
		}
	}
	for _, c := range slices.Backward(p.changes) {
		if p.mode == "names" || p.mode == "some names" && rand.IntN(2) == 0 {
			c.undo()
		}
	}
}

// A Fault is asked before each step, as durable.Folder has it.
type Fault = func(op, name string) error

// variable holds the words of [Run] in the process that it runs.
const variable = "DURABLETEST_LIFE"

// Main is a TestMain. In a process that [Run] has started it calls live, which panics
// if it cannot go on, with the folder of that name in dir and the other words of Run.
func Main(m *testing.M, folder string, live func(dir string, fault Fault, words []string)) {
	v := os.Getenv(variable)
	if v == "" {
		os.Exit(m.Run())
	}
	words := strings.Split(v, "\n")
	n, _ := strconv.Atoi(words[1])
	copies, err := os.MkdirTemp(words[2], "copies")
	if err != nil {
		panic(err)
	}
	dir := filepath.Join(words[2], folder)
	live(dir, NewPower(words[0], dir, copies).KillAt(n), words[3:])
}

// Run runs the program of the tests again, which loses power before step n; see [Main].
// It returns what the process prints, and whether it came to its end. It fails the test
// if the process complains.
func Run(t testing.TB, mode string, n int, dir string, words ...string) (out []byte, finished bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variable+"="+strings.Join(append([]string{mode, strconv.Itoa(n), dir}, words...), "\n"))
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		t.Fatalf("the process ends with %v: %s", err, exit.Stderr)
	}
	return out, err == nil
}

// EachKill tries modes with each step in turn, until a process has finished.
func EachKill(t *testing.T, modes []string, try func(t *testing.T, mode string, n int) (finished bool)) {
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			for n := 1; !try(t, mode, n); n++ {
				if t.Failed() {
					t.Fatalf("at step %d", n)
				}
			}
		})
	}
}

// Once is for [EachFault]: step n alone fails.
func Once(n, step int, _ string) bool { return step == n }

// Forever is for [EachFault]: all steps from n on fail, as on a disk that has gone bad,
// except for the operations that still work.
func Forever(working ...string) func(n, step int, op string) bool {
	return func(n, step int, op string) bool { return step >= n && !slices.Contains(working, op) }
}

// Failing returns a fault that fails operations while on is true.
func Failing(on *bool, cause error, ops ...string) Fault {
	return func(op, name string) error {
		if *on && slices.Contains(ops, op) {
			return cause
		}
		return nil
	}
}

// Scratch returns a folder, in memory if the system has that, because tests sync thousands of times.
func Scratch(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "durabletest")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
