package card_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/toolid/card"
)

// catalog returns the facts of n tools, most of them with a description that
// has to be truncated.
func catalog(n int) []card.Facts {
	list := make([]card.Facts, n)
	for i := range list {
		list[i] = card.Facts{
			ID:   fmt.Sprintf("github:create_issue_%d#%08x", i, i*2654435761%(1<<32)),
			Name: fmt.Sprintf("create_issue_%d", i),
			Description: fmt.Sprintf("Creates issue number %d in the given repository. Requires the scope `repo`. Use list_issues first to check "+
				"for duplicates. Returns the number of the issue and its URL, or an error that says which field of the request was wrong. "+
				"Labels that do not exist are created.", i),
			Tags: []string{"issues", "write"}, HasSchema: true, SideEffects: true,
		}
	}
	return list
}

func BenchmarkCard(b *testing.B) {
	list := catalog(1000)
	count("")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := card.New(list[i%len(list)]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRefresh measures cold, all cards of a catalog and the reading of the
// vocabulary, and changed, a refresh in which one in a hundred is different.
func BenchmarkRefresh(b *testing.B) {
	const tools = 10_000
	list := catalog(tools)
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			card.ReadVocabulary()
			var made card.Builder
			if cards, _ := made.Refresh(list); len(cards) != tools {
				b.Fatal(len(cards))
			}
		}
	})
	b.Run("changed", func(b *testing.B) {
		var made card.Builder
		made.Refresh(list)
		for i := 0; b.Loop(); i++ {
			for j := i % 100; j < tools; j += 100 {
				list[j].Description = fmt.Sprintf("Closes issue number %d. "+list[j].Description[:100], i)
			}
			if cards, _ := made.Refresh(list); len(cards) != tools {
				b.Fatal(len(cards))
			}
		}
	})
}

// BenchmarkTruncateHostile truncates 100 MB of one thing.
func BenchmarkTruncateHostile(b *testing.B) {
	for name, s := range map[string]string{"a": "a", "blank": " ", "dash": "-", "emoji": "🔥", "CJK": "中", "sentence": "x. "} {
		text := strings.Repeat(s, 100<<20/len(s))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				card.Truncate(text, 60)
			}
		})
	}
}

// BenchmarkCardHostile builds cards of descriptions of 100 kB that differ.
func BenchmarkCardHostile(b *testing.B) {
	for name, s := range map[string]string{"a": "a", "dash": "-", "emoji": "🔥", "escape": "\x1b]"} {
		text := strings.Repeat(s, 100_000/len(s))
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, err := card.New(card.Facts{ID: "a:b@1", Description: fmt.Sprint(i, " ", text)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
