package cash

import (
	"testing"
	"unicode/utf8"
)

func TestWidthIsThatOfTheLine(t *testing.T) {
	for _, e := range []entry{{Name: "a"}, {Name: "é", Description: "Grün — b."}, {Name: "b", Available: new(bool)}, {Name: "c", Description: "x", Available: new(bool)}} {
		if want := utf8.RuneCountInString(e.line()); e.width() != want {
			t.Errorf("width of %q is %d, want %d", e.line(), e.width(), want)
		}
	}
}
