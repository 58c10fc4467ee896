package disk_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if spec := os.Getenv("FIREWALL_TEST_CRASH"); spec != "" {
		crashingLife(spec)
		return
	}
	os.Exit(m.Run())
}

// TestW32DiskSurvivesTheEndOfItsProcess kills a process before each step it does
// with its files, and looks at what it leaves. A loss of power may, besides,
// take away what had not been flushed: the ends of files, and changes of names,
// all of them or some.
func TestW32DiskSurvivesTheEndOfItsProcess(t *testing.T) {
	for _, mode := range []string{"kill", "contents", "names", "some names"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n++ {
				dir := scratch(t)
				told, finished := crash(t, mode, n, dir)
				wantWhole(t, filepath.Join(dir, "store"), told, true)
				if t.Failed() {
					t.Fatalf("at step %d", n)
				}
				if finished {
					if n < 50 {
						t.Errorf("finished after %d steps", n)
					}
					return
				}
			}
		})
	}
}

// crash runs a process that dies before its step n. It returns what that has
// told.
func crash(t *testing.T, mode string, n int, dir string) (told []event, finished bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FIREWALL_TEST_CRASH="+strings.Join([]string{mode, strconv.Itoa(n), dir}, ","))
	out, err := cmd.Output()
	for line := range bytes.Lines(out) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("the process says %q", line)
		}
		told = append(told, e)
	}
	if cmd.ProcessState.ExitCode() == 2 {
		t.Fatalf("the process ends with %v: %s", err, err.(*exec.ExitError).Stderr)
	}
	return told, err == nil
}

// crashingLife is the main function of such a process.
func crashingLife(spec string) {
	words := strings.SplitN(spec, ",", 3)
	n, _ := strconv.Atoi(words[1])
	p := &power{mode: words[0], dir: filepath.Join(words[2], "store"), copies: filepath.Join(words[2], "copies")}
	if err := os.Mkdir(p.copies, 0o700); err != nil {
		panic(err)
	}
	steps := 0
	l := &life{dir: p.dir, clock: newClock()}
	l.tell = func(e event) {
		line, _ := json.Marshal(e)
		os.Stdout.Write(append(line, '\n'))
	}
	l.fault = func(op, name string) error {
		if steps++; steps == n {
			p.lose()
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			select {}
		}
		p.note(op, name)
		return nil
	}
	l.live()
	for _, err := range l.failed {
		panic(err)
	}
}

// A power knows what a loss of power may undo.
type power struct {
	mode, dir, copies string
	unwritten         []string // files whose contents may be lost
	undo              []func() // of changes of names, the last one last
	number            int
}

// note is told each step before it is done.
func (p *power) note(op, name string) {
	path := filepath.Join(p.dir, name)
	switch op {
	case "create":
		if _, err := os.Lstat(path); err != nil {
			p.undo = append(p.undo, func() { os.Remove(path) })
		}
		p.unwritten = append(p.unwritten, name)
	case "sync":
		if name == "." {
			p.undo = nil
			return
		}
		p.unwritten = slices.DeleteFunc(p.unwritten, func(n string) bool { return n == name })
	case "remove":
		if restore := p.copy(path); restore != nil {
			p.undo = append(p.undo, restore)
		}
	case "rename":
		from, to, _ := strings.Cut(name, " ")
		if i := slices.Index(p.unwritten, from); i >= 0 {
			p.unwritten[i] = to
		}
		from, to = filepath.Join(p.dir, from), filepath.Join(p.dir, to)
		restore := p.copy(to)
		p.undo = append(p.undo, func() {
			os.Rename(to, from)
			if restore != nil { // there is one or the other
				restore()
			}
		})
	}
}

// copy returns what brings a file back, nil if there is none.
func (p *power) copy(path string) (restore func()) {
	p.number++
	spare := filepath.Join(p.copies, strconv.Itoa(p.number))
	if os.Link(path, spare) != nil {
		return nil
	}
	return func() { os.Rename(spare, path) }
}

func (p *power) lose() {
	if p.mode == "kill" {
		return
	}
	for _, name := range p.unwritten {
		path := filepath.Join(p.dir, name)
		if info, err := os.Stat(path); err == nil {
			os.Truncate(path, info.Size()/2)
		}
	}
	for i := len(p.undo) - 1; i >= 0; i-- {
		if p.mode == "names" || p.mode == "some names" && rand.IntN(2) == 0 {
			p.undo[i]()
		}
	}
}
