package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// bodies bounds the bodies of HTTP requests, while they arrive and while they are processed: in
// time, in size, and all together. The Handler of a [Server] uses one.
type bodies struct {
	mu       sync.Mutex
	arriving map[*body]struct{}
	timer    *time.Timer // calls expire; nil while nothing waits for it
	stopping bool

	once sync.Once
	room *semaphore.Weighted // bytes for all bodies above smallBody
}

// Bounds of bodies.
const (
	smallBody  = 64 << 10        // bytes: a body up to this size takes no room
	maxDrained = 1 << 20         // bytes read of a refused body,
	drainTime  = time.Second / 5 // and the time for it
	roomWait   = 5 * time.Second // the longest wait for room
	stopBodies = time.Second     // the time left for bodies while the server stops: calls may wait for an answer in one
)

// A body is an arriving body of a request.
type body struct {
	io.ReadCloser
	of    *bodies
	w     http.ResponseWriter
	until time.Time // it may arrive until then
}

// deadline sets the deadline of the connection, which net/http removes after the body. A wrapped writer may not support
// it.
func (one *body) deadline(t time.Time) error {
	return http.NewResponseController(one.w).SetReadDeadline(t)
}

// limit bounds the time in which the body of each request arrives, and changes the request. It is the outermost handler
// but one, because net/http reads the rest of a body after a refusal, and that must not wait either.
func (b *bodies) limit(timeout time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		one := new(body)
		if x, ok := w.(*exchange); ok {
			one = &x.body // it is there anyway
		}
		*one = body{ReadCloser: r.Body, of: b, w: w}
		b.begin(one, timeout)
		defer one.leave()
		r.Body = one
		next.ServeHTTP(w, r)
	})
}

// begin notes a body that arrives. One timer is for all of them: most have arrived with the header of their request, and
// a deadline for each costs more than the rest of reading it.
func (b *bodies) begin(one *body, timeout time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.arriving == nil {
		b.arriving = make(map[*body]struct{})
	}
	b.arriving[one] = struct{}{}
	one.until = time.Now().Add(timeout)
	if b.stopping {
		_ = one.deadline(time.Now().Add(min(timeout, stopBodies)))
	} else if b.timer == nil {
		b.timer = time.AfterFunc(timeout, b.expire)
	}
}

// expire abandons the bodies whose time is over, and comes again for the others.
func (b *bodies) expire() {
	b.mu.Lock()
	defer b.mu.Unlock()
	var next time.Duration
	for one := range b.arriving {
		if left := time.Until(one.until); left <= 0 {
			_ = one.deadline(past)
			delete(b.arriving, one)
		} else if next == 0 || left < next {
			next = left
		}
	}
	if b.timer = nil; next > 0 && !b.stopping {
		b.timer = time.AfterFunc(next, b.expire)
	}
}

// past is a deadline that is over.
var past = time.Unix(1, 0)

// Read implements io.Reader.
func (one *body) Read(p []byte) (int, error) {
	n, err := one.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		one.end()
	}
	return n, err
}

// drain reads a part of a refused body. A client that is still writing when its connection is
// closed may lose the answer.
func (b *bodies) drain(r *http.Request) {
	if one, ok := r.Body.(*body); ok && one.deadline(time.Now().Add(drainTime)) == nil {
		_, _ = io.CopyN(io.Discard, one, maxDrained)
	}
}

// leave abandons a body whose handler has read enough.
func (one *body) leave() {
	if one.end() {
		_ = one.deadline(past)
	}
}

// end reports whether the body was still arriving, which is over now.
func (one *body) end() bool {
	one.of.mu.Lock()
	defer one.of.mu.Unlock()
	_, ok := one.of.arriving[one]
	delete(one.of.arriving, one)
	return ok
}

// stop abandons the bodies that are arriving, and gives later ones little time.
func (b *bodies) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopping = true
	if b.timer != nil {
		b.timer.Stop()
	}
	for one := range b.arriving {
		_ = one.deadline(past)
	}
}

func (b *bodies) isStopping() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stopping
}

// A bodyError is the reason why a body was not read, with an HTTP status.
type bodyError struct {
	status int
	reason string
	head   []byte // the beginning of a body that is too large
}

func (e *bodyError) Error() string { return e.reason }

// read reads a body of at most limit bytes. Call release when the request is done.
func (b *bodies) read(r *http.Request, limit int64) (data []byte, release func(), err error) {
	if r.ContentLength > limit {
		head, _ := io.ReadAll(io.LimitReader(r.Body, maxHead)) // the part that arrived
		b.drain(r)
		return nil, nil, tooLarge(head)
	}
	var buf bytes.Buffer
	if 0 < r.ContentLength && r.ContentLength < smallBody {
		whole, err := readUpTo(r.Body, make([]byte, 0, r.ContentLength+1))
		switch {
		case errors.Is(err, io.EOF):
			return whole, func() {}, nil
		case err != nil:
			return nil, nil, b.failure(err)
		}
		buf = *bytes.NewBuffer(whole) // it is longer than it said
	}
	if _, err := buf.ReadFrom(io.LimitReader(r.Body, int64(smallBody-buf.Len()))); err != nil {
		return nil, nil, b.failure(err)
	}
	switch {
	case int64(buf.Len()) > limit:
		b.drain(r)
		return nil, nil, tooLarge(buf.Bytes()[:min(buf.Len(), maxHead)])
	case buf.Len() < smallBody:
		return buf.Bytes(), func() {}, nil
	}
	held := limit
	if r.ContentLength >= smallBody { // less is wrong: middleware may have replaced the body
		held = r.ContentLength
	}
	if !b.take(r.Context(), held, limit) {
		return nil, nil, &bodyError{status: http.StatusServiceUnavailable, reason: "too many large requests at a time: try again in a few seconds"}
	}
	defer func() {
		if err != nil {
			b.room.Release(held)
		}
	}()
	buf.Grow(int(held) - buf.Len() + bytes.MinRead)
	if _, err := buf.ReadFrom(io.LimitReader(r.Body, limit+1-int64(buf.Len()))); err != nil {
		return nil, nil, b.failure(err)
	}
	if int64(buf.Len()) > limit {
		b.drain(r)
		return nil, nil, tooLarge(buf.Bytes()[:maxHead])
	}
	b.room.Release(held - int64(buf.Len()))
	held = int64(buf.Len())
	return buf.Bytes(), func() { b.room.Release(held) }, nil
}

// readUpTo reads until data has no room left, or until an error, which may be io.EOF.
func readUpTo(r io.Reader, data []byte) ([]byte, error) {
	for len(data) < cap(data) {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err != nil {
			return data, err
		}
	}
	return data, nil
}

// take waits for room for a body. There is room for callsInFlight of the largest bodies.
func (b *bodies) take(ctx context.Context, size, limit int64) bool {
	b.once.Do(func() { b.room = semaphore.NewWeighted(callsInFlight * limit) })
	ctx, cancel := context.WithTimeout(ctx, roomWait)
	defer cancel()
	return b.room.Acquire(ctx, size) == nil
}

func tooLarge(head []byte) error {
	return &bodyError{status: http.StatusRequestEntityTooLarge, head: head}
}

// failure returns the error for a body that did not arrive.
func (b *bodies) failure(err error) error {
	switch {
	case b.isStopping():
		return &bodyError{status: http.StatusServiceUnavailable, reason: stopped}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &bodyError{status: http.StatusRequestTimeout, reason: "the body did not arrive in time"}
	}
	return &bodyError{status: http.StatusBadRequest, reason: "the body did not arrive in full"}
}
