package openapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/openapi"
	"github.com/cash-mcp/go-sdk/registry"
)

type book struct {
	ID    int64    `json:"id" readOnly:"true"`
	Title string   `json:"title" minLength:"1" doc:"The title."`
	Tags  []string `json:"tags,omitempty"`
	Price float64  `json:"price"`
}

// library is a service written without a thought of MCP: routes of chi, operations of huma, and a login by header.
func library() (http.Handler, huma.API) {
	router := chi.NewMux()
	router.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			user := r.Header.Get("X-User")
			if r.Method != http.MethodGet && user != "librarian" {
				http.Error(w, "only librarians may do that", http.StatusForbidden)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	api := humachi.New(router, huma.DefaultConfig("Library", "1.0.0"))
	books := map[int64]book{9007199254740993: {9007199254740993, "Ulysses & more <1>", []string{"novel"}, 12.5}}
	type one struct{ Body book }
	huma.Register(api, huma.Operation{OperationID: "get-book", Method: http.MethodGet, Path: "/books/{id}", Summary: "Get a book.", Tags: []string{"books"}},
		func(_ context.Context, in *struct {
			ID int64 `path:"id" doc:"The id."`
		}) (*one, error) {
			b, ok := books[in.ID]
			if !ok {
				return nil, huma.Error404NotFound("no such book")
			}
			return &one{b}, nil
		})
	huma.Register(api, huma.Operation{OperationID: "find-books", Method: http.MethodGet, Path: "/books", Summary: "Find books by tags.", Tags: []string{"books"}},
		func(_ context.Context, in *struct {
			Tags []string `query:"tags"`
			Max  float64  `query:"max" default:"100"`
			Lang string   `header:"X-Lang"`
		}) (*struct{ Body []any }, error) {
			return &struct{ Body []any }{[]any{in.Tags, in.Max, in.Lang}}, nil
		})
	huma.Register(api, huma.Operation{OperationID: "add-book", Method: http.MethodPost, Path: "/books", Summary: "Add a book.", Tags: []string{"books"}, DefaultStatus: 201},
		func(_ context.Context, in *struct{ Body book }) (*one, error) {
			in.Body.ID = 7
			return &one{in.Body}, nil
		})
	return router, api
}

// A service with a document of its own is mounted in five lines. Its answers through call are those of its routes, byte
// for byte, with its login.
func TestHumaInProcess(t *testing.T) {
	service, api := library()
	login := func(r *http.Request, c *registry.Caller) error {
		if c.HasRole("staff") {
			r.Header.Set("X-User", "librarian")
		}
		return nil
	}

	doc, _ := json.Marshal(api.OpenAPI())
	reg := registry.New(nil)
	m, err := openapi.Mount(reg, "library", doc, openapi.Handler(service), openapi.Login(login))
	if err != nil {
		t.Fatal(err)
	}
	srv := cash.NewServer(reg, nil)

	staff := registry.WithCaller(t.Context(), &registry.Caller{ID: "ann", Roles: []string{"staff"}})
	for _, c := range []struct {
		ctx                             context.Context
		function, args                  string
		method, path, user, body, media string
	}{
		{t.Context(), "get_book", `{"id":9007199254740993}`, "GET", "/books/9007199254740993", "", "", ""},
		{t.Context(), "get_book", `{"id":1}`, "GET", "/books/1", "", "", ""},
		{t.Context(), "find_books", `{"tags":["a","b c"],"max":2.5,"X-Lang":"de"}`, "GET", "/books?tags=a,b%20c&max=2.5", "", "", ""},
		{t.Context(), "find_books", `{}`, "GET", "/books", "", "", ""},
		{t.Context(), "add_book", `{"title":"Dune","price":1}`, "POST", "/books", "", `{"title":"Dune","price":1}`, "application/json"},
		{staff, "add_book", `{"title":"Dune","price":1.50,"tags":[]}`, "POST", "/books", "librarian", `{"title":"Dune","price":1.50,"tags":[]}`, "application/json"},
	} {
		want := httptest.NewRecorder()
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
		r.Host = "localhost"
		r.Header.Set("X-User", c.user)
		if strings.Contains(c.args, "de") {
			r.Header.Set("X-Lang", "de")
		}
		if c.media != "" {
			r.Header.Set("Content-Type", c.media)
		}
		service.ServeHTTP(want, r)

		res, err := srv.Call(c.ctx, &cash.CallRequest{Namespace: "library.books", Function: c.function, Kwargs: json.RawMessage(c.args)})
		if want.Code >= 400 {
			kind := map[int]registry.Kind{403: registry.Denied, 404: registry.Failed}[want.Code]
			if registry.AsError(err).Kind != kind {
				t.Errorf("%s %s: %v, want status %d\n%s", c.function, c.args, err, want.Code, m.Report())
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %v\n%s", c.function, c.args, err, m.Report())
			continue
		}
		text := res.Content[0].(*mcp.TextContent).Text
		if text != want.Body.String() {
			t.Errorf("%s %s answers %q, the service %q", c.function, c.args, text, want.Body)
		}
	}
	if _, err := srv.Call(staff, &cash.CallRequest{Namespace: "library.books", Function: "add_book", Kwargs: json.RawMessage(`{"title":""}`)}); registry.AsError(err).Kind != registry.InvalidArguments {
		t.Errorf("arguments that the document refuses: %v", err)
	}
	if help, err := srv.Help(t.Context(), &cash.HelpRequest{Namespace: "library.books", Function: "add_book"}); err != nil || !strings.Contains(help, "| title | string | yes | The title. Minimum") || strings.Contains(help, "| id |") {
		t.Errorf("%s, %v", help, err)
	}
}
