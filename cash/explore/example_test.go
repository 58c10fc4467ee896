package explore_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/explore"
	"github.com/cash-mcp/go-sdk/cash/serve"
)

// The page stands beside the server, and shows what the server gets.
func Example() {
	reg := shop(new(int))
	log := explore.NewLog(nil)
	o := serve.Options{Observe: log}
	srv := cash.NewServer(reg, &cash.Options{Name: "shop", Serve: o})
	page := explore.New(reg, &explore.Options{Name: "shop", Pipeline: o.Pipeline(), Log: log})

	mux := http.NewServeMux()
	mux.Handle("/mcp", srv.Handler())
	mux.Handle("/explore/", http.StripPrefix("/explore", page))

	r := httptest.NewRequest("GET", "http://localhost/explore/?path=orders", nil)
	r.RemoteAddr = "127.0.0.1:4000"
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output: 200 text/html; charset=utf-8
}
