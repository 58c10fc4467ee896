package serve_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// A server is mounted beside the routes of a service, behind its login. On a stop it is not ready any more, and lets
// calls finish.
func Example() {
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("whoami", "Tell who is calling.", func(ctx context.Context, _ struct{}) (string, error) {
		return registry.CallerFrom(ctx).ID, nil
	}, registry.ReadOnly, registry.Timeout(5*time.Second)))
	srv := cash.NewServer(reg, &cash.Options{Name: "desk", Version: "1.0.0", Serve: serve.Options{
		Identify: func(_ context.Context, in *serve.Incoming) (*registry.Caller, error) {
			if in.Header.Get("X-User") == "" { // of your own proxy, say
				return nil, errors.New("log in first")
			}
			return &registry.Caller{ID: in.Header.Get("X-User")}, nil
		},
	}})
	mux := http.NewServeMux()
	mux.Handle("/mcp", srv.Handler())
	mux.Handle("/livez", srv.LiveHandler())
	mux.Handle("/readyz", srv.ReadyHandler())
	ts := httptest.NewServer(mux)
	defer ts.Close()

	ready := func() int {
		res, err := http.Get(ts.URL + "/readyz")
		if err != nil {
			return 0
		}
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, res.Body)
		return res.StatusCode
	}
	fmt.Println(ready())
	if err := srv.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(ready(), srv.Stats().Calls)
	// Output:
	// 200
	// 503 0
}
