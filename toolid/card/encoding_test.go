package card_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/toolid/card"
	"github.com/pkoukk/tiktoken-go"
	tiktoken_loader "github.com/pkoukk/tiktoken-go-loader"
)

// encodings are the names of those that the library counts in.
var encodings = []string{"o200k_base", "p50k_base", "r50k_base"}

// libraries builds the library's own encoders. Its vocabularies come from the
// loader; everything else, the patterns too, is what GetEncoding makes.
var libraries = sync.OnceValue(func() map[string]*tiktoken.Tiktoken {
	tiktoken.SetBpeLoader(tiktoken_loader.NewOfflineLoader())
	made := make(map[string]*tiktoken.Tiktoken)
	for _, name := range encodings {
		var err error
		if made[name], err = tiktoken.GetEncoding(name); err != nil {
			panic(err)
		}
	}
	return made
})

func encodingOf(t testing.TB, name string) card.Counter {
	t.Helper()
	c, err := card.Encoding(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEncoding compares counts with the library's, over texts whose runs are
// short enough to be counted exactly.
func TestEncoding(t *testing.T) {
	large(t)
	var texts []string
	for _, s := range hostile {
		texts = append(texts, s[:min(len(s), 400)])
	}
	texts = append(texts, descriptions(t)...)
	texts = append(texts, mixed(400)...)
	for _, name := range encodings {
		c := encodingOf(t, name)
		for _, text := range texts {
			want := len(libraries()[name].EncodeOrdinary(text))
			if got := c.Count(text, math.MaxInt); got != want {
				t.Errorf("%s: %q has %d tokens, want %d", name, text, got, want)
			}
			for _, most := range []int{-1, want - 1, want / 2, want} {
				if n := c.Count(text, most); n <= most && n != want || n > most && most >= want {
					t.Errorf("%s: Count(%q, %d) = %d of %d", name, text, most, n, want)
				}
			}
		}
	}
}

// descriptions are those of the catalog that searching is measured with, together
// and one by one.
func descriptions(t *testing.T) []string {
	f, err := os.Open("../../internal/bench/recall/testdata/town/tools.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var texts []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var tool struct{ Description string }
		if err := json.Unmarshal(lines.Bytes(), &tool); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, tool.Description, lines.Text())
	}
	if len(texts) < 60 {
		t.Fatalf("%d texts", len(texts))
	}
	return append(texts, strings.Join(texts, "\n"))
}

// mixed are n texts of what the patterns tell apart. None has a run of more than
// some 100 bytes.
func mixed(n int) []string {
	syllables := []string{
		"a", "the", "ing", "Word", "HTTP", "DZ", "ǅ", "ʰ", "'s", "'LL", "'", "’", "s", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\u0085",
		".", "!", "-", "--", "=", "_", "/", "//", "1", "23", "½", "Ⅷ", "é", "ß", "ſ", "中", "文", "ไ", "ํ", "🔥", "\u200d", "\u0301", "<|endoftext|>",
	}
	r := rand.New(rand.NewPCG(7, 8))
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		for range r.IntN(400) {
			if b.WriteString(syllables[r.IntN(len(syllables))]); r.IntN(9) == 0 {
				b.WriteString(" x")
			}
		}
		texts[i] = b.String()
	}
	return texts
}

