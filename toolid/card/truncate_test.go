package card_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/toolid/card"
)

func ExampleTruncate() {
	const text = "Creates an issue in the given repository. Requires a token with the scope `repo`."
	fmt.Println(card.Truncate(text, 15))
	fmt.Println(card.Truncate(text, 5))
	// Output:
	// Creates an issue in the given repository.
	// Creates an issue in…
}

// readLines decodes a file of one JSON value per line.
func readLines[T any](t *testing.T, name string) (values []T) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("reading %s: %v", name, err)
		}
		values = append(values, v)
	}
	if err := lines.Err(); err != nil || len(values) == 0 {
		t.Fatalf("reading %s: %d values, %v", name, len(values), err)
	}
	return values
}

type truncation struct {
	Text         string `json:"text"`
	TextTokens   int    `json:"text_tokens"`
	MaxTokens    int    `json:"max_tokens"`
	Result       string `json:"result"`
	ResultTokens int    `json:"result_tokens"`
}

func TestW12Truncate(t *testing.T) {
	for _, v := range readLines[truncation](t, "testdata/truncate.jsonl") {
		if got := card.Truncate(v.Text, v.MaxTokens); got != v.Result {
			t.Errorf("Truncate(%q, %d)\n got %q\nwant %q", v.Text, v.MaxTokens, got, v.Result)
		}
		if got := count(v.Text); got != v.TextTokens {
			t.Errorf("%q has %d tokens, want %d", v.Text, got, v.TextTokens)
		}
		if got := count(v.Result); got != v.ResultTokens {
			t.Errorf("%q has %d tokens, want %d", v.Result, got, v.ResultTokens)
		}
	}
}

// TestW12TruncateByTheBook compares with section 2.4 written down plainly, over
// counts of tiktoken-go.
func TestW12TruncateByTheBook(t *testing.T) {
	book := func(text string, most int) string {
		if tokens(text) <= most {
			return text
		}
		chars, best := []rune(text), ""
		for i, r := range chars {
			end := i+1 == len(chars) || unicode.IsSpace(chars[i+1])
			if head := string(chars[:i+1]); strings.ContainsRune(".!?", r) && end && tokens(head) <= most {
				best = head
			}
		}
		if best != "" {
			return best
		}
		for lo, hi := 0, len(chars); lo <= hi; {
			mid := (lo + hi) / 2
			if head := string(chars[:mid]); tokens(head) < most {
				best, lo = head, mid+1
			} else {
				hi = mid - 1
			}
		}
		return strings.TrimRightFunc(best, unicode.IsSpace) + "…"
	}
	parts := []string{"a", "the ", "issue", "internationalization", ". ", ".", "! ", "?\n", "  ", "\n\n", "1234", "-", "----", "中", "é", "🔥", "'s", "\u00a0"}
	r := rand.New(rand.NewPCG(7, 8))
	for range 400 {
		var b strings.Builder
		few, first := 1+r.IntN(len(parts)), r.IntN(len(parts))
		for range 1 + r.IntN(80) {
			b.WriteString(parts[(first+r.IntN(few))%len(parts)])
		}
		text, most := b.String(), 1+r.IntN(30)
		if got, want := card.Truncate(text, most), book(text, most); got != want {
			t.Errorf("Truncate(%q, %d)\n got %q\nwant %q", text, most, got, want)
		}
	}
}

func TestW12SpecialTokensAreText(t *testing.T) {
	const text = "Stops at <|endoftext|> and <|fim_prefix|>. Then goes on."
	if got := card.Truncate(text, 1000); got != text {
		t.Errorf("changed to %q", got)
	}
	if got, want := count("<|endoftext|>"), 7; got != want {
		t.Errorf("<|endoftext|> has %d tokens, want %d", got, want)
	}
}

// TestW12OtherCounter truncates by words of a counter of its own, and finds the
// same with one that has cl100k_base behind it but nothing of its shortcuts.
func TestW12OtherCounter(t *testing.T) {
	if got := card.TruncateBy(words{}, "one two three. four five", 3); got != "one two three." {
		t.Errorf("by words: %q", got)
	}
	if got := card.TruncateBy(words{}, "one two three four", 3); got != "one two…" {
		t.Errorf("by words: %q", got)
	}
	for _, text := range hostile {
		text = text[:min(len(text), 3000)]
		for _, most := range []int{1, 2, 7, 60} {
			if got, want := card.Truncate(text, most), card.TruncateBy(plainly{}, text, most); got != want {
				t.Errorf("Truncate(%.20q, %d)\n got %q\nwant %q", text, most, got, want)
			}
		}
	}
}

// words counts words.
type words struct{}

func (words) Count(text string, _ int) int { return len(strings.Fields(text)) }

// plainly counts in cl100k_base without the type's shortcuts.
type plainly struct{}

func (plainly) Count(text string, most int) int { return card.CL100K().Count(text, most) }

// TestW13Hostile truncates 16 MB of what is expensive for an encoder. Encoding
// as much by repeated search would take days.
func TestW13Hostile(t *testing.T) {
	for _, s := range hostile {
		text := strings.Repeat(s, 16<<20/len(s))
		got := card.Truncate(text, 60)
		if n := count(got); n > 60 || n < 40 && strings.TrimSpace(s) != "" {
			t.Errorf("%.20q: %d tokens", s, n)
		}
		if n := card.CL100K().Count(text, 80); n <= 80 {
			t.Errorf("%.20q: counted %d", s, n)
		}
	}
}

// hostile are texts on which a naive encoder is slow.
var hostile = func() (texts []string) {
	for _, s := range []string{
		"a", "ab", "abc", "-", "=", "=-", "!", "a.", "x. ", ".\n", "\n", " \n", "\t \r\n", "a  ", "1", "é", "e\u0301",
		"中", "。", "🔥", "👨\u200d👩", "ก", "<|endoftext|>", "'s", "'", " '", "\u00a0", "antidisestablishment",
	} {
		texts = append(texts, strings.Repeat(s, 9000))
	}
	r := rand.New(rand.NewPCG(1, 2))
	letters := make([]byte, 9000)
	for i := range letters {
		letters[i] = 'a' + byte(r.IntN(26))
	}
	return append(texts, string(letters))
}()

func FuzzTruncate(f *testing.F) {
	f.Add("One. Two is longer. Three!", 5)
	f.Add(strings.Repeat("a", 300), 9)
	f.Add("  \n\n a\u00a0b…", 1)
	f.Fuzz(func(t *testing.T, text string, most int) {
		most %= 200
		got := card.Truncate(text, most)
		if want := card.TruncateBy(plainly{}, text, most); got != want {
			t.Errorf("Truncate(%q, %d)\n got %q\nwant %q", text, most, got, want)
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("Truncate(%q, %d) breaks a character: %q", text, most, got)
		}
		if got != text && got != "" && !strings.HasPrefix(text, strings.TrimSuffix(got, "…")) {
			t.Errorf("Truncate(%q, %d) is no beginning: %q", text, most, got)
		}
		if n := count(got); n > max(0, most)+1 {
			t.Errorf("Truncate(%q, %d) has %d tokens", text, most, n)
		}
	})
}
