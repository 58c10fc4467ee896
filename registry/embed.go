package registry

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cash-mcp/go-sdk/internal/apart"
)

// An Embedder turns texts into vectors. Texts of similar meaning have vectors near each other. It
// is a model, in process or behind a network. A registry with one ([Options]) adds its matches to
// those by words.
//
// Duties: it is safe for concurrent use and heeds its context. A search gives it two seconds for the
// query, and goes by words if that is too short. After a failure, searches go by words alone for ten
// seconds. Functions that were added since [Registry.Embed] get their vectors in the background; see
// there. The registry does not report failures: the Embedder should log them. [Lint] reports how many
// functions have no vector.
type Embedder interface {
	// Embed returns one vector for each text, all of the same length.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

const (
	embedBatch   = 64               // texts at a time
	embedTimeout = 2 * time.Second  // for a query
	batchTimeout = 30 * time.Second // for a batch in the background
	embedPause   = 10 * time.Second // after a failure
	longestPause = 10 * time.Minute // after many failures in the background
	maxLeft      = 4                // calls of the embedder that were left behind and have not ended
	embedText    = 4 << 10          // bytes of a text that are embedded
)

// Embed asks the registry's [Embedder] for the vectors of all functions that have none. Call it
// before serving, so that the first searches have them. It may be called at any time. Vectors made
// before an error stay. Without an Embedder it does nothing.
//
// A function without a vector is found by its words. The first search that meets one asks for the
// vectors in the background, in one goroutine that ends when all are made, or at the first failure.
// Searches after a pause try again. The pause doubles with each failure, from ten seconds to ten
// minutes.
func (r *Registry) Embed(ctx context.Context) error {
	if r.embedder == nil {
		return nil
	}
	_, f := r.searchable()
	return embedAll(unembedded(f.catalog.functions), embedBatch, func(texts []string) ([][]float32, error) { return r.embed(ctx, texts) })
}

// embedAll gives vectors to functions, in batches of a size.
func embedAll(functions []*Function, size int, embed func([]string) ([][]float32, error)) error {
	for batch := range slices.Chunk(functions, size) {
		texts := make([]string, len(batch))
		for i, f := range batch {
			texts[i] = cutText(f.Path() + "\n" + f.description)
		}
		vectors, err := embed(texts)
		if err != nil {
			return fmt.Errorf("embedding functions: %w", err)
		}
		for i, f := range batch {
			f.searched.vector.Store(&vectors[i])
		}
	}
	return nil
}

// unembedded returns those of functions that have no vector.
func unembedded(functions []*Function) []*Function {
	return slices.DeleteFunc(slices.Clone(functions), func(f *Function) bool { return f.searched.vector.Load() != nil })
}

// embedding is the state of a registry's work with its [Embedder].
type embedding struct {
	failed atomic.Pointer[time.Time] // the last failure for a query
	left   atomic.Int32              // see maxLeft

	// The work in the background.
	mu      sync.Mutex
	running bool
	next    time.Time     // not before
	pause   time.Duration // before the next attempt, if this one fails; 0 is embedPause
}

// embedSoon starts the work in the background for those of functions that have no vector, unless it
// is running or waits after a failure.
func (r *Registry) embedSoon(functions []*Function) {
	e := &r.embedding
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.running || time.Now().Before(e.next) {
		return
	}
	e.running = true
	again := e.pause > 0
	go func() { // ends with the last batch
		list, size := unembedded(functions), embedBatch
		if n := len(list); again && n > 0 { // a text that always fails must not keep the others from their turn
			first := rand.IntN(n)
			list, size = slices.Concat(list[first:], list[:first]), embedBatch>>rand.IntN(7)
		}
		err := embedAll(list, size, func(texts []string) ([][]float32, error) {
			ctx, cancel := context.WithTimeout(context.Background(), batchTimeout)
			defer cancel()
			return r.embedApart(ctx, texts)
		})
		e.mu.Lock()
		defer e.mu.Unlock()
		e.running = false
		if err == nil {
			e.pause = 0
			return
		}
		e.pause = min(max(e.pause, embedPause), longestPause)
		e.next = time.Now().Add(e.pause)
		e.pause *= 2
	}()
}

var errLeft = errors.New("the embedder does not heed its context")

// embedApart is embed for an embedder that may not return in time.
func (r *Registry) embedApart(ctx context.Context, texts []string) ([][]float32, error) {
	left := &r.embedding.left
	if left.Load() >= maxLeft {
		return nil, errLeft
	}
	vectors, err := apart.Do(ctx, embedGrace, func() ([][]float32, error) { return r.embed(ctx, texts) }, func() { left.Add(-1) })
	if errors.Is(err, apart.ErrLeft) {
		left.Add(1)
	}
	return vectors, err
}

// embedGrace is the time for an embedder to notice the end of its context.
const embedGrace = 100 * time.Millisecond

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
	if r.embedder == nil || query == "" {
		return nil
	}
	vector := func(f *Function) bool { return f.searched.vector.Load() != nil }
	if slices.ContainsFunc(functions, func(f *Function) bool { return !vector(f) }) {
		r.embedSoon(functions)
	}
	if failed := r.embedding.failed.Load(); failed != nil && time.Since(*failed) < embedPause || !slices.ContainsFunc(functions, vector) {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, embedTimeout)
	defer cancel()
	vectors, err := r.embedApart(within, []string{query})
	if err != nil {
		if now := time.Now(); ctx.Err() == nil { // a caller who gave up is no failure
			r.embedding.failed.Store(&now)
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
