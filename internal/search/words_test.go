package search_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// words writes pieces as a line: parts of a word with a plus after them, the
// whole of it in parentheses.
func words(text string) string {
	var list []string
	for _, p := range search.Pieces(text) {
		switch p.Kind {
		case "part":
			p.Word += "+"
		case "joined":
			p.Word = "(" + p.Word + ")"
		}
		list = append(list, p.Word)
	}
	return strings.Join(list, " ")
}

func TestWordsOfIdentifiers(t *testing.T) {
	for text, want := range map[string]string{
		"":                "",
		"list":            "list",
		"GetHTTPStatus":   "get+ http+ status+ (gethttpstatus)",
		"create_issue":    "create issue",
		"createIssue":     "create+ issue+ (createissue)",
		"CREATE_ISSUE":    "create issue",
		"orderId":         "order+ id+ (orderid)",
		"userIDs":         "user+ ids+ (userids)",
		"IDs":             "ids",
		"URLs":            "urls",
		"APIs":            "apis",
		"getAPIsNow":      "get+ apis+ now+ (getapisnow)",
		"XMLHttpRequest":  "xml+ http+ request+ (xmlhttprequest)",
		"OAuth2Token":     "oauth2+ token+ (oauth2token)",
		"OAuth":           "oauth",
		"getOAuthToken":   "get+ oauth+ token+ (getoauthtoken)",
		"iOS":             "i+ os+ (ios)",
		"GitHub":          "git+ hub+ (github)",
		"S3Bucket":        "s3+ bucket+ (s3bucket)",
		"utf8Decode":      "utf8+ decode+ (utf8decode)",
		"3DModel":         "3d+ model+ (3dmodel)",
		"getX":            "get+ x+ (getx)",
		"v2":              "v2",
		"snake_case_name": "snake case name",
		"kebab-case-name": "kebab case name",
		"a.b/c:d":         "a b c d",
		"__init__":        "init",
		"don't":           "don t",
		"C++, C#":         "c c",
		"{\"json\":1}":    "json 1",
	} {
		if got := words(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

func TestWordsOfLanguages(t *testing.T) {
	for text, want := range map[string]string{
		"été":                                  "ete", // composed
		"e\u0301te\u0301":                      "ete", // decomposed
		"naïveCafé":                            "naive+ cafe+ (naivecafe)",
		"Straße STRASSE":                       "strasse strasse",
		"Œuvre ærø Łódź đ":                     "oeuvre aero lodz d",
		"İstanbul ISTANBUL ıstanbul istanbul":  "istanbul istanbul istanbul istanbul",
		"ΟΔΟΣ οδός Οδοσ":                       "οδοσ οδοσ οδοσ",
		"Чай ЧАЙ чаи ёлка":                     "чаи чаи чаи елка",
		"हिन्दी में मौसम":                      "हिन्दी में मौसम", // vowel signs do not part words
		"שלום עולם":                            "שלום עולם",
		"طقس اليوم":                            "طقس اليوم",
		"ሰላም":                                  "ሰላም",
		"ภาษาไทย":                              "ภา าษ ษา าไ ไท ทย",
		"ที่นี่":                               "ที่นี่", // two characters with their marks
		"天气预报":                                 "天气 气预 预报",
		"天":                                    "天",
		"人々":                                   "人々",
		"サーバー":                                 "サー ーバ バー",
		"ｻｰﾊﾞｰ":                                "サー ーバ バー", // half width
		"気象データ":                                "気象 象デ デー ータ",
		"한국어 날씨":                               "한국 국어 날씨",
		"\u1112\u1161\u11ab\u1100\u116e\u11a8": "한국", // decomposed
		"日本語のAPIs":                             "日本 本語 語の apis",
		"文A书B":                                 "文 a 书 b",
		"ＯｒｄｅｒＩｄ１":                             "order+ id1+ (orderid1)", // full width
		"ﬁle Ⅷ x² ①":                           "file viii x2 1",
		"١٢٣":                                  "١٢٣",
	} {
		if got := words(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

func TestWordsOfPictures(t *testing.T) {
	for text, want := range map[string]string{
		"🚀":               "🚀",
		"🚀🚀 fast🚀":        "🚀 🚀 fast 🚀",
		"👨\u200d👩\u200d👧": "👨 👩 👧", // a family joined by ZWJ
		"👍🏽👍":             "👍 👍",   // skin tone
		"🇩🇪":              "🇩 🇪",   // flag
		"1️⃣":             "1",     // keycap
		"❤️❤":             "❤ ❤",   // drawn as emoji, and as text
		"100€ ≤ 5£":       "100 € ≤ 5 £",
	} {
		if got := words(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

func TestWordsOfHostileTexts(t *testing.T) {
	for text, want := range map[string]string{
		"\xff\xfeabc\xffdef":    "abc def",
		"\xed\xa0\x80abc":       "abc", // a lone surrogate
		"\u0301\u0301abc":       "abc", // marks at the start
		" \u0301 \u093f \u20e3": "",
		"a\u0301\u0301\u0301":   "a",
		"\x00\x1b[31mred":       "31mred",
		"a\u200bb\u202ec":       "a bc",               // a zero-width space, right to left
		"\uFDFA":                "صلى الله عليه وسلم", // one character that stands for four words
	} {
		if got := words(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
	for name, text := range map[string]string{
		"letters":  strings.Repeat("a", 1<<20),
		"capitals": strings.Repeat("A", 1<<20),
		"wide":     strings.Repeat("Ⱥ", 1<<18), // grows when it is folded
		"marks":    "a" + strings.Repeat("\u0301", 1<<18),
		"vowels":   "क" + strings.Repeat("\u093f", 1<<18),
		"Thai":     "กก" + strings.Repeat("\u0e48", 1<<18),
		"picture":  "★" + strings.Repeat("\u0301", 1<<18),
		"bomb":     strings.Repeat("\uFDFA", 1<<14),
	} {
		for _, p := range search.Pieces(text) {
			if len(p.Word) > 2*search.MaxWord {
				t.Errorf("%s: a word has %d bytes", name, len(p.Word))
				break
			}
		}
	}
}

// TestWordsOfAllCharacters holds the invariants for each character there is.
func TestWordsOfAllCharacters(t *testing.T) {
	large(t)
	for r := range rune(unicode.MaxRune + 1) {
		if utf8.ValidRune(r) {
			checkPieces(t, "a"+string(r)+"B"+string(r))
		}
	}
}

func FuzzPieces(f *testing.F) {
	for _, s := range []string{"GetHTTPStatus", "été ΟΔΟΣ ß", "天气 サーバー 한국어", "ภาษาไทย", "👨\u200d👩 1️⃣ 🇩🇪", "\xff\u0301a", "\uFDFA", "İıſK", "\uFCF3", "ӻ0Ā" + strings.Repeat("A", 60) + "a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { checkPieces(t, text) })
}

// checkPieces holds that words are clean, bounded and final (read once more
// they are what they were), and that those which case splits are complete.
func checkPieces(t *testing.T, text string) {
	t.Helper()
	parts := ""
	for _, p := range search.Pieces(text) {
		checkWord(t, text, p.Word)
		short := len(p.Word) < search.MaxWord/4 // else it may have been cut: folding may take away bytes
		switch {
		case p.Kind == "part":
			parts += p.Word
			continue
		case p.Kind == "joined" && short && parts != p.Word, p.Kind == "whole" && parts != "":
			t.Fatalf("%q: the parts %q are not those of %q", text, parts, p.Word)
		}
		parts = ""
	}
	if parts != "" {
		t.Fatalf("%q: the parts %q have no whole", text, parts)
	}
}

func checkWord(t *testing.T, text, word string) {
	t.Helper()
	switch {
	case word == "":
		t.Fatalf("%q has an empty word", text)
	case !utf8.ValidString(word):
		t.Fatalf("%q has the word %q", text, word)
	case len(word) > 2*search.MaxWord: // folding may add to the bytes
		t.Fatalf("%q has a word of %d bytes", text, len(word))
	case strings.ToLower(word) != word:
		t.Fatalf("%q has the word %q, which is not in lower case", text, word)
	}
	if len(word) < search.MaxWord && words(word) != word {
		t.Fatalf("%q has the word %q, which is read as %q", text, word, words(word))
	}
}
