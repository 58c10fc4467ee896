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
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"page", "# Title\n\n\tcode  and   blanks \n", "# Title\n\n\tcode  and   blanks \n"},
		{"line ends", "a\n\tb\r\nc\rd\u0085e\u2028f\u2029g\r\r\n", "a\n\tb\nc\nd\ne\nf\ng\n\n"},
		{"other white space", "a\vb\fc\u00a0d\u3000e", "a b c\u00a0d\u3000e"},
		{"control, format, invalid", "a\u202eb\u200bc\x00d\ufffde\xff\u00adf", "abcdef"},
		{"escape sequences", "a\x1b[31mred\x1b[0m\u009b1m\nb\x1b]0;t\a\x1b[2Jc\x1b", "ared\nbc"},
		{"sequence without end", "a\x1b]0;rest\nof it", "a0;rest\nof it"},
		{"selectors", "a\ufe0fb\U000e0100c\U000e01efd\u180be\u180ff\ufe0e", "abcdef"},
		{"fillers", "a\u3164b\u115f\u1160c\uffa0d\u2800e\u034ff\u17b4\u17b5g", "abcdefg"},
		{"tags, private", "a\U000e0068\U000e007fb\ue000c\U0010fffdd\u0378", "abcd"},
		{"family", "👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"},
		{"heart on fire", "❤\ufe0f\u200d🔥", "❤\ufe0f\u200d🔥"},
		{"pictures", "☎\ufe0f ‼\ufe0f ℹ\ufe0f ©\ufe0f #\ufe0f\u20e3 1\ufe0f\u20e3", "☎\ufe0f ‼\ufe0f ℹ\ufe0f ©\ufe0f #\ufe0f\u20e3 1\ufe0f\u20e3"},
		{"joiner in a script", "क\u094d\u200dष", "क\u094d\u200dष"},
		{"joiners that join nothing", "\u200da\u200db \u200d\n\u200dé\u200d\u200d\u3000\u200d", "ab \né\u200d\u3000"},
		{"selectors of nothing", "\ufe0f\u20e3\ufe0fa\ufe0f 1\ufe0f2\ufe0f ❤\ufe0f\ufe0f中\ufe0f", "\u20e3a 12 ❤\ufe0f中"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := clean.Text(test.text); got != test.want {
				t.Errorf("Text(%q) = %q, want %q", test.text, got, test.want)
			}
		})
	}
}

func TestRunes(t *testing.T) {
	for _, text := range []string{"", "abc", "aé中😀", "a\xff\xe4\xb8b\xed\xa0\x80", "\xf0\x9f"} {
		if got, want := clean.Runes([]byte(text)), utf8.RuneCountInString(text); got != want {
			t.Errorf("Runes(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestFlow(t *testing.T) {
	for text, want := range map[string]string{
		" a\n\n b\u200b c ":          "a b c",
		"a \u200b b\vc\u2028\x1b[1m": "a b c",
		"\u3164\x00":                 "",
		"":                           "",
		" ":                          "",
		"a  b":                       "a b",
		" a":                         "a",
		"a ":                         "a",
		"a\tb\x7f":                   "a b",
		"two words":                  "two words",
	} {
		if got := clean.Flow(text); got != want {
			t.Errorf("Flow(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestFirstLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"\r\n \u2028Lists.\rMore.":     "Lists.",
		"\u200b\n\x1b[0m\nLists.":      "Lists.",
		"a\vb\f c\u00a0\td\u0085 e":    "a b c d",
		"one two three four":           "one two…",
		"onetwo\u200bthreefour":        "onetwothr…",
		"\u3164one\U000e0100 \u2800tw": "one tw",
		"# Orders":                     "Orders",
		"\n ##\t Orders\nMore.":        "Orders",
		"###\n# \n## Orders":           "Orders",
		"\u200b# Orders":               "Orders",
		"#42 is":                       "#42 is",
		"#######\nOrders":              "#######",
	} {
		if got := clean.FirstLine(text, 10); got != want {
			t.Errorf("FirstLine(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
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
		if got := clean.Line("x"+strings.Repeat(s, 4<<20/len(s))+"\nx", 1<<20); got != "xx" && got != "x x" {
			t.Errorf("Line of many %q = %q", s, got)
		}
		if got := clean.FirstLine(strings.Repeat(s, 4<<20/len(s))+"\nx", 10); !strings.HasSuffix(got, "x") && !strings.HasSuffix(got, "…") {
			t.Errorf("FirstLine of many %q = %q", s, got)
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

func FuzzText(f *testing.F) {
	for _, s := range []string{"a\n\tb\r\n", "\x1b[1mx\x1b]0;t\a", "a\u2028\v\u200d", "❤\ufe0f\u200d🔥1\ufe0f\u20e3", "\xff\xc3\u3164\U000e0100", "\u009d0;\u009c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := clean.Text(text)
		if !utf8.ValidString(got) {
			t.Errorf("not UTF-8: %q", got)
		}
		prev := '\n'
		for _, r := range got {
			joiner := (r == '\u200d' || r == '\ufe0f') && r != prev && !unicode.IsSpace(prev)
			if r != '\n' && r != '\t' && !joiner && (!clean.Visible(r) || clean.Line(string(r), 2) == "" && !unicode.IsSpace(r)) {
				t.Errorf("%U is in %q", r, got)
			}
			prev = r
		}
		if again := clean.Text(got); again != got {
			t.Errorf("not stable: %q becomes %q", got, again)
		}
		// What a page shows is what a line shows.
		if a, b := clean.Line(got, len(text)+1), clean.Line(text, len(text)+1); strings.ReplaceAll(a, " ", "") != strings.ReplaceAll(b, " ", "") {
			t.Errorf("Text has %q of %q", a, b)
		}
		if line := clean.FirstLine(text, 30); utf8.RuneCountInString(line) > 30 || strings.Join(strings.Fields(line), " ") != line {
			t.Errorf("not a line: %q", line)
		}
	})
}

// Line reads no more of a text than it needs, however little of it shows.
func TestLineReadsLittle(t *testing.T) {
	hidden := strings.Repeat("\u200b", 1<<20)
	for text, want := range map[string]string{
		"name" + hidden + "more": "name…",
		hidden + "name":          "",
		"\x1b[31m" + "na" + strings.Repeat("\u200b", 10) + "me": "name",
		strings.Repeat("x\u200b", 9) + hidden:                   strings.Repeat("x", 9) + "…",
	} {
		if got := clean.Line(text, 20); got != want {
			t.Errorf("Line(%.20q) = %q, want %q", text, got, want)
		}
	}
	if n := testing.AllocsPerRun(5, func() { clean.Line("name"+hidden, 20) }); n > 10 {
		t.Errorf("%v allocations", n)
	}
}
