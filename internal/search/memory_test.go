package search_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// large is for tests of sizes in which nothing runs side by side. With the race detector they take minutes.
func large(t *testing.T) {
	if testing.Short() {
		t.Skip("in full without -short")
	}
}

// TestMemoryOfManyCallers holds the size that the package comment says of what is cached for recent sets, if texts have
// many rare words and each caller searches for all of them.
func TestMemoryOfManyCallers(t *testing.T) {
	large(t)
	texts := make([]*search.Text, 400)
	var words []string
	for i := range texts {
		for j := range 15 {
			words = append(words, fmt.Sprintf("w%dx", 15*i+j))
		}
		texts[i] = search.Read(doc(fmt.Sprintf("a.f%d", i), strings.Join(words[15*i:], " ")))
	}
	ix := search.Build(texts, nil)
	before := heap()
	for i := range 100 {
		visible := search.NewSet(len(texts))
		visible.AddRange(0, i)
		visible.AddRange(i+1, len(texts))
		for some := range slices.Chunk(words, search.MaxQueryTerms) {
			ix.Search(search.Query{Text: strings.Join(some, " "), Limit: 1, Visible: visible})
		}
	}
	if most := 40 << 20; heap()-before > most {
		t.Errorf("%d MB are cached, more than %d", (heap()-before)>>20, most>>20)
	}
	runtime.KeepAlive(ix)
}

// TestMemoryOfAllTexts holds the same for callers that see all texts.
func TestMemoryOfAllTexts(t *testing.T) {
	large(t)
	texts := make([]*search.Text, 800)
	for i := range texts {
		words := make([]string, 400)
		for j := range words {
			words[j] = fmt.Sprintf("w%dx", 400*i+j)
		}
		texts[i] = search.Read(doc(fmt.Sprintf("a.f%d", i), strings.Join(words, " ")))
	}
	ix := search.Build(texts, nil)
	before := heap()
	for i := range 300_000 / search.MaxQueryTerms {
		words := make([]string, search.MaxQueryTerms)
		for j := range words {
			words[j] = fmt.Sprintf("w%dx", search.MaxQueryTerms*i+j)
		}
		ix.Search(search.Query{Text: strings.Join(words, " "), Limit: 1})
	}
	if most := 40 << 20; heap()-before > most {
		t.Errorf("%d MB are cached, more than %d", (heap()-before)>>20, most>>20)
	}
	runtime.KeepAlive(ix)
}

// heap returns the bytes in use.
func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
