package openapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/openapi"
	"github.com/cash-mcp/go-sdk/registry"
)

// A seen is a request as a service got it.
type seen struct {
	Method, URI string
	Header      http.Header
	Body        string
}

// A recorder answers every request with an empty object, and keeps the last one.
type recorder struct {
	mu   sync.Mutex
	last *seen
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	r.last = &seen{req.Method, req.RequestURI, req.Header.Clone(), string(body)}
	r.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, "{}")
}

func (r *recorder) take() *seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.last
	r.last = nil
	return last
}

// document returns a document with these paths.
func document(paths string) []byte {
	return fmt.Appendf(nil, `{"openapi":"3.1.1","info":{"title":"A shop","version":"1"},"paths":%s}`, paths)
}

func mount(t *testing.T, doc []byte, server *openapi.Server, opts ...openapi.Option) (*registry.Registry, *openapi.Mounted) {
	t.Helper()
	reg := registry.New(nil)
	m, err := openapi.Mount(reg, "shop", doc, server, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return reg, m
}

func call(ctx context.Context, reg *registry.Registry, namespace, name, args string) (*registry.Result, error) {
	return registry.NewPipeline(reg, nil).Call(ctx, &registry.Request{Namespace: namespace, Function: name, Arguments: json.RawMessage(args)})
}

// both runs a test with the handler in this process, and behind HTTP.
func both(t *testing.T, h http.Handler, f func(t *testing.T, server *openapi.Server)) {
	t.Run("handler", func(t *testing.T) { f(t, openapi.Handler(h)) })
	t.Run("client", func(t *testing.T) {
		web := httptest.NewUnstartedServer(h)
		web.Config.ErrorLog = log.New(io.Discard, "", 0)
		web.Start()
		defer web.Close()
		f(t, openapi.Client(web.URL, web.Client()))
	})
}
