package schema_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/schema"
)

// isSpace is WhiteSpace and LineTerminator of ECMA-262.
func isSpace(r rune) bool {
	return unicode.Is(unicode.Zs, r) || strings.ContainsRune("\t\n\v\f\r\ufeff\u2028\u2029", r)
}

func not(is func(rune) bool) func(rune) bool { return func(r rune) bool { return !is(r) } }

// TestPatternSpaces asks every character of the planes that have spaces, and
// some of the others.
func TestPatternSpaces(t *testing.T) {
	any, none := func(rune) bool { return true }, func(rune) bool { return false }
	or := func(chars string) func(rune) bool {
		return func(r rune) bool { return isSpace(r) || strings.ContainsRune(chars, r) }
	}
	notBut := func(chars string) func(rune) bool {
		return func(r rune) bool { return !isSpace(r) || strings.ContainsRune(chars, r) }
	}
	for _, test := range []struct {
		pattern string
		want    func(rune) bool
	}{
		{`\s`, isSpace},
		{`\S`, not(isSpace)},
		{`[\s]`, isSpace},
		{`[^\s]`, not(isSpace)},
		{`[\S]`, not(isSpace)},
		{`[^\S]`, isSpace},
		{`[\s\S]`, any},
		{`[^\s\S]`, none},
		{`[\S\s\S\s]`, any},
		{`[\d\s]`, or("0123456789")},
		{`[^\d\s]`, not(or("0123456789"))},
		{`[\sa-c]`, or("abc")},
		{`[a-c\s]`, or("abc")},
		{`[\s-a]`, or("-a")},
		{`[a-\s]`, or("-a")},
		{`[\s-]`, or("-")},
		{`[-\s]`, or("-")},
		{`[+--\s]`, or("+,-")},
		{`[\S ]`, notBut(" ")},
		{`[ \S]`, notBut(" ")},
		{`[\S\n]`, notBut("\n")},
		{`[^\S\n]`, not(notBut("\n"))},
		{`[^\S\u00a0\ufeff]`, not(notBut("\u00a0\ufeff"))},
		{`[\S\t-\r]`, notBut("\t\n\v\f\r")},
		{`[\S\d]`, not(isSpace)},
		{`[\S\w]`, not(isSpace)},
		{`[\S\D]`, any},
		{`[^\S\W]`, none},
		{`[\S\p{Zl}]`, notBut("\u2028")},
		{`[\S\P{Zl}]`, func(r rune) bool { return r != '\u2028' }},
		{`[^\S\P{Zs}]`, func(r rune) bool { return unicode.Is(unicode.Zs, r) }},
		{`[\s\p{Zs}]`, isSpace},
		{`(?i:\s)`, isSpace},
		{`(?i:[\Sa])`, not(isSpace)},
		{`(?:\s)`, isSpace},
		{`(\s|\s)`, isSpace},
		{`\s{1}`, isSpace},
		{`.`, not(func(r rune) bool { return strings.ContainsRune("\n\r\u2028\u2029", r) })},
		{`(?s:.)`, any},
		{`(?-s:.)`, not(func(r rune) bool { return strings.ContainsRune("\n\r\u2028\u2029", r) })},
		{`[.]`, func(r rune) bool { return r == '.' }},
		{`[^]`, any},
		{`[]`, none},
	} {
		match, spelled, _, problem := schema.Pattern("^" + test.pattern + "$")
		if problem != "" {
			t.Errorf("%s %s: %s", test.pattern, problem, spelled)
			continue
		}
		for r := rune(0); r <= utf8.MaxRune; r++ {
			if r == 0xd800 {
				r = 0xe000
			}
			if r > 0xffff {
				r += 0x333
			}
			if got := match(string(r)); got != test.want(r) {
				t.Errorf("%s matches %U: %t (%s)", test.pattern, r, got, spelled)
				break
			}
		}
	}
}

