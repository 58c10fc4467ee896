package upstream_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// A publisher serves its functions and the manifest; whoever knows the URL of
// the manifest finds the rest.
func ExampleAggregator_Discover() {
	shop := registry.New(nil)
	shop.Namespace("orders", "Create and manage customer orders.").Add(
		registry.Func("count", "Counts the open orders.", func(context.Context, struct{}) (int, error) { return 3, nil }))
	published := cash.NewServer(shop, &cash.Options{Name: "shop"})
	mux := http.NewServeMux()
	mux.Handle(manifest.WellKnownPath, published.ManifestHandler())
	mux.Handle("/mcp", published.Handler())
	host := httptest.NewTLSServer(mux)
	defer host.Close()

	roots := x509.NewCertPool()
	roots.AddCert(host.Certificate())
	reg := registry.New(nil)
	agg := upstream.New(reg, &upstream.Options{Fetch: manifest.FetchOptions{RootCAs: roots}})
	ctx := context.Background()
	defer agg.Close(ctx)
	err := agg.Discover(upstream.Discovery{
		URL:   host.URL + manifest.WellKnownPath,
		Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, // an address that is not public
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := agg.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	r, err := cash.NewServer(reg, nil).Call(ctx, &cash.CallRequest{Namespace: "orders", Function: "count"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(agg.Status()[0].Labels, r.Text())
	// Output: [orders] 3
}
