package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// bodies are those of HTTP requests, while they arrive and while they are worked
// on. They are bounded in time, in size, and all together.
type bodies struct {
	mu       sync.Mutex
	arriving map[*body]struct{}
	stopping bool

	once sync.Once
	room *semaphore.Weighted // bytes of the bodies that are not small
}

// Bounds of bodies.
const (
	smallBody  = 64 << 10        // bytes: needs no room
	maxDrained = 1 << 20         // bytes that are read of a body that is refused,
	drainTime  = time.Second / 5 // and for how long
	roomWait   = 5 * time.Second // for room
	stopBodies = time.Second     // what is left for bodies while the server stops: answers that calls wait for
)

// A body is one that arrives. Reading it to its end ends its deadline.
type body struct {
	io.ReadCloser
	of *bodies
	rc *http.ResponseController
}

// limit gives the body of each request a deadline. net/http would read what a
// handler has left of one, so this is outermost: refusals are not to wait either.
func (b *bodies) limit(timeout time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		one := &body{r.Body, b, http.NewResponseController(w)}
		b.begin(one, min(timeout, readTimeout(r)))
		defer one.leave()
		with := r.WithContext(r.Context())
		with.Body = one
		next.ServeHTTP(w, with)
	})
}

// readTimeout is that of the embedder's HTTP server, which the deadline replaces.
func readTimeout(r *http.Request) time.Duration {
	if srv, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && srv.ReadTimeout > 0 {
		return srv.ReadTimeout
	}
	return math.MaxInt64
}

func (b *bodies) begin(one *body, timeout time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopping {
		timeout = min(timeout, stopBodies)
	}
	if b.arriving == nil {
		b.arriving = make(map[*body]struct{})
	}
	b.arriving[one] = struct{}{}
	_ = one.rc.SetReadDeadline(time.Now().Add(timeout)) // what wraps the writer may not have it
}

// Read implements io.Reader.
func (one *body) Read(p []byte) (int, error) {
	n, err := one.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		one.end(time.Time{})
	}
	return n, err
}

// drain reads some of a body that is refused: a client that is still writing when its
// connection is closed may lose the answer.
func (b *bodies) drain(r *http.Request) {
	if one, ok := r.Body.(*body); ok && one.rc.SetReadDeadline(time.Now().Add(drainTime)) == nil {
		_, _ = io.CopyN(io.Discard, one, maxDrained)
	}
}

// leave gives up on a body of which the handler has read enough.
func (one *body) leave() { one.end(time.Unix(1, 0)) }

// end sets the last deadline of a body that has not ended yet.
func (one *body) end(deadline time.Time) {
	one.of.mu.Lock()
	defer one.of.mu.Unlock()
	if _, ok := one.of.arriving[one]; ok {
		delete(one.of.arriving, one)
		_ = one.rc.SetReadDeadline(deadline)
	}
}

// stop gives up on the bodies that have not arrived, and leaves little time to
// those that are still to come.
func (b *bodies) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopping = true
	for one := range b.arriving {
		_ = one.rc.SetReadDeadline(time.Unix(1, 0))
	}
}

func (b *bodies) isStopping() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stopping
}

// A bodyError says why a body was not read, with a status of HTTP.
type bodyError struct {
	status int
	reason string
	head   []byte // of a body that is too large
}

func (e *bodyError) Error() string { return e.reason }

// read reads a body of at most limit bytes. The room that it takes up is to be
// released when the request is done.
func (b *bodies) read(r *http.Request, limit int64) (data []byte, release func(), err error) {
	if r.ContentLength > limit {
		head, _ := io.ReadAll(io.LimitReader(r.Body, maxHead)) // as much as there is
		b.drain(r)
		return nil, nil, tooLarge(head)
	}
	var buf bytes.Buffer
	first := io.LimitReader(r.Body, smallBody)
	if 0 < r.ContentLength && r.ContentLength <= smallBody {
		buf.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	if _, err := buf.ReadFrom(first); err != nil {
		return nil, nil, b.failure(err)
	}
	if buf.Len() < smallBody {
		return buf.Bytes(), func() {}, nil
	}
	most := limit
	if r.ContentLength > 0 {
		most = r.ContentLength
	}
	if !b.take(r.Context(), most, limit) {
		return nil, nil, &bodyError{status: http.StatusServiceUnavailable, reason: "too many large requests at a time: try again in a few seconds"}
	}
	held := most
	defer func() {
		if err != nil {
			b.room.Release(held)
		}
	}()
	buf.Grow(int(most) - buf.Len() + bytes.MinRead)
	if _, err := buf.ReadFrom(io.LimitReader(r.Body, limit+1-int64(buf.Len()))); err != nil {
		return nil, nil, b.failure(err)
	}
	if int64(buf.Len()) > limit {
		return nil, nil, tooLarge(buf.Bytes()[:maxHead])
	}
	b.room.Release(held - int64(buf.Len()))
	held = int64(buf.Len())
	return buf.Bytes(), func() { b.room.Release(held) }, nil
}

// take waits for room. There is some for callsInFlight of the largest bodies.
func (b *bodies) take(ctx context.Context, size, limit int64) bool {
	b.once.Do(func() { b.room = semaphore.NewWeighted(callsInFlight * limit) })
	ctx, cancel := context.WithTimeout(ctx, roomWait)
	defer cancel()
	return b.room.Acquire(ctx, size) == nil
}

func tooLarge(head []byte) error {
	return &bodyError{status: http.StatusRequestEntityTooLarge, head: head}
}

// failure words why a body did not arrive.
func (b *bodies) failure(err error) error {
	switch {
	case b.isStopping():
		return &bodyError{status: http.StatusServiceUnavailable, reason: stopped}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &bodyError{status: http.StatusRequestTimeout, reason: "the body did not arrive in time"}
	}
	return &bodyError{status: http.StatusBadRequest, reason: "the body did not arrive in full"}
}
