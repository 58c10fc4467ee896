package openapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/openapi"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

var books = document(`{"/books/{id}":{"get":{"operationId":"get","tags":["books"],"parameters":[
	{"name":"id","in":"path","required":true,"schema":{"type":"string"}}]}}}`)

// asks calls the function get over HTTP, and returns the text of its answer.
func asks(t *testing.T, url, id string) string {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	transport := &mcp.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true}
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "call", Arguments: map[string]any{
		"namespace": "shop.books", "function": "get", "kwargs": map[string]any{"id": id},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return res.Content[0].(*mcp.TextContent).Text
}

// One router of chi has the service and /mcp. A call reaches its own operation, wherever /mcp is.
func TestOneRouter(t *testing.T) {
	for way, add := range map[string]func(chi.Router, http.Handler){
		"/mcp":      func(r chi.Router, h http.Handler) { r.Handle("/mcp", h) },
		"/sub":      func(r chi.Router, h http.Handler) { r.Mount("/sub", h) },
		"/acme/mcp": func(r chi.Router, h http.Handler) { r.Route("/{id}", func(r chi.Router) { r.Handle("/mcp", h) }) },
	} {
		router := chi.NewRouter()
		router.Get("/books/{id}", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, chi.URLParam(r, "id"), chi.RouteContext(r.Context()).URLParams.Values)
		})
		router.Post("/", func(w http.ResponseWriter, r *http.Request) { t.Error("another operation ran") })
		reg, _ := mount(t, books, openapi.Handler(router))
		add(router, cash.NewServer(reg, nil).Handler())
		web := httptest.NewServer(router)
		if got := asks(t, web.URL+way, "1"); got != "1[1]" {
			t.Errorf("with the tools at %s, the answer is %q", way, got)
		}
		web.Close()
	}
}

// A handler that goes on after the end of its call reads its own parameters, whatever its router serves meanwhile.
func TestRouterAfterTimeout(t *testing.T) {
	router := chi.NewRouter()
	const tries = 100 // a slow machine may end a call before its handler begins
	others, begun, read := make(chan struct{}), make(chan struct{}, tries), make(chan string, tries)
	router.Get("/books/{id}", func(w http.ResponseWriter, r *http.Request) {
		mine := r.URL.Path == "/books/mine"
		if mine {
			begun <- struct{}{}
		}
		if <-r.Context().Done(); mine {
			<-others
			read <- chi.URLParam(r, "id")
		}
	})
	router.Get("/other/{id}", func(w http.ResponseWriter, r *http.Request) { <-others })
	reg, _ := mount(t, books, openapi.Handler(router))
	router.Handle("/mcp", cash.NewServer(reg, &cash.Options{Serve: serve.Options{Timeout: 20 * time.Millisecond}}).Handler())
	web := httptest.NewServer(router)
	defer web.Close()
	for n := 0; len(begun) == 0; n++ {
		if n == tries {
			t.Fatal("no handler has begun")
		}
		asks(t, web.URL+"/mcp", "mine")
	}
	for range 5 {
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		r, _ := http.NewRequestWithContext(ctx, http.MethodGet, web.URL+"/other/theirs", nil)
		if res, err := http.DefaultClient.Do(r); err == nil {
			res.Body.Close()
		}
		stop()
	}
	close(others)
	if got := <-read; got != "mine" {
		t.Errorf("the handler of mine reads %q", got)
	}
}

type routing struct{}

// The request of a call has its deadline, its end, its caller, and the values that the hook names. Others are not
// there.
func TestRequestContext(t *testing.T) {
	type tenant struct{}
	var got context.Context
	service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Context()
		_, limited := got.Deadline()
		answer := map[string]any{"caller": registry.CallerFrom(got).ID, "deadline": limited, "tenant": got.Value(tenant{}),
			"routing": got.Value(routing{}), "text": got.Value(http.LocalAddrContextKey)}
		data, _ := json.Marshal(answer)
		w.Write(data)
	})
	ctx := registry.WithCaller(t.Context(), &registry.Caller{ID: "ann"})
	ctx = context.WithValue(context.WithValue(ctx, tenant{}, "acme"), routing{}, "state")
	key := http.LocalAddrContextKey
	ctx, stop := context.WithTimeout(context.WithValue(ctx, key, "state"), time.Minute)
	defer stop()
	for _, c := range []struct {
		opts []openapi.Option
		want string
	}{
		{nil, `{"caller":"ann","deadline":true,"routing":null,"tenant":null,"text":null}`},
		{[]openapi.Option{openapi.Context(func(request, call context.Context) context.Context {
			return context.WithValue(request, tenant{}, call.Value(tenant{}))
		})}, `{"caller":"ann","deadline":true,"routing":null,"tenant":"acme","text":null}`},
	} {
		reg, _ := mount(t, books, openapi.Handler(service), c.opts...)
		res, err := call(ctx, reg, "shop.books", "get", `{"id":"1"}`)
		if err != nil || res.Text() != c.want {
			t.Errorf("%v, %v, want %s", res.Text(), err, c.want)
		}
	}
	if stop(); got.Err() == nil {
		t.Error("the request outlives its call")
	}
}
