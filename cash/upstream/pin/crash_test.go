package pin_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
)

func TestMain(m *testing.M) {
	if words := durabletest.Life(); words != nil {
		savingLife(words)
		return
	}
	os.Exit(m.Run())
}

// savingLife saves pins two times, tells after each, and dies before its step n.
func savingLife(words []string) {
	n, _ := strconv.Atoi(words[1])
	dir, copies := filepath.Join(words[2], "pins"), filepath.Join(words[2], "copies")
	for _, d := range []string{dir, copies} {
		if err := os.Mkdir(d, 0o700); err != nil {
			panic(err)
		}
	}
	pins, err := pin.OpenFile(filepath.Join(dir, "pins.json"))
	if err != nil {
		panic(err)
	}
	pins.SetFault(durabletest.NewPower(words[0], dir, copies).KillAt(n))
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
	for _, mode := range durabletest.Modes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n++ {
				dir := durabletest.Scratch(t)
				out, finished := durabletest.Run(t, mode, strconv.Itoa(n), dir)
				got := savedPins(t, filepath.Join(dir, "pins", "pins.json"))
				told := strings.Fields(string(out))
				want := []string{"", "one", "two"}[len(told):]
				if got != want[0] && (len(want) == 1 || got != want[1]) {
					t.Fatalf("at step %d: %q is pinned after %q was saved", n, got, told)
				}
				if finished {
					if n < 10 {
						t.Errorf("finished after %d steps", n)
					}
					return
				}
			}
		})
	}
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
