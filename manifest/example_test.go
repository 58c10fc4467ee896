package manifest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/cash-mcp/go-sdk/manifest"
)

func Example() {
	m := &manifest.Manifest{
		Version:     manifest.SpecVersion,
		LastUpdated: "2026-04-24",
		Publisher:   "Example Shop",
		Endpoint:    "https://mcp.shop.example/mcp",
		Namespaces:  []manifest.Namespace{{Suggested: "orders", Description: "Create and manage orders."}},
	}
	doc, err := m.YAML()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(doc))
	// Output:
	// cash_version: "0.1.1"
	// last_updated: "2026-04-24"
	// publisher: "Example Shop"
	// endpoint: "https://mcp.shop.example/mcp"
	// namespaces:
	//   - suggested: "orders"
	//     description: "Create and manage orders."
}

func ExampleParse() {
	_, err := manifest.Parse([]byte("cash_version: 1.0\nlast_updated: 2026-04-24\npublisher: [Shop]\n"))
	var e *manifest.Error
	fmt.Println(errors.As(err, &e), e.Line, e.Field)
	fmt.Println(err)
	// Output:
	// true 3 publisher
	// line 3, column 12: publisher: a list where one text is wanted
}

func ExampleManifest_Check() {
	m := &manifest.Manifest{Version: manifest.SpecVersion, LastUpdated: "2026-04-24", Publisher: "Shop", Endpoint: "https://mcp.shop.example/mcp"}
	fmt.Println(m.Check())
	// Output: namespaces: at least one entry is required
}

func ExampleManifest_Warnings() {
	m := &manifest.Manifest{Version: "9.9", Namespaces: []manifest.Namespace{{Suggested: "orders"}}}
	for _, w := range m.Warnings() {
		fmt.Println(w)
	}
	// Output: cash_version: "9.9" is not known here, only ["0.1.1" "1.0"]
}

func ExampleLabel() {
	fmt.Println(manifest.Label("shop-orders"), manifest.Label("orders.retail eu"))
	// Output: shop_orders orders.retaileu
}

func ExampleHandler() {
	mux := http.NewServeMux()
	mux.Handle(manifest.WellKnownPath, manifest.Handler(manifest.Static(shop()), nil))

	r := httptest.NewRequest("GET", manifest.WellKnownPath, nil)
	r.Header.Set("Accept", "application/json")
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Header().Get("Content-Type"), w.Header().Get("Cache-Control"))
	// Output: 200 application/json private, max-age=600
}

// aShop stands for the network in the example.
type aShop struct{}

func (aShop) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, ContentLength: -1, Body: io.NopCloser(strings.NewReader(minimal()))}, nil
}

func ExampleFetcher_Fetch() {
	f, err := manifest.NewFetcher(&manifest.FetchOptions{Transport: aShop{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, host := range []string{"mcp.shop.example", "elsewhere.example"} {
		got, err := f.Fetch(context.Background(), "https://"+host+manifest.WellKnownPath, nil)
		var e *manifest.FetchError
		if errors.As(err, &e) {
			fmt.Println(e.Kind, e)
			continue
		}
		fmt.Println(got.Manifest.Publisher, got.Endpoint, got.Next.Sub(got.At))
	}
	// Output:
	// Shop https://mcp.shop.example/mcp 1h0m0s
	// unsafe fetching the manifest of elsewhere.example: the endpoint is on another host than the manifest; the operator may trust it by name
}

func ExampleCheckEndpoint() {
	const source = "https://shop.example/.well-known/cash-mcp.yaml"
	for _, endpoint := range []string{"https://SHOP.example:443/mcp", "https://shop.example@evil.example/", "npx -y shop"} {
		u, err := manifest.CheckEndpoint(endpoint, source)
		fmt.Println(u, err)
	}
	// Output:
	// https://shop.example/mcp <nil>
	// <nil> fetching the manifest of shop.example: the endpoint cannot be used: it has a user name or password
	// <nil> fetching the manifest of shop.example: the endpoint is not an https URL; commands are never taken from a manifest
}

func ExampleDialControl() {
	control := manifest.DialControl()
	fmt.Println(control("tcp", "169.254.169.254:443", nil))
	fmt.Println(control("tcp", "8.8.8.8:443", nil))
	// Output:
	// the address is not public
	// <nil>
}