// TestPatternsAreECMA pins the rest of what ECMA-262 and RE2 spell or read
// differently, and what they have in common.
func TestPatternsAreECMA(t *testing.T) {
	for _, test := range []struct{ pattern, match, other string }{
		{`^abc$`, "abc", "abc\n"},
		{`^\d\D$`, "0߀", "߀0"},
		{`^\w\W$`, "_é", "éa"},
		{`\bfoo\b`, "éfoo", "foos"},
		{`\Bo`, "fo", "o"},
		{`^a.b$`, "a\u0085b", "a\u2028b"},
		{`^a.b$`, "a\vb", "a\rb"},
		{`(?s)^a.b$`, "a\u2028b", "ab"},
		{`((?s)a.)b.`, "a\nbc", "a\nb\n"},
		{`(?s:a.(?-s)b.)c.$`, "a\nb-c-", "a\nb\nc-"},
		{`(?i)^K.$`, "k-", "k\n"},
		{`^\t\n\v\f\r\0$`, "\t\n\v\f\r\x00", "\t\n\v\f\r0"},
		{`^\cA\cz\cJ$`, "\x01\x1a\n", "Azj"},
		{`^[\ca-\cc]$`, "\x02", "b"},
		{`^\x41\x7a$`, "Az", "x41"},
		{`^\u0041\u00e9$`, "Aé", "u0041"},
		{`^\u{41}\u{1F600}\u{00000000000000000042}$`, "A😀B", "A"},
		{`^\uD83D\uDE00$`, "😀", "\ufffd\ufffd"},
		{`^[\uD83C\uDF00-\uD83D\uDE4F]$`, "😀", "\ufffd"},
		{`^[^\uD800-\uDFFF]$`, "😀", ""},
		{`^(\uD83D|a)$`, "a", "\ufffd"},
		{`^[\uD83Da]$`, "a", "\ufffd"},
		{`^\/\-\.\_\$$`, `/-._$`, `\/`},
		{`^[\/\-\.\]\[\\]+$`, `/-.][\`, "a"},
		{`^a{\u0032}$`, "a{2}", "aa"},
		{`^[\b]$`, "\b", "b"},
		{`^[[]$`, "[", "]"},
		{`^[[:a]$`, ":", "b"},
		{`^[[:loose:]x]$`, ":x]", "o"},
		{`^[^[]$`, "a", "["},
		{`^[a^]$`, "^", "b"},
		{`^[\w-.]+$`, "a-.", "a,"},
		{`^[\w-z]+$`, "a-", "+"},
		{`^[a-\d]+$`, "a-7", "b"},
		{`^[a-c-e]+$`, "b-e", "d"},
		{`^[]|a$`, "a", "]"},
		{`^[^][^]$`, "]\n", "a"},
		{`^\p{L}\p{Letter}$`, "éA", "1a"},
		{`^\P{L}\P{Lu}$`, "1a", "A1"},
		{`^\p{digit}+\p{punct}$`, "৪২!", "ab!"},
		{`^\p{gc=Lu}\p{General_Category=Lowercase_Letter}$`, "Éa", "ab"},
		{`^\p{Script=Greek}\P{sc=Cyrillic}$`, "Ωa", "aя"},
		{`^[\p{Script=Greek}\P{L}]$`, "Ω", "a"},
		{`^[\p{Script=Greek}\P{L}]$`, "1", "я"},
		{`^\p{ASCII}\P{ASCII}$`, "aé", "éa"},
		{`^\p{Any}[^\P{Any}]$`, "\na", "a"},
		{`^\p{Assigned}\P{Assigned}$`, "a\u0378", "\u0378a"},
		{`^[^\P{Assigned}]$`, "a", "\u0378"},
		{`^(?<year>\d{4})-(?<naïve>\d\d)$`, "2026-01", "2026"},
		{`^(?<$>a)(?<$>b)$`, "ab", "$"},
		{`^[[:alpha:]]+\A|^[[:^digit:]_]$`, "_", "1"},
		{`\Aa\z`, "a", "ba"},
		{`^\pL$`, "é", "1"},
		{`^\x{e9}[\x{e0}-\x{ef}]$`, "éé", "ea"},
		{`(?P<n>a)+`, "a", "b"},
		{`a{,2}]}`, "a{,2}]}", "aa"},
		{"^[\u00a0é-ü]$", "\u00a0", " "},
	} {
		match, spelled, _, problem := schema.Pattern(test.pattern)
		if problem != "" {
			t.Errorf("%s %s: %s", test.pattern, problem, spelled)
			continue
		}
		if !match(test.match) || match(test.other) {
			t.Errorf("%s matches %q: %t, %q: %t (%s)", test.pattern, test.match, match(test.match), test.other, match(test.other), spelled)
		}
	}
}

// TestPatternsNotEnforced holds that what RE2 cannot express, and what ECMA-262
// refuses or reads otherwise than RE2, is left alone.
func TestPatternsNotEnforced(t *testing.T) {
	for _, pattern := range []string{
		`(?=a)`, `(?!a)`, `(?<=a)`, `(?<!a)`, `(?>a)`, `(a)\1`, `(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\10`, `(?<n>a)\k<n>`, `\12`, `\01`, `[\1]`, `[\01]`,
		`\a`, `[\a]`, `\Q.\E`, `\C`, `\e`, `\c`, `\c1`, `\x4`, `\u12`, `\u{}`, `\u{110000}`, `\u{41`, `\u{+41}`, `\é`, `[\B]`, `[\A]`, `\`, `[\`,
		`[`, `[^`, `[a`, `[a-`, `[z-a]`, `[\u{42}-\u{41}]`, `[[:alpha:]`, `[\S[:alpha:]]`, `\p`, `\p{`, `\p{}`, `\p{lu}`, `\p{^Lu}`, `\p{Nope}`,
		`\p{gc=Greek}`, `\p{Script=Lu}`, `\p{scx=Greek}`, `\p{Emoji}`, `(?<>a)`, `(?<n`, `(?<n>?:a)`, `(?x)a`, `(?i`, `a**`, `(`, `)`,
	} {
		if match, spelled, _, problem := schema.Pattern(pattern); match != nil || problem != "is not in RE2 syntax" {
			t.Errorf("%s: problem %q (%s)", pattern, problem, spelled)
		}
	}
}

// TestPatternsAreBounded holds the work and the output to limits. Each place
// that is respelled at length is at least an instruction of RE2.
func TestPatternsAreBounded(t *testing.T) {
	const size = 1 << 20
	fill := func(text string) string { return strings.Repeat(text, size/len(text)) }
	for _, test := range []struct{ name, pattern, problem string }{
		{"spaces", fill(`\s`), "is too large"},
		{"100,000 classes", strings.Repeat(`[^\S]`, 100_000), "is too large"},
		{"classes with one character", fill(`[\Sa]`), "is too large"},
		{"dots", fill(`.`), "is too large"},
		{"properties", fill(`\pL`), "is too large"},
		{"lone surrogates", fill(`\ud800`), "is too large"},
		{"repeated to nothing", fill(`(?:\s{0}){0}`), "is too large"},
		{"repeated", `(\s{1000}){5}`, "is not in RE2 syntax"},
		{"spaces in a class", `[` + fill(`\s`) + `]`, ""},
		{"others in a class", `[` + fill(`\S`) + `]`, ""},
		{"both and characters", `[^` + fill(`\Sa\s`) + `]`, ""},
		{"properties in a class", `[` + fill(`\pL\P{Lu}`) + `]`, ""},
		{"names in a class", `[` + fill(`[:alpha:]`) + `]`, ""},
		{"no names in a class", `[` + fill(`[:a`) + `]`, ""},
		{"wide ranges, folded", `(?i)` + strings.Repeat(`[\u0100-\uffff]`, 10_000), "is too large"},
		{"wide ranges in a class, folded", `(?i)[` + fill(`\u0100-\uffff`) + `]`, "is too large"},
		{"groups", fill(`(`), "is too large"},
		{"groups without a name", fill(`(?<a`), "is not in RE2 syntax"},
		{"flags", fill(`(?i`), "is too large"},
		{"braces", fill(`\u{`), "is not in RE2 syntax"},
		{"zeros", `\u{` + strings.Repeat("0", size) + `}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, spelled, work, problem := schema.Pattern(test.pattern)
			if problem != test.problem {
				t.Errorf("problem %q, want %q", problem, test.problem)
			}
			if work > schema.MaxPattern {
				t.Errorf("%d instructions of work", work)
			}
			if most := 7*len(test.pattern) + 200*schema.MaxPattern; len(spelled) > most {
				t.Errorf("%d bytes became %d", len(test.pattern), len(spelled))
			}
		})
	}
}

// TestPatternsTogether holds that patterns which cost RE2 much and then fail are
// counted, too.
func TestPatternsTogether(t *testing.T) {
	large(t)
	costly := func(end string) string {
		return `{"allOf":[` + repeat(200, func(i int) string { return fmt.Sprintf(`{"pattern":"(?i)%d[\\u0100-\\uffff]%s"}`, i, end) }) + `]}`
	}
	for _, end := range []string{"", "**"} {
		if _, err := schema.Parse([]byte(costly(end))); err == nil || !strings.Contains(err.Error(), "too large together") {
			t.Errorf("%q: %.200v", end, err)
		}
	}
	if s := parse(t, `{"pattern":"`+strings.Repeat(`\\s`, 6_000)+`"}`); len(s.Notes()) != 1 ||
		!strings.Contains(s.Notes()[0], "is too large and is not enforced") || len(s.Notes()[0]) > 300 {
		t.Errorf("notes: %.400q", s.Notes())
	}
}

// TestPatternMessages shows the pattern as the schema has it, and nothing of the
// value.
func TestPatternMessages(t *testing.T) {
	s := parse(t, `{"properties":{"a":{"pattern":"^\\S+$"}},"patternProperties":{"^x\\s":false}}`)
	for data, want := range map[string]string{
		`{"a":"secret\u00a0word"}`: `a: must match the pattern ^\S+$`,
		`{"x\ufeff":"secret"}`:     `["x?"]: not allowed here; leave it out`,
		`{"x":"secret","a":"b"}`:   ``,
	} {
		err := s.Check(context.Background(), []byte(data))
		var e *schema.Error
		if errors.As(err, &e); err != nil && err.Error() != want || err == nil && want != "" {
			t.Errorf("Check(%s) = %v, want %s", data, err, want)
		}
	}
}

// plainRE2 are patterns that both read the same, without respelling.
var plainRE2 = regexp.MustCompile(`^[^\\.\[(]*$`)

// FuzzPattern holds that any pattern is respelled within bounds, and that no
// character of it gets another meaning on the way.
func FuzzPattern(f *testing.F) {
	for _, seed := range []string{
		`^[\w.-]+@\S+\.[a-z]{2,}$`, `[^\S\n]|[\s\S]*?`, `(?<name>\u{1F600}|\uD83D\uDE00)`, `(?is-m:a.(?-s).)`, `[\p{Lu}\P{Script=Greek}[:alpha:]-\d]`,
		`\cA\x41\0[\b]`, `[]|[^]`, `(?i)[\Sa-\uffff]`, `a{1,2}]}`, `\p{L}\pN`, `[a-\`,
	} {
		f.Add(seed, "a b\u00a0")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if !utf8.ValidString(pattern) || !utf8.ValidString(text) || len(pattern) > 10_000 || len(text) > 1_000 {
			return
		}
		match, spelled, work, problem := schema.Pattern(pattern)
		if len(spelled) > 7*len(pattern)+200*schema.MaxPattern || work > schema.MaxPattern {
			t.Fatalf("%d bytes became %d, work %d", len(pattern), len(spelled), work)
		}
		if (match == nil) != (problem != "") {
			t.Fatalf("problem %q", problem)
		}
		if match == nil {
			return
		}
		match(text)
		if plainRE2.MatchString(pattern) && spelled != pattern {
			t.Fatalf("%q became %q", pattern, spelled)
		}
		escaped, _, _, problem := schema.Pattern("^" + escapedUnits(text) + "$")
		if problem == "" && !escaped(text) {
			t.Fatalf("%q does not match itself", text)
		}
	})
}

// escapedUnits spells a text as ECMA-262 escapes of its characters.
func escapedUnits(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case i%3 == 0:
			fmt.Fprintf(&b, `\u{%x}`, r)
		case i%3 == 1:
			fmt.Fprintf(&b, `[\u{%x}]`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04X`, high, low)
		}
	}
	return b.String()
}
