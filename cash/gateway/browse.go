package gateway

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// A BrowseRequest asks for cards by a query or by a path, not both (section 3.1).
type BrowseRequest struct {
	// Query may have words such as tag=read-only, which keep only functions with the tag.
	Query string
	// Path may end in a filter for functions with tags: /orders/*?tag=read-only.
	Path string
	// TopK is the most cards in the response. Zero is [Options.TopK] for a query and [DefaultPage]
	// for a path; at most [MaxTopK].
	TopK int
	// Offset is the number of cards to skip.
	Offset int
}

// Browse returns the cards of the functions that match a query, best first, or of the entries at a
// path. Its errors are *[Error].
func (s *Server) Browse(ctx context.Context, req *BrowseRequest) ([]card.ChoiceCard, error) {
	return s.directly(ctx, s.tools, browseName, req)
}

// BrowseResources is Browse for resources. The server must have some ([Options]).
func (s *Server) BrowseResources(ctx context.Context, req *BrowseRequest) ([]card.ChoiceCard, error) {
	return s.directly(ctx, s.resources, resourceBrowseName, req)
}

// BrowsePrompts is Browse for prompts.
func (s *Server) BrowsePrompts(ctx context.Context, req *BrowseRequest) ([]card.ChoiceCard, error) {
	return s.directly(ctx, s.prompts, promptBrowseName, req)
}

// directly browses without a transport.
func (s *Server) directly(ctx context.Context, c *catalog, tool string, req *BrowseRequest) ([]card.ChoiceCard, error) {
	return serve.Direct(ctx, s.Server, tool, nil, func(ctx context.Context, rec *observe.Record) ([]card.ChoiceCard, error) {
		p, err := s.browse(ctx, c, req, &serve.Request{Record: rec})
		return p.cards, err
	})
}

// page is one response to browse.
type page struct {
	cards []card.ChoiceCard
	more  bool   // there are further cards
	next  int    // the offset of the next card
	about string // why calls of these functions fail now; empty if they may succeed
}

// browse is [Server.Browse] for any catalog. from is the request of the tool, or nil.
func (s *Server) browse(ctx context.Context, c *catalog, req *BrowseRequest, from *serve.Request) (page, error) {
	if c == nil {
		return page{}, argsInvalid("This server has none of these.")
	}
	req, err := s.checked(req)
	if err != nil {
		return page{}, err
	}
	var p page
	if req.Query != "" {
		p = s.search(ctx, c, req)
	} else if p, err = s.children(ctx, c, req); err != nil {
		return page{}, err
	}
	if s.stable != nil {
		p.cards = s.stable.order(from.Owner(ctx), string(c.kind), p.cards)
	}
	return p, nil
}

// checked returns the request with defaults filled in.
func (s *Server) checked(req *BrowseRequest) (*BrowseRequest, error) {
	if req == nil {
		req = &BrowseRequest{}
	}
	r := *req
	switch {
	case (r.Query == "") == (r.Path == ""):
		return nil, argsInvalid(`Give exactly one of query and path: query in words, or path="/" to see what there is.`)
	case r.Query != "" && strings.TrimSpace(r.Query) == "":
		return nil, argsInvalid(`The query is blank. Say what you need, or give path="/" to see what there is.`)
	case r.TopK < 0 || r.TopK > MaxTopK:
		return nil, argsInvalid(fmt.Sprintf("top_k is %d; it must be from 1 to %d.", r.TopK, MaxTopK))
	case r.Offset < 0:
		return nil, argsInvalid("offset must not be negative.")
	}
	if r.TopK == 0 {
		r.TopK = DefaultPage
		if r.Query != "" {
			r.TopK = s.opts.TopK
		}
	}
	return &r, nil
}

// maxFound is the most matches of a query over all pages.
const maxFound = 1000

// search returns the cards of the functions that match the query. It skips functions without a card
// (W14) and those that have disappeared since the search.
func (s *Server) search(ctx context.Context, c *catalog, req *BrowseRequest) page {
	last := min(min(req.Offset, maxFound)+req.TopK, maxFound)
	matches := search(ctx, c.source, req.Query, last+1)
	p := page{more: len(matches) > last && last < maxFound, next: last}
	for i, m := range matches {
		if i < req.Offset || i >= last {
			continue
		}
		f, err := c.source.Function(ctx, m.Namespace, m.Name)
		if err != nil {
			continue
		}
		if one, err := s.cards.of(f); err == nil {
			one.Score = m.Score
			p.cards = append(p.cards, one)
		}
	}
	card.Sort(p.cards)
	return p
}

// children returns the cards of the entries at the path.
func (s *Server) children(ctx context.Context, c *catalog, req *BrowseRequest) (page, error) {
	path, filter, err := cutFilter(req.Path)
	if err != nil {
		return page{}, err
	}
	nodes, err := registry.Browse(ctx, c.source, path)
	if err != nil {
		return page{}, s.pathError(req.Path, err)
	}
	nodes = filter.nodes(ctx, c.source, nodes)
	if req.Offset > 0 && req.Offset >= len(nodes) {
		return page{}, argsInvalid(fmt.Sprintf("offset is %d, and there are %d entries at this path.", req.Offset, len(nodes)))
	}
	nodes = nodes[req.Offset:]
	p := page{more: len(nodes) > req.TopK, next: req.Offset + req.TopK}
	for _, n := range nodes[:min(len(nodes), req.TopK)] {
		if n.Unavailable != nil && p.about == "" {
			p.about = s.worded(n.Unavailable, c.word).Message
		}
		if one, err := s.cards.ofNode(n); err == nil {
			p.cards = append(p.cards, one)
		}
	}
	card.Sort(p.cards)
	return p, nil
}

// pathError returns err with the requested path.
func (s *Server) pathError(path string, err error) *Error {
	e := *s.asError(err)
	if errors.Is(err, registry.UnknownNamespace) {
		e.Code = PathNotFound
	}
	e.Path = clean.Line(path, maxShownPath)
	return &e
}

// maxShownPath is the most characters of a path in an error.
const maxShownPath = 200

// note returns the remark on a page: how to get further cards, why there are none, or why they cannot be
// run now. It may be empty.
func (p page) note(req *BrowseRequest) string {
	switch {
	case p.more && p.about != "":
		return fmt.Sprintf("There is more: offset=%d. %s", p.next, p.about)
	case p.more:
		return fmt.Sprintf("There is more: offset=%d.", p.next)
	case p.about != "":
		return p.about
	case len(p.cards) > 0:
		return ""
	case req.Offset > 0:
		return "There is nothing more. Leave out offset to see the first ones."
	case req.Query != "":
		return `Nothing fits. Use other words, or path="/" to see what there is.`
	}
	return "There is nothing here."
}

// text returns the page as text for a model.
func (p page) text(counter card.Counter, note string) (string, error) {
	if len(p.cards) == 0 {
		return note, nil
	}
	return card.RenderBy(counter, note, p.cards)
}

// lines returns the page in JSON, one card per line. The bytes of a card do not depend on later
// cards.
func (p page) lines() (string, error) {
	var b strings.Builder
	b.WriteByte('[')
	for i := range p.cards {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		one, err := card.Marshal(p.cards[i : i+1])
		if err != nil {
			return "", err
		}
		b.Write(one[1 : len(one)-1])
	}
	b.WriteString("\n]")
	return b.String(), nil
}
