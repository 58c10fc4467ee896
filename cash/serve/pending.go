package serve

import (
	"net/http"
	"sync"
	"time"
)

// deliverTimeout bounds the delivery of answers after the last call. A client that does not read
// blocks nobody.
const deliverTimeout = time.Second

// pending counts requests without a written answer. After a handler returns, its answer may not be
// on the wire yet, and the SDK drops unwritten answers when a session is closed. The zero value is
// ready.
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

// wait returns when nothing is pending, or after the limit.
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

// countPosts counts the POST requests in progress; each is answered before it ends. Streams are not
// counted, because they last as long as their session.
func (p *pending) countPosts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			p.add(1)
			defer p.add(-1)
		}
		next.ServeHTTP(w, r)
	})
}
