package card_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/toolid/card"
	"github.com/pkoukk/tiktoken-go"
	tiktoken_loader "github.com/pkoukk/tiktoken-go-loader"
)

// count counts without a bound.
func count(text string) int { return card.CL100K().Count(text, math.MaxInt) }

// reference encodes with tiktoken-go itself.
var reference = sync.OnceValue(func() *tiktoken.Tiktoken {
	const pattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	ranks, err := tiktoken_loader.NewOfflineLoader().LoadTiktokenBpe("cl100k_base.tiktoken")
	if err != nil {
		panic(err)
	}
	bpe, err := tiktoken.NewCoreBPE(ranks, nil, pattern)
	if err != nil {
		panic(err)
	}
	return tiktoken.NewTiktoken(bpe, &tiktoken.Encoding{Name: "cl100k_base", PatStr: pattern, MergeableRanks: ranks}, nil)
})

// compare compares a count with tiktoken-go's, which replaces invalid UTF-8
// before it counts: such texts are left out.
func compare(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		return
	}
	got, want := count(text), len(reference().EncodeOrdinary(text))
	if got != want {
		t.Errorf("%q has %d tokens, want %d", text, got, want)
	}
	for _, most := range []int{want - 1, want, want / 2} {
		if n := card.CL100K().Count(text, most); n <= most && n != want || n > most && most >= want {
			t.Errorf("Count(%q, %d) = %d of %d", text, most, n, want)
		}
	}
}

// large is for tests of sizes in which nothing runs side by side. With the race detector they take minutes.
func large(t *testing.T) {
	if testing.Short() {
		t.Skip("in full without -short")
	}
}

func TestW12Count(t *testing.T) {
	large(t)
	for _, text := range hostile {
		compare(t, text[:min(len(text), 1200)])
	}
	syllables := []string{
		"a", "b", "ab", "the", "ing", "Word", "HTTP", "'s", "'LL", "'", " ", "  ", "\n", "\r", "\t", "\u00a0", "\u3000", "\u0085",
		".", "!", "-", "--", "=", "_", "/", "1", "23", "½", "é", "ß", "ſ", "中", "文", "ไ", "🔥", "\u200d", "\u0301", "<|endoftext|>",
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 4000 {
		var b strings.Builder
		few, first := 1+r.IntN(len(syllables)), r.IntN(len(syllables))
		for range r.IntN(300) {
			b.WriteString(syllables[(first+r.IntN(few))%len(syllables)])
		}
		compare(t, b.String())
	}
}

func TestW12CountInvalid(t *testing.T) {
	for text, want := range map[string]int{"": 0, "\xff": 1, "a\xff\xfe": 3} {
		if got := count(text); got != want {
			t.Errorf("%q has %d tokens, want %d", text, got, want)
		}
	}
}

// TestW13ShortTexts holds that the vocabulary is not read for texts that have
// fewer bytes than a budget has tokens, and that other counters are asked.
func TestW13ShortTexts(t *testing.T) {
	for name, test := range map[string]struct {
		do   func()
		used bool
	}{
		"truncate":         {func() { card.Truncate("hi", 60) }, false},
		"as long as fits":  {func() { card.Truncate("hi", 2) }, false},
		"nothing":          {func() { card.Truncate("", 1) }, false},
		"no budget":        {func() { card.Truncate("long", 0) }, false},
		"too long":         {func() { card.Truncate("hello", 4) }, true},
		"card":             {func() { build(t, card.Facts{Description: "Reads.", Tags: []string{"x"}}) }, false},
		"longer card":      {func() { build(t, card.Facts{Description: "A description that takes more bytes."}) }, true},
		"response":         {func() { render(t, "Pick one.", build(t, card.Facts{})) }, false},
		"long preamble":    {func() { render(t, "Pass the id of one of these to tool_execute.") }, true},
		"refresh":          {func() { new(card.Builder).Refresh([]card.Facts{{ID: "a:b@1"}, {ID: "a:c@1"}}) }, false},
		"refresh, refused": {func() { new(card.Builder).Refresh([]card.Facts{{ID: "a b"}}) }, false},
	} {
		if used := card.UsesVocabulary(test.do); used != test.used {
			t.Errorf("%s: vocabulary used: %v", name, used)
		}
	}
	asked := 0
	if got := card.TruncateBy(meter{&asked}, "hi", 60); got != "hi" || asked == 0 {
		t.Errorf("%q; another counter was asked %d times", got, asked)
	}
}

// render is Render of what has a response.
func render(t *testing.T, preamble string, cards ...card.ChoiceCard) string {
	t.Helper()
	text, err := card.Render(preamble, cards)
	if err != nil {
		t.Error(err)
	}
	return text
}

func TestW13CountIsConcurrent(t *testing.T) {
	want := count(hostile[0])
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := count(hostile[0]); got != want {
				t.Errorf("%d tokens, want %d", got, want)
			}
		})
	}
	wg.Wait()
}

func FuzzCount(f *testing.F) {
	for _, s := range []string{"Hello world.", "it's IT'S 's", " \n \n x", "12345", "-----\n\n", "中文。", "e\u0301", "'ll'l"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { compare(t, text[:min(len(text), 2000)]) })
}
