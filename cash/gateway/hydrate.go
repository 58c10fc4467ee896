package gateway

import (
	"context"
	"encoding/json"

	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// A Hydration is the whole definition of a function.
type Hydration struct {
	ID          string          `json:"tool_id"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	// Partial says what the schema does not hold of the rules of the function's server; empty if it
	// holds all.
	Partial string `json:"partial,omitempty"`
	Returns string `json:"returns,omitempty"`
	// Safety is read_only or destructive, as declared; empty if neither is.
	Safety string `json:"safety,omitempty"`
}

// Hydrate returns the definition of the function with the id. Its errors are *[Error].
func (s *Server) Hydrate(ctx context.Context, id string) (*Hydration, error) {
	return serve.Direct(ctx, s.Server, hydrateName, nil, func(ctx context.Context, rec *observe.Record) (*Hydration, error) {
		h, err := s.hydrate(ctx, id, &serve.Request{Record: rec})
		if err != nil {
			return nil, s.asError(err)
		}
		return h, nil
	})
}

func (s *Server) hydrate(ctx context.Context, id string, from *serve.Request) (*Hydration, error) {
	f, err := s.resolve(ctx, s.tools, id)
	if err == nil {
		f, err = f.Complete(ctx)
	}
	if err != nil {
		return nil, err
	}
	if problem := f.Problem(); problem != nil && !f.SchemaShown() {
		return nil, schemaError(f, problem)
	}
	if one, err := s.cards.of(f); s.stable != nil && err == nil {
		s.stable.note(from.Owner(ctx), string(s.tools.kind), one)
	}
	return &Hydration{
		ID: f.ID().String(), Description: f.About(), InputSchema: clean.JSON(f.InputSchema()),
		Partial: f.Partial(), Returns: clean.Text(f.Returns()), Safety: safety(f),
	}, nil
}
