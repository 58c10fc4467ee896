package main

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"
)

// A proxy sends requests to the replicas that are ready, in turn.
type proxy struct {
	forward *httputil.ReverseProxy
	client  *http.Client

	mu       sync.Mutex
	replicas []backend
	next     int
}

type backend struct {
	url   *url.URL
	ready bool
}

type backendKey struct{}

func newProxy(replicas int) *proxy {
	transport := &http.Transport{MaxIdleConnsPerHost: 1000}
	p := &proxy{client: &http.Client{Timeout: 5 * time.Second}, replicas: make([]backend, replicas)}
	p.forward = &httputil.ReverseProxy{
		Transport: transport,
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(r.In.Context().Value(backendKey{}).(*url.URL)) },
		// It would get notes of clients that leave before the last byte of their answer. Failures are answers with 502.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	return p
}

// ServeHTTP implements [http.Handler].
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u := p.pick()
	if u == nil {
		http.Error(w, "no replica is ready", http.StatusServiceUnavailable)
		return
	}
	p.forward.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), backendKey{}, u)))
}

// pick returns the next replica that is ready; nil if there is none.
func (p *proxy) pick() *url.URL {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range p.replicas {
		p.next = (p.next + 1) % len(p.replicas)
		if b := p.replicas[p.next]; b.ready {
			return b.url
		}
	}
	return nil
}

// set puts a process in the place of a replica. It gets requests when it is ready.
func (p *proxy) set(i int, u *url.URL) {
	p.mu.Lock()
	p.replicas[i] = backend{url: u}
	p.mu.Unlock()
	p.look(i)
}

// look asks a replica whether it is ready.
func (p *proxy) look(i int) {
	p.mu.Lock()
	u := p.replicas[i].url
	p.mu.Unlock()
	res, err := p.client.Get(u.JoinPath("readyz").String())
	if err == nil {
		_ = res.Body.Close()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.replicas[i].url == u {
		p.replicas[i].ready = err == nil && res.StatusCode == http.StatusOK
	}
}

// watch asks each replica again and again until ctx ends, so that a slow one delays none of the others.
func (p *proxy) watch(ctx context.Context) {
	for i := range p.replicas {
		go func() {
			ticker := time.NewTicker(100 * time.Millisecond)
			defer ticker.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-ticker.C:
					p.look(i)
				}
			}
		}()
	}
}
