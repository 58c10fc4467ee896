package registry

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// An Embedder turns texts into vectors. Texts of similar meaning have vectors near each other. It
// is a model, in process or behind a network. A registry with one ([Options]) adds its matches to
// those by words.
//
// Duties: it is safe for concurrent use and heeds its context. A search gives it two seconds. After
// a failure, searches go by words alone for ten seconds. The registry does not report the failure;
// the Embedder should log it.
type Embedder interface {
	// Embed returns one vector for each text, all of the same length.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

const (
	embedBatch   = 64               // texts at a time
	embedTimeout = 2 * time.Second  // for a query
	embedPause   = 10 * time.Second // after a failure
	embedText    = 4 << 10          // bytes of a text that are embedded
)

// Embed asks the registry's [Embedder] for the vectors of all functions that have none. Call it
// before serving, and again after adding functions: a function without a vector is found by its
// words only. It may be called at any time. Vectors made before an error stay. Without an Embedder
// it does nothing.
func (r *Registry) Embed(ctx context.Context) error {
	if r.embedder == nil {
		return nil
	}
	_, f := r.searchable()
	functions := slices.Clone(f.catalog.functions)
	functions = slices.DeleteFunc(functions, func(f *Function) bool { return f.searched.vector.Load() != nil })
	for batch := range slices.Chunk(functions, embedBatch) {
		texts := make([]string, len(batch))
		for i, f := range batch {
			texts[i] = cutText(f.Path() + "\n" + f.description)
		}
		vectors, err := r.embed(ctx, texts)
		if err != nil {
			return fmt.Errorf("embedding functions: %w", err)
		}
		for i, f := range batch {
			f.searched.vector.Store(&vectors[i])
		}
	}
	return nil
}

// embed returns unit vectors for texts. Any other answer of the Embedder is an error.
func (r *Registry) embed(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the embedder panicked: %T", v)
		}
	}()
	if vectors, err = r.embedder.Embed(ctx, texts); err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("the embedder returned %d vectors for %d texts", len(vectors), len(texts))
	}
	units := make([][]float32, len(vectors))
	for i, v := range vectors {
		var sum float64
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		length := math.Sqrt(sum)
		if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) || len(v) != len(vectors[0]) {
			return nil, errors.New("the embedder returned a vector without a direction, or of another length")
		}
		units[i] = make([]float32, len(v))
		for j, x := range v {
			units[i][j] = float32(float64(x) / length)
		}
	}
	return units, nil
}

// near returns the similarity in meaning of each function to the query. Nil if it is not known: the
// search then goes by words alone.
func (r *Registry) near(ctx context.Context, query string, functions []*Function) []float32 {
	query = cutText(query)
	known := func(f *Function) bool { return f.searched.vector.Load() != nil }
	if r.embedder == nil || query == "" || !slices.ContainsFunc(functions, known) {
		return nil
	}
	if failed := r.embedFailed.Load(); failed != nil && time.Since(*failed) < embedPause {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, embedTimeout)
	defer cancel()
	vectors, err := r.embed(within, []string{query})
	if err != nil {
		if now := time.Now(); ctx.Err() == nil { // a caller who gave up is no failure
			r.embedFailed.Store(&now)
		}
		return nil
	}
	near := make([]float32, len(functions))
	for i, f := range functions {
		if v := f.searched.vector.Load(); v != nil && len(*v) == len(vectors[0]) {
			for j, x := range *v {
				near[i] += x * vectors[0][j]
			}
		}
	}
	return near
}

func cutText(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), embedText)], "")
}
