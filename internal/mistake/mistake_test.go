package mistake_test

import (
	"errors"
	"regexp"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/mistake"
)

// newThing is a constructor.
func newThing(err error) { mistake.Check("thing", err) }

func TestCheck(t *testing.T) {
	newThing(nil)
	defer func() {
		text, _ := recover().(string)
		if !regexp.MustCompile(`^thing: no size \(.*mistake_test\.go:22\)$`).MatchString(text) {
			t.Errorf("%q", text)
		}
	}()
	newThing(errors.New("no size"))
}