// TestEncodingBreaks holds that a text may be divided where all encodings break:
// the parts have as many tokens as the whole.
func TestEncodingBreaks(t *testing.T) {
	large(t)
	found := 0
	for _, text := range mixed(60) {
		for i := 1; i < len(text); i++ {
			if !utf8.RuneStart(text[i]) || !card.Breaks(text, i) {
				continue
			}
			found++
			from, to := max(0, i-60), min(len(text), i+60)
			for !utf8.RuneStart(text[from]) {
				from++
			}
			for to < len(text) && !utf8.RuneStart(text[to]) {
				to++
			}
			for name, e := range libraries() {
				before, after, whole := len(e.EncodeOrdinary(text[from:i])), len(e.EncodeOrdinary(text[i:to])), len(e.EncodeOrdinary(text[from:to]))
				if before+after != whole {
					t.Fatalf("%s: %q and %q have %d and %d tokens, together %d", name, text[from:i], text[i:to], before, after, whole)
				}
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d places", found)
	}
}

// TestEncodingIsLinear holds that no part is longer than 512 bytes, so that what
// the library does with each is bounded, and that the parts are the text.
func TestEncodingIsLinear(t *testing.T) {
	large(t)
	for _, s := range []string{"a", " ", "-", "7", "中", "🔥", "\xff", "\x80", "a\n", "\u0301", "ab "} {
		text := strings.Repeat(s, 1<<20/len(s))
		parts, i := 0, 0
		for i < len(text) {
			end := card.PartEnd(text, i)
			if end <= i || end-i > 512 {
				t.Fatalf("%q: a part from %d to %d", s, i, end)
			}
			if utf8.ValidString(s) && end < len(text) && !utf8.RuneStart(text[end]) {
				t.Fatalf("%q: a character is cut at %d", s, end)
			}
			i, parts = end, parts+1
		}
		if i != len(text) || parts > len(text)/500 {
			t.Errorf("%q: %d parts, %d of %d bytes", s, parts, i, len(text))
		}
		for _, name := range encodings {
			if n := encodingOf(t, name).Count(text, 100); n <= 100 {
				t.Errorf("%s: 1 MB of %q in %d tokens", name, s, n)
			}
		}
	}
}

// TestEncodingLongRuns bounds by how much the count of a run of more than 512
// bytes is off.
func TestEncodingLongRuns(t *testing.T) {
	for _, name := range encodings {
		for _, s := range []string{"a", " ", "-", "7", "中", "🔥", "é"} {
			text := strings.Repeat(s, 4000/len(s))
			got, want := encodingOf(t, name).Count(text, math.MaxInt), len(libraries()[name].EncodeOrdinary(text))
			if parts := len(text)/512 + 1; got < want-2*parts || got > want+2*parts {
				t.Errorf("%s: 4,000 bytes of %q have %d tokens, want %d", name, s, got, want)
			}
		}
	}
}

// TestEncodingTruncate holds that a text is cut where counting each beginning
// anew would cut it.
func TestEncodingTruncate(t *testing.T) {
	large(t)
	texts := append(mixed(60), descriptions(t)[:40]...)
	for _, s := range []string{"a", " ", "x. ", "中"} {
		texts = append(texts, strings.Repeat(s, 3000))
	}
	for _, name := range encodings {
		c := encodingOf(t, name)
		for i, text := range texts {
			for _, most := range []int{0, 1, 7 + i%20, 300} {
				got, want := card.TruncateBy(c, text, most), card.TruncateBy(plain{c}, text, most)
				if got != want {
					t.Errorf("%s: %q to %d tokens is %q, want %q", name, text, most, got, want)
				}
				if n := c.Count(got, most); n > most {
					t.Errorf("%s: %q has %d tokens, want at most %d", name, got, n, most)
				}
			}
		}
	}
}

// plain hides all of a counter but Count.
type plain struct{ card.Counter }

func TestEncodingNames(t *testing.T) {
	if c := encodingOf(t, "cl100k_base"); c != card.CL100K() {
		t.Errorf("cl100k_base is %T", c)
	}
	if encodingOf(t, "p50k_edit") != encodingOf(t, "p50k_base") {
		t.Error("one vocabulary would be read twice")
	}
	if _, err := card.Encoding("gpt-4o"); err == nil || !strings.Contains(err.Error(), "o200k_base") {
		t.Errorf("%v", err)
	}
}

// TestEncodingIsConcurrent counts from several goroutines at once.
func TestEncodingIsConcurrent(t *testing.T) {
	c := encodingOf(t, "r50k_base")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if n := c.Count("Hello, world.", 10); n != 4 {
				t.Errorf("%d tokens", n)
			}
		})
	}
	wg.Wait()
}

// TestEncodingInvalid holds that what is not UTF-8 counts as what replaces it.
func TestEncodingInvalid(t *testing.T) {
	c := encodingOf(t, "o200k_base")
	if got, want := c.Count("a\xff\xfe", 99), c.Count("a\ufffd\ufffd", 99); got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
}

func ExampleEncoding() {
	o200k, err := card.Encoding("o200k_base")
	if err != nil {
		fmt.Println(err)
		return
	}
	text := "Créer une réclamation auprès de l'administration."
	fmt.Println(o200k.Count(text, math.MaxInt), card.CL100K().Count(text, math.MaxInt))
	fmt.Println(card.TruncateBy(o200k, text, 5))
	// Output:
	// 9 14
	// Créer une réclamat…
}

// BenchmarkEncoding shows that the time is linear: the bytes per second are the
// same for all lengths.
func BenchmarkEncoding(b *testing.B) {
	for _, name := range []string{"cl100k_base", "o200k_base", "r50k_base"} {
		c := encodingOf(b, name)
		for _, s := range []string{"a", "中", "-", " ", "word "} {
			for _, size := range []int{10_000, 100_000, 1_000_000} {
				text := strings.Repeat(s, size/len(s))
				b.Run(fmt.Sprintf("%s/%q/%d", name, s, size), func(b *testing.B) {
					b.SetBytes(int64(len(text)))
					for b.Loop() {
						c.Count(text, math.MaxInt)
					}
				})
			}
		}
	}
}
