package pin_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
)

func TestMain(m *testing.M) { durabletest.Main(m, "pins", savingLife) }

// savingLife saves pins two times, tells after each, and dies before its step n.
func savingLife(dir string, fault durabletest.Fault, _ []string) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		panic(err)
	}
	pins, err := pin.OpenFile(filepath.Join(dir, "pins.json"))
	if err != nil {
		panic(err)
	}
	pins.SetFault(fault)
	for _, name := range []string{"one", "two"} {
		if err := save(context.Background(), pins, "shop", byName(define(name))); err != nil {
			panic(err)
		}
		fmt.Println(name)
	}
}

// TestW37FileSurvivesTheEndOfItsProcess kills a process before each step of Save,
// and takes away what a loss of power may. What was saved stays saved, and the file is
// the old one or the new one.
func TestW37FileSurvivesTheEndOfItsProcess(t *testing.T) {
	durabletest.EachKill(t, durabletest.Modes, func(t *testing.T, mode string, n int) bool {
		dir := durabletest.Scratch(t)
		out, finished := durabletest.Run(t, mode, n, dir)
		got := savedPins(t, filepath.Join(dir, "pins", "pins.json"))
		told := strings.Fields(string(out))
		want := []string{"", "one", "two"}[len(told):]
		if got != want[0] && (len(want) == 1 || got != want[1]) {
			t.Errorf("%q is pinned after %q was saved", got, told)
		}
		if finished && n < 10 {
			t.Errorf("finished after %d steps", n)
		}
		return finished
	})
}

// savedPins returns the name of the tool that a file pins, empty for none.
func savedPins(t *testing.T, path string) (name string) {
	t.Helper()
	pins, err := load(t.Context(), openPins(t, path), "shop")
	if err != nil || len(pins) > 1 {
		t.Fatalf("%v, %v", pins, err)
	}
	for name = range pins {
	}
	return name
}
