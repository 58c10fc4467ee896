package upstream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// A publisher is a host with a manifest and, at /mcp, a server.
type publisher struct {
	host string // with the port if it is not 443
	mcp  http.Handler

	mu       sync.Mutex
	doc      manifest.Manifest
	raw      string // instead of doc
	status   int    // instead of a manifest; 0 is none
	redirect string
	delay    time.Duration // of the manifest
	fetches  []time.Time
	known    int // fetches that were answered by 304
	connects int
	asked    int             // requests other than for the manifest
	tokens   map[string]bool // in the header Authorization
}

// publish returns the publisher of a server that has the namespaces, each with a
// function who that returns the host's name. It suggests them.
func publish(host, name string, namespaces ...string) *publisher {
	reg := registry.New(nil)
	who := func(context.Context, struct{}) (string, error) { return host, nil }
	p := &publisher{host: host}
	for _, ns := range namespaces {
		reg.Namespace(strings.ReplaceAll(ns, "-", "_"), "What is in "+ns+".").Add(registry.Func("who", "Names the host.", who))
	}
	p.mcp = cash.NewServer(reg, &cash.Options{Name: name}).Handler()
	p.doc = manifest.Manifest{
		Version: manifest.SpecVersion, LastUpdated: "2026-04-24", Publisher: name, Endpoint: "https://" + host + "/mcp",
	}
	p.suggest(namespaces...)
	return p
}

// suggest changes the namespaces of the manifest.
func (p *publisher) suggest(namespaces ...string) {
	p.edit(func() {
		p.doc.Namespaces = nil
		for _, ns := range namespaces {
			p.doc.Namespaces = append(p.doc.Namespaces, manifest.Namespace{Suggested: ns, Description: "About " + ns + "."})
		}
	})
}

func (p *publisher) edit(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

func (p *publisher) url() string { return "https://" + p.host + manifest.WellKnownPath }

// counts returns how often the manifest was fetched, how many requests came
// besides, and how many of them were to connect.
func (p *publisher) counts() (fetches, asked, connects int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.fetches), p.asked, p.connects
}

// ServeHTTP implements [http.Handler].
func (p *publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.edit(func() {
		if p.tokens == nil {
			p.tokens = make(map[string]bool)
		}
		p.tokens[r.Header.Get("Authorization")] = true
	})
	if r.URL.Path != manifest.WellKnownPath {
		p.serveMCP(w, r)
		return
	}
	p.mu.Lock()
	delay := p.delay
	p.mu.Unlock()
	select {
	case <-r.Context().Done():
		return
	case <-time.After(delay):
	}
	p.mu.Lock()
	p.fetches = append(p.fetches, time.Now())
	doc, raw, status, redirect := p.doc, p.raw, p.status, p.redirect
	p.mu.Unlock()
	switch {
	case redirect != "":
		http.Redirect(w, r, redirect, http.StatusFound)
	case status != 0:
		http.Error(w, "not now", status)
	case raw != "":
		_, _ = io.WriteString(w, raw)
	default:
		seen := &statusWriter{ResponseWriter: w}
		manifest.Handler(manifest.Static(&doc), nil).ServeHTTP(seen, r)
		p.edit(func() {
			if seen.status == http.StatusNotModified {
				p.known++
			}
		})
	}
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (p *publisher) serveMCP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var h http.Handler
	p.edit(func() {
		h = p.mcp
		p.asked++
		if bytes.Contains(body, []byte(`"server/discover"`)) {
			p.connects++
		}
	})
	h.ServeHTTP(w, r)
}

// A network is hosts in this process: an [http.RoundTripper] without sockets,
// for whoever has a clock of his own.
type network struct {
	mu    sync.Mutex
	hosts map[string]http.Handler
}

func newNetwork(publishers ...*publisher) *network {
	n := &network{hosts: make(map[string]http.Handler)}
	for _, p := range publishers {
		n.hosts[p.host] = p
	}
	return n
}

// RoundTrip implements [http.RoundTripper].
func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	n.mu.Lock()
	h := n.hosts[r.URL.Host]
	n.mu.Unlock()
	if h == nil {
		return nil, errors.New("no route to host")
	}
	ctx, cancel := context.WithCancel(r.Context())
	in := r.Clone(ctx)
	in.RequestURI, in.RemoteAddr, in.Host = r.URL.RequestURI(), "192.0.2.1:1", r.URL.Host
	if in.Body == nil {
		in.Body = http.NoBody
	}
	reader, writer := io.Pipe()
	w := &answer{header: make(http.Header), body: writer, began: make(chan struct{}), status: http.StatusOK}
	go func() { // ends with the request, or when its answer is closed
		defer cancel()
		h.ServeHTTP(w, in)
		w.WriteHeader(http.StatusOK)
		_ = writer.Close()
	}()
	select {
	case <-w.began:
	case <-r.Context().Done():
		_ = reader.Close()
		return nil, context.Cause(r.Context())
	}
	return &http.Response{
		StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.sent, ContentLength: -1,
		Body: closing{reader, cancel}, Request: r,
	}, nil
}

