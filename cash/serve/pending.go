package serve

import (
	"net/http"
	"sync"
	"time"
)

// deliverTimeout is how long answers may take to reach their clients after the
// last call has ended: a client that does not read holds nobody up.
const deliverTimeout = time.Second

// pending counts requests whose answer has not been written yet: that a
// handler has returned does not mean that its answer is on the wire, and the
// SDK drops what it has not written when a session is closed. The zero value
// is ready.
type pending struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n falls to zero; nil if nobody waits
}

func (p *pending) add(delta int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n += delta
	if p.n == 0 && p.idle != nil {
		close(p.idle)
		p.idle = nil
	}
}

func (p *pending) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n
}

// wait returns when nothing is pending, or after the time limit.
func (p *pending) wait(limit time.Duration) {
	p.mu.Lock()
	if p.n == 0 {
		p.mu.Unlock()
		return
	}
	if p.idle == nil {
		p.idle = make(chan struct{})
	}
	idle := p.idle
	p.mu.Unlock()
	select {
	case <-idle:
	case <-time.After(limit):
	}
}

// countPosts counts the POST requests that pass: each is answered before it
// ends. Streams are not counted, for they last as long as their session.
func (p *pending) countPosts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			p.add(1)
			defer p.add(-1)
		}
		next.ServeHTTP(w, r)
	})
}
