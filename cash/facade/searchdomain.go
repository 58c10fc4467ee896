package facade

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/cash-mcp/go-sdk/registry"
)

// A SearchFunc returns hits for a query, best first, for the caller in ctx: at most limit of them, or more; hits beyond
// the limit are counted but not shown. If it panics or hangs, the command fails.
type SearchFunc func(ctx context.Context, query string, limit int) ([]Hit, error)

// A Hit is one result of a search. Empty members are omitted.
type Hit struct {
	ID    string  `json:"id,omitempty" cash:"detail=minimal"`
	Title string  `json:"title,omitempty" cash:"detail=minimal"`
	URL   string  `json:"url,omitempty" cash:"detail=standard"`
	Text  string  `json:"text,omitempty" cash:"detail=standard,excerpt=300"` // only an excerpt below [registry.Full]
	Score float64 `json:"score,omitempty" cash:"detail=full"`
}

// searchQuery is the input of every command of SearchExecute.
type searchQuery struct {
	Query string `json:"query" jsonschema:"What to find, in words." cash:"minLength=1"`
	Limit int    `json:"limit,omitempty" jsonschema:"Most results." cash:"min=1,max=100,default=10"`
}

// searchTools is the command that searches functions.
const searchTools = "tools"

// searchCommands returns the commands of SearchExecute (F12).
func (s *Server) searchCommands() []*registry.Function {
	list := []*registry.Function{registry.Func(searchTools, "Find tools of this server.", func(ctx context.Context, in searchQuery) (found[toolEntry], error) {
		return s.listTools(ctx, toolQuery{Query: in.Query, Limit: in.Limit})
	}, registry.ReadOnly)}
	for _, name := range slices.Sorted(maps.Keys(s.opts.Search)) {
		list = append(list, registry.Func(name, "Search "+name+".", s.opts.Search[name].search, registry.ReadOnly))
	}
	return list
}

func (f SearchFunc) search(ctx context.Context, in searchQuery) (found[Hit], error) {
	hits, err := f(ctx, in.Query, in.Limit)
	if err != nil {
		return found[Hit]{}, err
	}
	list := found[Hit]{items: append([]Hit{}, hits[:min(len(hits), in.Limit)]...), total: len(hits)}
	for i, h := range list.items {
		if math.IsNaN(h.Score) || math.IsInf(h.Score, 0) { // these have no JSON form
			list.items[i].Score = 0
		}
	}
	return list, nil
}
