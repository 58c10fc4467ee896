package disk_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
)

func TestMain(m *testing.M) { durabletest.Main(m, "store", crashingLife) }

// TestW32DiskSurvivesTheEndOfItsProcess kills a process before each step it does
// with its files, and looks at what it leaves. A loss of power may, besides,
// take away what had not been flushed: the ends of files, and changes of names,
// all of them or some.
func TestW32DiskSurvivesTheEndOfItsProcess(t *testing.T) {
	durabletest.EachKill(t, durabletest.Modes, func(t *testing.T, mode string, n int) bool {
		dir := durabletest.Scratch(t)
		told, finished := crash(t, mode, n, dir)
		wantWhole(t, filepath.Join(dir, "store"), told, true)
		if finished && n < 50 {
			t.Errorf("finished after %d steps", n)
		}
		return finished
	})
}

// crash runs a process that dies before its step n. It returns what that has
// told.
func crash(t *testing.T, mode string, n int, dir string) (told []event, finished bool) {
	t.Helper()
	out, finished := durabletest.Run(t, mode, n, dir)
	for line := range bytes.Lines(out) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("the process says %q", line)
		}
		told = append(told, e)
	}
	return told, finished
}

// crashingLife is the main function of such a process.
func crashingLife(dir string, fault durabletest.Fault, _ []string) {
	l := &life{dir: dir, clock: newClock(), fault: fault}
	l.tell = func(e event) {
		line, _ := json.Marshal(e)
		os.Stdout.Write(append(line, '\n'))
	}
	l.live()
	for _, err := range l.failed {
		panic(err)
	}
}