// answer is the server's side of a response.
type answer struct {
	header, sent http.Header
	status       int
	body         *io.PipeWriter
	began        chan struct{}
	once         sync.Once
}

func (a *answer) Header() http.Header { return a.header }
func (a *answer) Flush()              { a.WriteHeader(http.StatusOK) }

func (a *answer) WriteHeader(status int) {
	a.once.Do(func() {
		a.status, a.sent = status, a.header.Clone()
		close(a.began)
	})
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

type closing struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (c closing) Close() error {
	c.cancel()
	return c.PipeReader.Close()
}

// A finder is an aggregator that discovers, and its face.
type finder struct {
	*upstream.Aggregator
	t   *testing.T
	srv *cash.Server
	reg *registry.Registry
	log *lockedBuffer
}

// discover returns an aggregator over a network that follows the manifests, all
// of which have been tried once.
func discover(t *testing.T, n *network, list ...upstream.Discovery) *finder {
	t.Helper()
	f := finding(t, upstream.Options{Fetch: manifest.FetchOptions{Transport: n}})
	f.must(f.Discover(list...))
	f.wait()
	return f
}

func finding(t *testing.T, o upstream.Options) *finder {
	f := &finder{t: t, reg: registry.New(nil), log: new(lockedBuffer)}
	o.Logger = slog.New(slog.NewTextHandler(f.log, nil))
	f.Aggregator = upstream.New(f.reg, &o)
	f.srv = cash.NewServer(f.reg, nil)
	t.Cleanup(f.stop)
	return f
}

// from is what is discovered by the manifests of publishers.
func from(publishers ...*publisher) []upstream.Discovery {
	var list []upstream.Discovery
	for _, p := range publishers {
		list = append(list, upstream.Discovery{URL: p.url()})
	}
	return list
}

func (f *finder) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *finder) stop() { _ = f.Close(context.Background()) }

func (f *finder) wait() {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	f.must(f.Wait(ctx))
}

// labels returns where servers stand, joined by blanks, in order.
func (f *finder) labels() string {
	var list []string
	for _, s := range f.Status() {
		if len(s.Labels) > 0 {
			list = append(list, strings.Join(s.Labels, "+"))
		}
	}
	return strings.Join(list, " ")
}

// line returns what help() says of a label, empty if nothing.
func (f *finder) line(label string) string {
	f.t.Helper()
	page, err := f.srv.Help(context.Background(), nil)
	f.must(err)
	for line := range strings.Lines(page) {
		if strings.Contains(line, "**"+label+"**") || strings.Contains(line, "`"+label+"`") {
			return line
		}
	}
	return ""
}

func (f *finder) who(namespace string) (string, error) {
	r, err := f.srv.Call(context.Background(), &cash.CallRequest{Namespace: namespace, Function: "who"})
	if err != nil {
		return "", err
	}
	return r.Text(), nil
}

// wantWho checks which host answers at a namespace.
func (f *finder) wantWho(namespace, host string) {
	f.t.Helper()
	if got, err := f.who(namespace); err != nil || got != host {
		f.t.Errorf("who of %s: %q, %v; want %q", namespace, got, err, host)
	}
}

// wantOff checks that a label is listed as unavailable and refuses calls.
func (f *finder) wantOff(label string) {
	f.t.Helper()
	if line := f.line(label); !strings.Contains(line, "available: false") {
		f.t.Errorf("help() says of %s: %q", label, line)
	}
	page, err := f.srv.Help(context.Background(), &cash.HelpRequest{Kwargs: []byte(`{"format":"json"}`)})
	if err != nil || !strings.Contains(strings.ReplaceAll(page, " ", ""), `"available":false`) {
		f.t.Errorf("help() in JSON: %s, %v", page, err)
	}
	if got, err := f.who(label); err == nil || !strings.Contains(err.Error(), "`"+label+"` is temporarily unavailable") {
		f.t.Errorf("who of %s: %q, %v", label, got, err)
	}
}

// wantOn checks the opposite.
func (f *finder) wantOn(label string) {
	f.t.Helper()
	if line := f.line(label); line == "" || strings.Contains(line, "available: false") {
		f.t.Errorf("help() says of %s: %q", label, line)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func hostname(i int) string { return fmt.Sprintf("mcp.shop%03d.example", i) }
