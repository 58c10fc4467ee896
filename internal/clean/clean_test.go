package clean_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

func ExampleLine() {
	fmt.Println(clean.Line("  Lists\x1b[31m\nfiles.\u200b ", 200))
	fmt.Println(clean.Line("Lists the files of a folder.", 10))
	// Output:
	// Lists files.
	// Lists the…
}

func ExampleFirstLine() {
	fmt.Println(clean.FirstLine("\nLists files.\nMore about it.", 200))
	// Output: Lists files.
}

func TestW11Line(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"plain", "Lists files.", "Lists files."},
		{"blanks", "  a \t b  ", "a b"},
		{"lines", "a\nb\r\nc\vd\fe", "a b c d e"},
		{"separators", "a\u0085b\u2028c\u2029d", "a b c d"},
		{"wide blanks", "a\u00a0b\u3000c\u2003d", "a b c d"},
		{"control", "a\x00b\x07c\x7fd\u0080e", "abcde"},
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"colour in one character", "\u009b31mred\u009bm", "red"},
		{"private parameters", "\x1b[?25lx\x1b[>0cy", "xy"},
		{"intermediates", "\x1b[0 qx\x1b(By", "xy"},
		{"cursor", "a\x1b[2J\x1b[Hb\x1bcd", "abd"},
		{"title, BEL", "a\x1b]0;title\ab", "ab"},
		{"title, ST", "a\x1b]0;title\x1b\\b", "ab"},
		{"title in one character", "a\u009d0;title\u009cb", "ab"},
		{"link", "\x1b]8;;https://evil.example\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"device string", "a\x1bPq#0;2\x1b\\b\x1b_cmd\x1b\\c\x1b^x\x1b\\d\x1bXy\x1b\\e", "abcde"},
		{"title without end", "a\x1b]0;rest of it", "a0;rest of it"},
		{"title that a line ends", "a\x1b]0;t\nb\a", "a0;t b"},
		{"sequence without end", "a\x1b[31", "a"},
		{"sequence that a letter of another script ends", "a\x1b[31é", "aé"},
		{"lone escape", "a\x1b", "a"},
		{"zero width", "a\u200bb\u200cc\u200dd\u2060e\ufefff", "abcdef"},
		{"bidi", "a\u202eb\u2066c\u2069d\u200fe\u061cf", "abcdef"},
		{"tags", "a\U000e0068\U000e0069\U000e007fb", "ab"},
		{"variation selectors", "a\ufe0fb\U000e0100\U000e01efc\u180bd", "abcd"},
		{"fillers", "a\u3164b\u115fc\uffa0d\u2800e\u034ff", "abcdef"},
		{"soft hyphen", "a\u00adb", "ab"},
		{"private use", "a\ue000b\U000f0000c\U0010fffd", "abc"},
		{"invalid", "a\xffb\xed\xa0\x80c\ufffdd\xc3", "abcd"},
		{"family", "👨\u200d👩\u200d👧 ok", "👨👩👧 ok"},
		{"scripts", "日本語 русский ไทย e\u0301", "日本語 русский ไทย e\u0301"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := clean.Line(test.text, 100); got != test.want {
				t.Errorf("Line(%q) = %q, want %q", test.text, got, test.want)
			}
		})
	}
}

func TestW11LineCut(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{
		{"abcd", 4, "abcd"},
		{"abcde", 4, "abc…"},
		{"abc ", 3, "abc"},
		{"abc\u200b\u200b", 3, "abc"},
		{"ab cd", 4, "ab…"},
		{"éééé", 4, "éééé"},
		{"ééééé", 4, "ééé…"},
		{"a b", 1, "…"},
	} {
		if got := clean.Line(test.text, test.most); got != test.want {
			t.Errorf("Line(%q, %d) = %q, want %q", test.text, test.most, got, test.want)
		}
	}
}

func TestText(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a\n\tb\r\n", "a\n\tb\n"},
		{"a\u202eb\u200bc\x00d\ufffde\xff", "abcde"},
		{"👨\u200d👩", "👨\u200d👩"},
	} {
		if got := clean.Text(test.text); got != test.want {
			t.Errorf("Text(%q) = %q, want %q", test.text, got, test.want)
		}
	}
	if got := clean.Flow(" a\n\n b\u200b c "); got != "a b c" {
		t.Errorf("Flow: %q", got)
	}
	for text, want := range map[string]string{
		"one two three four": "one two…",
		"onetwothreefour":    "onetwothr…",
		"short":              "short",
	} {
		if got := clean.Cut(text, 10); got != want {
			t.Errorf("Cut(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestW11Linear feeds what makes a careless scan quadratic: at that, the four
// megabytes below would take hours.
func TestW11Linear(t *testing.T) {
	for _, s := range []string{"\x1b]", "\u009d", "\x1b[1", "\x1b(", "\x1b", " ", "\u200b", "\x1bP\x1b"} {
		if got := clean.Line(strings.Repeat(s, 4<<20/len(s))+"\nx", 10); got != "x" {
			t.Errorf("Line of many %q = %q", s, got)
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"plain", " a  b ", "\x1b[1mx\x1b]0;t\a", "\u009d0;\u009c", "a\u2028b\ufe0f", "\xff\xc3", "日本\u200d"} {
		f.Add(s, 8)
	}
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = 1 + (most&0x7fff)%200
		got := clean.Line(text, most)
		if n := utf8.RuneCountInString(got); n > most {
			t.Errorf("%d characters, want at most %d: %q", n, most, got)
		}
		if !utf8.ValidString(got) || strings.TrimSpace(got) != got || strings.Contains(got, "  ") {
			t.Errorf("not a line: %q", got)
		}
		for _, r := range got {
			if r != ' ' && (!unicode.IsGraphic(r) || unicode.IsSpace(r) || unicode.Is(unicode.Variation_Selector, r)) {
				t.Errorf("%U is in %q", r, got)
			}
		}
		if again := clean.Line(got, most); again != got {
			t.Errorf("not stable: %q becomes %q", got, again)
		}
	})
}
