package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/toolid"
)

// BenchmarkLoad measures a first load, and another one with one changed tool;
// each with all that readers wait for afterwards: the snapshot, the ids and the
// index of the search.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		doc := tools(n)
		changed := strings.Replace(doc, tool(n/2, "Reads record"), tool(n/2, "Finds record"), 1)
		if doc == changed {
			b.Fatal("nothing has changed")
		}
		b.Run(fmt.Sprintf("tools=%d/first", n), func(b *testing.B) {
			for b.Loop() {
				use(b, catalog.New(nil), doc)
			}
		})
		b.Run(fmt.Sprintf("tools=%d/again", n), func(b *testing.B) {
			c := catalog.New(nil)
			use(b, c, doc)
			docs := []string{changed, doc}
			for i := 0; b.Loop(); i++ {
				use(b, c, docs[i%2])
			}
		})
	}
}

func use(b *testing.B, c *catalog.Catalog, doc string) {
	if _, err := c.Load([]byte(doc)); err != nil {
		b.Fatal(err)
	}
	if len(c.Tools().Search(b.Context(), "read record 7", 5)) == 0 {
		b.Fatal("nothing is found")
	}
	_, _ = c.Tools().FunctionByID(b.Context(), toolid.Primitive{})
}
