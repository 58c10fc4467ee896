package discover_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/upstream/discover"
	"github.com/cash-mcp/go-sdk/manifest"
)

// A network answers with manifests by host; one that has none answers 503.
type network map[string]string

func (n network) RoundTrip(r *http.Request) (*http.Response, error) {
	res := &http.Response{StatusCode: http.StatusOK, Header: make(http.Header), Request: r, Body: io.NopCloser(strings.NewReader(n[r.URL.Host]))}
	if n[r.URL.Host] == "" {
		res.StatusCode = http.StatusServiceUnavailable
		res.Header.Set("Retry-After", "600")
	}
	return res, nil
}

// document is a manifest of a publisher on a host.
func document(host, publisher string, namespaces ...string) string {
	doc := fmt.Sprintf("cash_version: \"1.0\"\nlast_updated: \"2026-04-24\"\npublisher: %q\ncopyright: c\nendpoint: https://%s/mcp\ncache_ttl: 600\n"+
		"authentication: {scheme: none}\nnamespaces:\n", publisher, host)
	for _, ns := range namespaces {
		doc += fmt.Sprintf("  - {suggested: %q, description: About it.}\n", ns)
	}
	return doc
}

func Example() {
	net := network{
		"a.example": document("a.example", "Shop", "orders"),
		"b.example": document("b.example", "Warehouse", "orders", "stock-levels"),
	}
	var found []*discover.Follower
	for _, host := range []string{"a.example", "b.example"} {
		f, err := discover.Follow("https://"+host+manifest.WellKnownPath, &discover.Options{Fetch: manifest.FetchOptions{Transport: net}})
		if err != nil {
			fmt.Println(err)
			return
		}
		f.Fetch(context.Background())
		if f.Err() == nil {
			found = append(found, f)
		}
	}
	var labels discover.Labels
	free := func(string, *discover.Follower) bool { return false } // nothing else is in the tree
	places := labels.Choose(found, free)
	for _, f := range found {
		for _, p := range places[f] {
			fmt.Println(p.Label, "is", p.Namespace, "of", f.Host())
		}
	}
	// Output:
	// shoporders is orders of a.example
	// stock_levels is stocklevels of b.example
	// warehouseorders is orders of b.example
}
