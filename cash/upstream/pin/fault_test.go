//go:build unix || windows

package pin_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
)

// Each step of Save fails once: it says so, nothing lies about, and the next one goes
// well.
func TestW37FileStepFails(t *testing.T) {
	durabletest.EachFault(t, durabletest.Once, 5, func(t *testing.T, cause error, fault durabletest.Fault) bool {
		dir := durabletest.Scratch(t)
		path := filepath.Join(dir, "pins.json")
		pins := openPins(t, path)
		if err := save(t.Context(), pins, "shop", byName(define("one"))); err != nil {
			t.Fatal(err)
		}
		failed := ""
		pins.SetFault(func(op, name string) error {
			err := fault(op, name)
			if err != nil {
				failed = op
			}
			return err
		})
		err := save(t.Context(), pins, "shop", byName(define("two")))
		if (err != nil) != (failed != "") || err != nil && !errors.Is(err, cause) {
			t.Errorf("Save: %v", err)
		}
		want := "one"
		if err == nil || failed == "flush" { // it is there, and may be lost with the power
			want = "two"
		}
		if got := savedPins(t, path); got != want {
			t.Errorf("%q is pinned, want %q", got, want)
		}
		if entries, err := os.ReadDir(dir); len(entries) != 1 || err != nil {
			t.Errorf("%v, %v", entries, err)
		}
		pins.SetFault(nil)
		if err := save(t.Context(), pins, "shop", byName(define("three"))); err != nil || savedPins(t, path) != "three" {
			t.Errorf("then: %v", err)
		}
		return failed != ""
	})
}
